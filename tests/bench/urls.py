"""The console's routes and one page of the frame without rows, as the floor of the page figures."""

from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path


@permission_required("operations.view_console")
def frame(request: HttpRequest) -> HttpResponse:
    """base.html and nothing in it."""
    return render(request, "console/base.html")


urlpatterns = [path("frame/", frame), path("", include("echomq_admin.console.urls"))]
