"""Every route belongs to the console."""

from django.urls import include, path

handler400 = "echomq_admin.console.broken.bad_request"
urlpatterns = [path("", include("echomq_admin.console.urls"))]
