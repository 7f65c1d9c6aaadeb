"""Addresses that a person wrote by hand: each leads to the very thing that it names."""

from __future__ import annotations

from urllib.parse import quote_from_bytes, unquote_to_bytes

import pytest
from django.test import RequestFactory

from echomq_admin.console.addresses import PATH_AS_IT_CAME
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from echomq_admin.wsgi import application
from tests.console.scene import A, Scene, dump, raw, text

BYTES = ["\udcff", "a\udcff b", "é\udcc3", "\udcff/\udcfe"]


def as_it_came(path: str) -> dict[str, str]:
    """What the door of the console adds to a request for this path."""
    return {PATH_AS_IT_CAME: unquote_to_bytes(path.partition("?")[0]).decode("iso-8859-1")}


def led(answer) -> str:
    assert answer.status_code == 302
    return answer["Location"]


@pytest.mark.parametrize("job_id", BYTES)
def test_an_id_of_bytes_and_one_with_percent_signs_are_opened_apart(scene, browser, job_id):
    spelled = quote_from_bytes(raw(job_id), safe="/")
    scene.dead(job_id, payload="bytes")
    scene.dead(spelled, payload="signs")
    who = browser("viewer")
    page = f"/q/prod/orders/job/{spelled}"
    assert led(who.get(f"{page}?a=1&b=%FF", **as_it_came(page))) == (
        f"/q/prod/orders/job/{to_url(job_id)}?a=1&b=%FF"
    )
    assert "bytes" in text(who.get(f"/q/prod/orders/job/{to_url(job_id)}").content.decode())
    page = page.replace("%", "%25")
    signs = who.get(page, **as_it_came(page))
    assert signs.status_code == 200
    assert "signs" in text(signs.content.decode())


def test_a_queue_of_bytes_and_one_with_percent_signs_are_opened_apart(prod, browser):
    Scene(prod, "\udcff").dead(A)
    Scene(prod, "%FF").dead("JOBother")
    who = browser("viewer")
    assert (
        led(who.get("/q/prod/%FF/dead", **as_it_came("/q/prod/%FF/dead")))
        == f"/q/prod/{to_url(chr(0xDCFF))}/dead"
    )
    assert "JOBother" in who.get("/q/prod/%25FF/dead").content.decode()


def test_nothing_is_done_to_the_queue_with_percent_signs_by_an_address_of_bytes(prod, browser):
    Scene(prod, "%FF").dead(A)
    before = dump(prod)
    came = as_it_came("/q/prod/%FF/requeue")
    answer = browser("operator").post("/q/prod/%FF/requeue", {"only": f"1:0:{A}"}, **came)
    assert answer.status_code == 404
    assert dump(prod) == before


def test_the_door_of_the_console_tells_bytes_from_percent_signs(prod):
    said = []
    for path in ("/q/prod/%FF/dead", "/q/prod/%25FF/dead"):
        environ = RequestFactory().get(path).environ
        environ["PATH_INFO"] = unquote_to_bytes(path).decode("iso-8859-1")
        application(environ, lambda _status, headers: said.append(dict(headers)["Location"]))
    assert said == [f"/q/prod/{to_url(chr(0xDCFF))}/dead", "/login/?next=/q/prod/%2525FF/dead"]


def test_a_name_with_a_line_feed_can_be_written_by_hand(prod, browser):
    scene = Scene(prod, "a\nb")
    scene.dead("x\ny", payload="found")
    answer = browser("viewer").get("/q/prod/a%0Ab/job/x%0Ay")
    assert answer.status_code == 200
    assert "found" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "queue", "tab"),
    [
        ("x/job", "x/job", ""),
        ("x/job/dead", "x/job", "/dead"),
        ("x/job/y", "x/job/y", ""),
        ("x/dead", "x/dead", ""),
    ],
)
def test_an_address_that_reads_as_a_job_of_no_queue_leads_to_the_queue_it_names(
    prod, browser, path, queue, tab
):
    Scene(prod, queue).dead(A)
    discovery.discover(servers.server("prod"))
    assert led(browser("viewer").get(f"/q/prod/{path}")) == f"/q/prod/{to_url(queue)}{tab}"


def test_an_address_stays_what_it_reads_as_while_its_queue_is_known(prod, browser):
    Scene(prod, "x").dead(A)
    Scene(prod, "x/job").dead(A)
    discovery.discover(servers.server("prod"))
    assert browser("viewer").get("/q/prod/x/job/dead").status_code == 404
    assert browser("viewer").get("/q/prod/nope/job/dead").status_code == 404


NUL_FIELDS = "q at zone sort cursor server only order in rows hidden history from to who text lane"


@pytest.mark.parametrize(
    "path",
    ["/", "/stalls", "/trail", "/trash"]
    + [f"/q/prod/orders/{tab}" for tab in ("audit", "lanes", "pending", "active", "dead")],
)
def test_a_nul_in_an_address_is_never_in_its_page(scene, browser, path):
    scene.dead(A)
    for field in NUL_FIELDS.split():
        answer = browser("viewer").get(path, {field: "a\0b"}, follow=True)
        assert answer.status_code == 200, field
        assert "\0" not in answer.content.decode(), field


def test_a_text_with_a_nul_stands_in_its_field_with_a_sign_for_it(scene, browser):
    scene.dead(A)
    for path in ("/", "/q/prod/orders/lanes"):
        html = browser("viewer").get(path, {"q": "a\0b"}).content.decode()
        assert 'value="a\ufffdb"' in html
