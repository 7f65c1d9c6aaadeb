"""Every address of the console: who is let in, which methods it takes, and what is not there."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.urls import URLPattern, reverse

from echomq_admin.console.urls import urlpatterns
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import HX, A, B, C, G, dump, raw, tags

WHERE = {"server": "prod", "queue": "orders", "job": A, "tab": "dead"}
OPEN = {"login", "logout", "healthz"}
FORMS = {"requeue", "queue_hide", "queue_forget", "columns"}
BOTH = {"sweep", "queue_settings", "queue_add"}
LEADS_ON = {"queue", "queue_open"}
# What a job that is gone left behind can still be looked at, whether or not there is anything.
LEFT = {"job_logs", "job_trail"}
PATTERNS: dict[str, URLPattern] = {
    pattern.name: pattern for pattern in urlpatterns if pattern.name not in OPEN
}
PAGES = sorted(PATTERNS.keys() - FORMS - BOTH)
READ = sorted(PATTERNS.keys() - FORMS)
GUARDED = sorted(PATTERNS)
WORDS = (
    *("q", "cursor", "sort", "order", "did", "rows", "at", "in", "lane", "server", "page"),
    *("before", "limit", "max_stalled"),
)
HOSTILE = [
    "<iMg SrC=x OnErRoR=alert(1)>",
    '"><script>1</script>',
    "{{7*7}}",
    "nope",
    "a*[b]?",
    "\udcff\x00",
    "a}b",
    "x" * 2_000,
]


def wanted(route: str) -> set[str]:
    return set(PATTERNS[route].pattern.converters)


def address(route: str, **other: str) -> str:
    here = {**WHERE, **other}
    path = reverse(route, kwargs={name: here[name] for name in wanted(route)})
    return f"{path}?id={A}" if route == "queue_open" else path


def is_let_in(status: int) -> bool:
    return status not in {302, 401, 403}


@pytest.fixture
def filled(scene):
    """The queue with a job in every state."""
    scene.dead(A)
    scene.active(B, -1_000)
    scene.pending(C, group=G)
    discovery.discover(servers.server("prod"))
    return scene


@pytest.mark.parametrize("route", GUARDED)
def test_a_browser_that_is_not_signed_in_is_led_to_the_sign_in_page(filled, browser, route):
    for method in ("GET", "POST"):
        before = dump(filled.store)
        answer = browser("anonymous").generic(method, address(route))
        assert answer.status_code in {302, 405}
        if answer.status_code == 302:
            assert answer["Location"].startswith("/login/?next=")
        assert dump(filled.store) == before


@pytest.mark.parametrize("route", GUARDED)
def test_a_user_without_a_role_is_refused(filled, browser, route):
    before = dump(filled.store)
    statuses = {browser("nobody").generic(m, address(route)).status_code for m in ("GET", "POST")}
    assert statuses <= {403, 405}
    assert 403 in statuses
    assert dump(filled.store) == before


@pytest.mark.parametrize("route", PAGES)
def test_a_page_takes_no_form(filled, browser, route):
    answer = browser("admin").post(address(route), {"only": A})
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("route", sorted(FORMS))
def test_a_form_is_no_page(filled, browser, route):
    before = dump(filled.store)
    for method in ("GET", "HEAD"):
        answer = browser("admin").generic(method, address(route))
        assert answer.status_code == 405
        assert answer["Allow"] == "POST"
    assert dump(filled.store) == before


@pytest.mark.parametrize("route", sorted(FORMS | BOTH))
def test_a_form_that_no_page_of_the_console_made_is_refused(filled, browser, route):
    before = dump(filled.store)
    who = browser("admin", enforce_csrf_checks=True)
    assert who.post(address(route), {"only": f"3:0:{A}", "name": "x"}).status_code == 403
    assert dump(filled.store) == before


@pytest.mark.parametrize("route", READ)
def test_a_page_is_read_whole_in_part_and_by_its_head_and_changes_nothing(filled, browser, route):
    before = dump(filled.store)
    who, good = browser("admin"), {302} if route in LEADS_ON else {200}
    for method, headers in (("GET", {}), ("HEAD", {}), ("GET", HX)):
        answer = who.generic(method, address(route), headers=headers)
        assert answer.status_code in good
        assert (method == "GET") or not answer.content
    assert dump(filled.store) == before


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    ("route", "part"),
    [(route, part) for route in READ for part in sorted(wanted(route) & {"queue", "job"})],
)
def test_what_is_not_there_is_not_found_said_in_plain_and_made_by_nobody(
    filled, browser, route, part, name
):
    before = dump(filled.store)
    who = browser("admin")
    code = to_url(name)
    path = address(route).replace(
        f"/{WHERE[part]}", f"/{quote(code)}" if code.startswith("~") else f"/{code}", 1
    )
    for headers in ({}, HX):
        answer = who.get(path, headers=headers, follow=True)
        is_told = route in LEFT or (route in {"job", "queue_open"} and headers)
        assert answer.status_code == (200 if is_told else 404), path
        assert_plain(answer, name)
    assert dump(filled.store) == before


@pytest.mark.parametrize("name", ["<b>x</b>", "nope", '"><script>', "PROD", "..", "x" * 2_000])
@pytest.mark.parametrize("route", [route for route in READ if "server" in wanted(route)])
def test_a_server_that_is_not_there_is_not_found(filled, browser, route, name):
    path = address(route).replace("/prod", f"/{quote(name, safe='')}", 1)
    answer = browser("admin").get(path, follow=True)
    assert answer.status_code == 404
    assert_plain(answer, name)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("route", sorted(set(READ) - LEADS_ON - {"job_raw"}))
def test_a_query_of_any_bytes_is_a_text(filled, browser, route, name):
    answer = browser("admin").get(address(route), dict.fromkeys(WORDS, raw(name)))
    assert answer.status_code in {200, 302}
    assert_plain(answer, name)


def assert_plain(answer, name: str) -> None:
    html = answer.content.decode()
    if answer["Content-Type"].startswith("text/plain"):
        assert answer["X-Content-Type-Options"] == "nosniff"
        return
    if "<" in name:
        assert name not in html
    assert "\udcff" not in html
    for tag, attrs in tags(html):
        assert tag != "img"
        assert tag != "script" or attrs.get("src")
        assert not any(word.startswith("on") for word in attrs)
