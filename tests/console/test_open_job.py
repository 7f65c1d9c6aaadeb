"""Opening a job by its id."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.urls import resolve

from echomq_admin.console import words
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import A, rows, tags, text

URL = "/q/prod/orders/job"
ODD = (
    "user/234",
    "a%2Fb",
    "a b",
    "ü",
    "..",
    "?x=1#y",
    "JOB\udcff\x00/",
    "~x y",
    "<b>",
    "x" * 4_096,
)


def opened(answer) -> str:
    """The job whose page an answer leads to."""
    assert answer.status_code == 302
    return resolve(answer["Location"]).kwargs["job"]


def test_a_plain_id_leads_to_its_page(scene, browser):
    scene.dead(A)
    assert browser("viewer").get(URL, {"id": f" {A}\n"})["Location"] == f"/q/prod/orders/job/{A}"


@pytest.mark.parametrize("job_id", ODD, ids=ascii)
def test_an_id_of_any_bytes_leads_to_its_page(scene, browser, job_id):
    scene.dead(job_id)
    typed = quote(job_id.encode("utf-8", "surrogateescape"))
    assert opened(browser("viewer").get(f"{URL}?id={typed}")) == job_id
    assert opened(browser("viewer").get(URL, {"id": to_url(job_id)})) == job_id


def test_a_tilde_before_base64_is_the_form_of_a_name(scene, browser):
    scene.dead("ab")
    scene.dead("~YWI")
    assert opened(browser("viewer").get(URL, {"id": "~YWI"})) == "ab"
    assert opened(browser("viewer").get(URL, {"id": to_url("~YWI")})) == "~YWI"


def test_the_id_without_a_name_opens_by_its_form(scene, browser):
    scene.dead("")
    assert opened(browser("viewer").get(URL, {"id": "~"})) == ""


def test_what_is_no_job_of_the_queue_leads_to_the_search(scene, browser):
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    answer = browser("viewer").get(URL, {"id": A[:8]})
    assert answer["Location"] == f"/find?q={A[:8]}"
    answer = browser("viewer").get(answer["Location"], follow=True)
    assert A in text(answer.content.decode())


def test_an_id_without_a_row_leads_to_its_page_while_a_set_holds_it(scene, browser):
    scene.store.zadd(scene.key("dead"), {A: 0})
    assert opened(browser("viewer").get(URL, {"id": A})) == A


@pytest.mark.parametrize(("query", "said"), [("", "No id was typed"), ("?id=+", "No id was typed")])
def test_nothing_typed_is_said(prod, browser, query, said):
    answer = browser("viewer").get(URL + query)
    assert answer.status_code == 400
    assert said in text(answer.content.decode())


def test_an_id_too_long_for_an_address_is_said(scene, browser):
    answer = browser("viewer").get(URL, {"id": "x" * 9_000})
    assert answer.status_code == 400
    assert words.TOO_LONG in text(answer.content.decode())


@pytest.mark.parametrize("tab", ["pending", "active", "scheduled", "dead"])
@pytest.mark.parametrize("job_id", [A, *ODD, ""], ids=ascii)
def test_every_row_opens_exactly_its_job(scene, browser, tab, job_id):
    scene.row(job_id)
    name = {"scheduled": "schedule"}.get(tab, tab)
    scene.store.zadd(scene.key(name), {job_id.encode("utf-8", "surrogateescape"): 0})
    html = browser("viewer").get(f"/q/prod/orders/{tab}").content.decode()
    (href,) = [a["href"] for tag, a in tags(html) if tag == "a" and "data-open" in a]
    match = resolve(href)
    assert (match.url_name, match.kwargs["job"]) == ("job", job_id)


def test_an_id_too_long_for_an_address_is_no_link_and_says_why(scene, browser):
    scene.pending("x" * 9_000)
    html = browser("viewer").get("/q/prod/orders/pending").content.decode()
    assert "data-open" not in html
    assert "too long for a link" in rows(html)[0]
