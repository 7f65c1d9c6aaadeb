"""Every address of the console: how it is read, and what is said of what is not there."""

from __future__ import annotations

import itertools
from urllib.parse import quote

import pytest
from django.urls import URLPattern, reverse

from echomq_admin.console.urls import urlpatterns
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import HX, A, B, C, G, dump, raw, tags

WHERE = {"server": "prod", "queue": "orders", "job": A, "verb": "requeue"}
OPEN = {"login", "logout", "healthz"}
FORMS = {"undo", "queue_hide", "queue_forget", "columns"}
LEADS_ON = {"queue", "queue_open"}
# What a job that is gone left behind can still be looked at, whether or not there is anything.
LEFT = {"job_logs", "job_trail"}
PATTERNS: dict[str, URLPattern] = {
    pattern.name: pattern for pattern in urlpatterns if pattern.name not in OPEN
}
READ = sorted(PATTERNS.keys() - FORMS)
WORDS = (
    *("q", "cursor", "sort", "order", "did", "rows", "at", "in", "lane", "server", "page"),
    *("before", "limit", "max_stalled", "only", "job", "op_id", "shown", "typed", "reason"),
    *("back", "look", "group", "reset_stalls"),
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


def address(route: str) -> str:
    path = reverse(route, kwargs={name: WHERE[name] for name in wanted(route)})
    return path + {"queue_open": f"?id={A}", "act": f"?only=3:0:{A}"}.get(route, "")


@pytest.fixture
def filled(scene):
    """The queue with a job in every state."""
    scene.dead(A)
    scene.active(B, -1_000)
    scene.pending(C, group=G)
    discovery.discover(servers.server("prod"))
    return scene


@pytest.mark.parametrize("route", READ)
def test_a_page_is_read_whole_in_part_and_by_its_head_and_changes_nothing(filled, browser, route):
    before = dump(filled.store)
    who, good = browser("admin"), {302} if route in LEADS_ON else {200}
    for method, headers in (("GET", {}), ("HEAD", {}), ("GET", HX)):
        answer = who.generic(method, address(route), headers=headers)
        assert answer.status_code in good
        assert (method == "GET") or not answer.getvalue()
    assert dump(filled.store) == before


@pytest.mark.parametrize(
    ("route", "part"),
    [(route, part) for route in READ for part in sorted(wanted(route) & {"queue", "job"})],
)
def test_what_is_not_there_is_not_found_said_in_plain_and_made_by_nobody(
    filled, browser, route, part
):
    before = dump(filled.store)
    who = browser("admin")
    for name, headers in itertools.product(HOSTILE, ({}, HX)):
        code = to_url(name)
        path = address(route).replace(
            f"/{WHERE[part]}", f"/{quote(code)}" if code.startswith("~") else f"/{code}", 1
        )
        answer = who.get(path, headers=headers, follow=True)
        is_told = route in LEFT or (route == "job" and headers)
        assert answer.status_code == (200 if is_told else 404), path
        assert_plain(answer, name)
    assert dump(filled.store) == before


@pytest.mark.parametrize("route", [route for route in READ if "server" in wanted(route)])
def test_a_server_that_is_not_there_is_not_found(filled, browser, route):
    who = browser("admin")
    for name in ("<b>x</b>", "nope", '"><script>', "PROD", "..", "x" * 2_000):
        path = address(route).replace("/prod", f"/{quote(name, safe='')}", 1)
        answer = who.get(path, follow=True)
        assert answer.status_code == 404, path
        assert_plain(answer, name)


@pytest.mark.parametrize("route", sorted(set(READ) - LEADS_ON - {"job_raw"}))
def test_a_query_of_any_bytes_is_a_text(filled, browser, route):
    who = browser("admin")
    for name in HOSTILE:
        answer = who.get(address(route), dict.fromkeys(WORDS, raw(name)))
        assert answer.status_code in {200, 302}, name
        assert_plain(answer, name)


def assert_plain(answer, name: str) -> None:
    html = answer.getvalue().decode()
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
