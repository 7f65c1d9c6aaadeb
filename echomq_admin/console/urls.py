"""The addresses of the console. `<name:…>` is a name of the wire, plain or in its `~` form."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, register_converter

from echomq_admin.console import act, health, overview, queue
from echomq_admin.fleet.names import NameConverter


class HandMade(NameConverter):
    """Also reads an address that a person wrote with the slashes of a name in it."""

    regex = ".+"


register_converter(HandMade, "name")

urlpatterns = [
    path("", overview.overview, name="overview"),
    path(
        "login/",
        LoginView.as_view(template_name="console/login.html", redirect_authenticated_user=True),
        name="login",
    ),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("q/<slug:server>/<name:queue>/active", queue.active, name="queue_active"),
    path("q/<slug:server>/<name:queue>/pending", queue.pending, name="queue_pending"),
    path("q/<slug:server>/<name:queue>/dead", queue.dead, name="queue_dead"),
    path("q/<slug:server>/<name:queue>/audit", queue.audit, name="queue_audit"),
    path("q/<slug:server>/<name:queue>/requeue", act.requeue, name="requeue"),
    path("q/<slug:server>/<name:queue>/sweep", act.sweep, name="sweep"),
    path("q/<slug:server>/<name:queue>", queue.queue, name="queue"),
]
