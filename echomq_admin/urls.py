"""Every route belongs to the console."""

from django.urls import include, path

urlpatterns = [path("", include("echomq_admin.console.urls"))]
