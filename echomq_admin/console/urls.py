"""The addresses of the console. `<name:…>` is a name of the wire, plain or in its `~` form."""

from django.urls import path, register_converter

from echomq_admin.console import (
    columns,
    find,
    health,
    job,
    lanes,
    overview,
    preferences,
    queue,
    queue_chart,
    repeatables,
    server,
    trash,
)
from echomq_admin.console.acting import lapsed, undo
from echomq_admin.console.acting import views as acting
from echomq_admin.console.history.page import job_history
from echomq_admin.console.signing.views import SignIn, SignOut
from echomq_admin.console.stalls import export as stalls_files
from echomq_admin.console.stalls import page as stalls_page
from echomq_admin.console.trail import export
from echomq_admin.console.trail import page as trail_page
from echomq_admin.fleet.names import NameConverter


class HandMade(NameConverter):
    """Also reads an address that a person wrote, with slashes and line feeds of a name in it."""

    regex = r"[\s\S]+"


register_converter(HandMade, "name")
register_converter(acting.VerbConverter, "verb")

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", SignOut.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("find", find.find, name="find"),
    path("trail", trail_page.trail, name="trail"),
    path("trail.csv", export.trail_csv, name="trail_csv"),
    path("trail.ndjson", export.trail_ndjson, name="trail_ndjson"),
    path("stalls", stalls_page.stalls, name="stalls"),
    path("stalls/shape", stalls_page.stalls_shape, name="stalls_shape"),
    path("stalls.csv", stalls_files.stalls_csv, name="stalls_csv"),
    path("stalls.ndjson", stalls_files.stalls_ndjson, name="stalls_ndjson"),
    path("columns/<slug:tab>", columns.columns, name="columns"),
    path("s/<slug:server>", server.server, name="server"),
    path("s/<slug:server>/add", preferences.add, name="queue_add"),
    path("trash", trash.trash, name="trash"),
    path("q/<slug:server>/<name:queue>/undo/<name:op_id>", undo.undo, name="undo"),
    path("q/<slug:server>/<name:queue>/job/<name:job>/raw", job.job_raw, name="job_raw"),
    path("q/<slug:server>/<name:queue>/job/<name:job>/logs", job.job_logs, name="job_logs"),
    path("q/<slug:server>/<name:queue>/job/<name:job>/trail", job.job_trail, name="job_trail"),
    path("q/<slug:server>/<name:queue>/job/<name:job>/history", job_history, name="job_history"),
    path("q/<slug:server>/<name:queue>/job/<name:job>", job.job, name="job"),
    path("q/<slug:server>/<name:queue>/job", queue.open_job, name="queue_open"),
    path("q/<slug:server>/<name:queue>/scheduled", queue.scheduled, name="queue_scheduled"),
    path("q/<slug:server>/<name:queue>/lanes", lanes.lanes, name="queue_lanes"),
    path("q/<slug:server>/<name:queue>/repeat", repeatables.repeatables, name="queue_repeat"),
    path("q/<slug:server>/<name:queue>/settings", preferences.settings, name="queue_settings"),
    path("q/<slug:server>/<name:queue>/hide", preferences.hide, name="queue_hide"),
    path("q/<slug:server>/<name:queue>/forget", preferences.forget, name="queue_forget"),
    path("q/<slug:server>/<name:queue>/active", queue.active, name="queue_active"),
    path("q/<slug:server>/<name:queue>/pending", queue.pending, name="queue_pending"),
    path("q/<slug:server>/<name:queue>/dead", queue.dead, name="queue_dead"),
    path("q/<slug:server>/<name:queue>/audit", queue.audit, name="queue_audit"),
    path("q/<slug:server>/<name:queue>/chart", queue_chart.queue_chart, name="queue_chart"),
    path("q/<slug:server>/<name:queue>/sweep", lapsed.sweep, name="sweep"),
    path("q/<slug:server>/<name:queue>/reap", lapsed.reap, name="reap"),
    path("q/<slug:server>/<name:queue>/reap_group", lapsed.reap_group, name="reap_group"),
    path("q/<slug:server>/<name:queue>/<verb:verb>", acting.act, name="act"),
    path("q/<slug:server>/<name:queue>", queue.queue, name="queue"),
]
