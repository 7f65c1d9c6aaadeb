"""Who may see and do what, route by route, and what may change a queue at all."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver, reverse

from echomq_admin.emq import EchoMQ
from tests.console.scene import A, B, C, Scene, dump, keys_of, text, value

ROLES = ("anonymous", "nobody", "viewer", "operator", "admin")
# A POST that may change the store comes last.
METHODS = ("GET", "HEAD", "POST without token", "POST")


@dataclass(frozen=True)
class Route:
    """What a route takes: the arguments of its address, and the least role for GET and for POST,
    `None` where it refuses the method. `moves`: a POST changes the store."""

    where: tuple[str, ...] = ("prod", "orders")
    get: str | None = "viewer"
    post: str | None = None
    moves: bool = False


JOB = ("prod", "orders", A)
ROUTES = {
    "overview": Route(()),
    "find": Route(()),
    "columns": Route(("dead",), get=None, post="viewer"),
    "server": Route(("prod",)),
    "queue_add": Route(("prod",), get="operator", post="operator"),
    "queue": Route(),
    "queue_active": Route(),
    "queue_pending": Route(),
    "queue_scheduled": Route(),
    "queue_dead": Route(),
    "queue_lanes": Route(),
    "queue_repeat": Route(),
    "queue_audit": Route(),
    "queue_chart": Route(),
    "queue_open": Route(),
    "queue_settings": Route(post="admin"),
    "queue_hide": Route(get=None, post="admin"),
    "queue_forget": Route(get=None, post="operator"),
    "job": Route(JOB),
    "job_raw": Route(JOB),
    "job_logs": Route(JOB),
    "job_trail": Route(JOB),
    "job_history": Route(JOB),
    "stalls": Route(()),
    "stalls_shape": Route(()),
    "stalls_csv": Route(()),
    "stalls_ndjson": Route(()),
    "trail": Route(()),
    "trail_csv": Route(()),
    "trail_ndjson": Route(()),
    "trash": Route(()),
    "undo": Route(("prod", "orders", "call-1"), get=None, post="operator", moves=True),
}
OPEN = ("healthz", "login", "logout")
# test_access_acting.py has a row for each verb, whose rights and confirmations differ.
BY_VERB = ("act", "sweep", "reap", "reap_group")


@pytest.fixture
def filled(scene) -> Scene:
    """A dead job, a lapsed one, and one that was requeued by the call `call-1`."""
    scene.dead(A)
    scene.active(B, -1_000)
    scene.dead(C)
    EchoMQ(scene.store).requeue("orders", [C], actor="somebody", op_id="call-1")
    return scene


def address(route: str) -> str:
    return reverse(route, args=ROUTES[route].where if route in ROUTES else [])


def send(browser, role: str, method: str, route: str):
    who = browser(role, enforce_csrf_checks=True)
    data = {"only": f"3:0:{A}", "max_stalled": 2, "limit": 100, "hidden": 1, "name": "more"}
    if method == "POST":
        data["csrfmiddlewaretoken"] = token(who)
    verb = method.split(maxsplit=1)[0].lower()
    return getattr(who, verb)(address(route), data if verb == "post" else {"id": A})


def token(who: Client) -> str:
    """A token of the session, as a form of the sign-in page or of a list would carry it."""
    html = who.get(address("login"), follow=True).content.decode()
    return value(html, "csrfmiddlewaretoken") if "csrfmiddlewaretoken" in html else ""


def expected(route: str, role: str, method: str) -> set[int]:
    if method == "POST without token":
        return {403}
    if route == "healthz":
        return {405} if method == "POST" else {200}
    if route in OPEN:
        return {200, 302, 405}
    least = ROUTES[route].post if method == "POST" else ROUTES[route].get
    if least is None:
        return {405}
    if role == "anonymous":
        return {302}
    return {200, 302} if ROLES.index(role) >= ROLES.index(least) else {403}


def moves(route: str, role: str, method: str) -> bool:
    """Whether the store may differ afterwards."""
    if route not in ROUTES or method != "POST" or not ROUTES[route].moves:
        return False
    return ROLES.index(role) >= ROLES.index(ROUTES[route].post or "admin")


def allowed_methods(route: str) -> str:
    """The header that a refused method is answered with."""
    of = ROUTES[route]
    return ", ".join(["GET", "HEAD"] * (of.get is not None) + ["POST"] * (of.post is not None))


@pytest.mark.parametrize("route", [*ROUTES, *OPEN])
@pytest.mark.parametrize("role", ROLES)
def test_a_route_answers_whom_it_may_and_changes_what_it_may(filled, browser, route, role):
    for method in METHODS:
        before = dump(filled.store)
        answer = send(browser, role, method, route)
        assert answer.status_code in expected(route, role, method), method
        assert (dump(filled.store) != before) == moves(route, role, method), method
        if route in ROUTES and answer.status_code == 405:
            assert answer["Allow"] == allowed_methods(route)
        if route in ROUTES and role == "anonymous" and answer.status_code == 302:
            assert answer["Location"].startswith("/login/?next=")


def test_every_route_is_in_the_table_above():
    assert {name for name in get_resolver().reverse_dict if isinstance(name, str)} == {
        *ROUTES,
        *OPEN,
        *BY_VERB,
    }


@pytest.mark.parametrize("role", ["operator", "admin"])
@pytest.mark.parametrize("route", [name for name in ROUTES if ROUTES[name].moves])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_read_only_console_or_server_changes_nothing(
    filled, browser, settings, server_url, is_whole, route, role
):
    if is_whole:
        settings.EMQ_READ_ONLY = True
    else:
        settings.EMQ_SERVERS = f"prod={server_url}?read_only=1"
    before = dump(filled.store)
    for method in METHODS:
        send(browser, role, method, route)
        assert dump(filled.store) == before, method


def test_a_read_only_console_says_why_and_offers_nothing(scene, browser, settings):
    settings.EMQ_READ_ONLY = True
    scene.dead(A)
    html = browser("admin").get("/q/prod/orders/dead").content.decode()
    assert "Read-only." in text(html)
    assert "EMQ_READ_ONLY" in text(html)
    assert keys_of(html) == {}
    assert "Sweep…" not in text(html)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_the_sign_in_page_leads_back_to_what_was_asked_for(scene, browser, method):
    scene.dead(A)
    answer = browser("anonymous").generic(method, "/q/prod/orders/dead?rows=50")
    assert answer["Location"] == "/login/?next=/q/prod/orders/dead%3Frows%3D50"


def test_a_sign_in_leads_on_and_never_to_another_host(prod):
    User.objects.create_user("olena", password="long enough 1")
    for asked, location in (
        ("/?sort=-dead", "/?sort=-dead"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("javascript:alert(1)", "/"),
    ):
        data = {"username": "olena", "password": "long enough 1", "next": asked}
        assert Client().post("/login/", data)["Location"] == location
        page = Client().get("/login/", {"next": asked})
        assert value(page.content.decode(), "next") == (asked if location == asked else "")


def test_a_wrong_password_is_said_and_the_name_stays(prod):
    answer = Client().post("/login/", {"username": "<b>olena</b>", "password": "no"})
    html = answer.content.decode()
    assert 'role="alert"' in html
    assert value(html, "username") == "<b>olena</b>"
    assert "<b>olena" not in html


def test_a_user_without_a_role_is_told_what_is_missing(prod, browser):
    answer = browser("nobody").get("/")
    assert answer.status_code == 403
    said = text(answer.content.decode())
    assert "it takes the role viewer. Ask an admin of the console." in said
    assert "viewer, operator or admin" not in said


def test_a_missing_role_is_named_and_leaves_no_traceback_in_the_log(scene, browser, caplog):
    for headers in ({}, {"HX-Request": "true", "HX-Target": "live"}):
        answer = browser("viewer").post("/q/prod/orders/requeue", headers=headers)
        assert answer.status_code == 403
        said = text(answer.content.decode())
        assert "viewer-olena may not use Requeue: it takes the role operator." in said
        assert "operations." not in said
    assert [record for record in caplog.records if record.exc_info] == []


def test_signing_out_ends_the_session(prod, browser):
    who = browser("viewer")
    assert who.post("/logout/")["Location"] == "/login/"
    assert who.get("/").status_code == 302


def test_a_refused_origin_names_the_settings_that_mend_it(scene, browser):
    who = browser("operator", enforce_csrf_checks=True)
    for origin in ("https://console.example.org", "null"):
        answer = who.post("/q/prod/orders/requeue", {}, headers={"Origin": origin}, secure=False)
        assert answer.status_code == 403
        assert "EMQ_ORIGINS" in text(answer.content.decode())
        assert "EMQ_TLS_PROXY" in text(answer.content.decode())


def test_answers_carry_the_policy_and_are_kept_by_no_cache(scene, browser):
    scene.dead(A)
    answer = browser("viewer").get("/q/prod/orders/dead")
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert "no-store" in answer["Cache-Control"]
    assert "HX-Request" in answer["Vary"]


def test_a_browser_without_sign_in_learns_nothing_of_the_servers(scene, browser):
    Scene(scene.store, "orders").dead(A)
    for path in ("/login/", "/nowhere", "/healthz"):
        assert "orders" not in browser("anonymous").get(path).content.decode()
