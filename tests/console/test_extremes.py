"""Names, entries and headers beyond all measure: a page stays small, an action true."""

from __future__ import annotations

import msgpack
import pytest

from echomq_admin.console import words
from tests.console.scene import HX, A, raw, text
from tests.console.sweeping import sweep

DEAD = "/q/prod/orders/dead"
SMALL = 300_000


def test_ids_of_megabytes_are_cut_and_offer_no_button(scene, browser):
    for n in range(5):
        scene.dead(b"%d" % n + b"x" * 1_000_000)
    scene.dead(A)
    answer = browser().get(DEAD)
    assert len(answer.content) < SMALL
    assert "1,000,001 bytes" in text(answer.content.decode())
    assert answer.content.count(b'name="only"') == 1
    assert answer.content.decode().count(words.TOO_LONG) == 5


def test_a_job_with_a_long_id_is_requeued_and_the_answer_says_so(scene, browser):
    for n in range(60):
        scene.dead(f"{n:02}" + "x" * 3_000)
    who = browser()
    html = who.get(DEAD).content.decode()
    older = html.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    second = who.get(f"{DEAD}{older}").content.decode()
    pressed = second.split('name="only" value="')[1].split('"')[0]
    form = {"only": pressed, "look": older.lstrip("?"), "op_id": "a" * 32}
    answer = who.post(f"{DEAD[:-4]}requeue", form, follow=True)
    assert answer.status_code == 200
    assert scene.store.zcard(scene.key("pending")) == 1
    assert " requeued" in text(answer.content.decode())


def test_a_sweep_of_long_ids_goes_through_without_a_comparison(scene, browser):
    for n in range(200):
        scene.active(f"{n:03}" + "x" * 4_000, -1_000)
    who = browser()
    preview = who.get("/q/prod/orders/sweep?limit=200")
    assert len(preview.content) < SMALL
    answer = sweep(who, query="?limit=200")
    assert answer.status_code == 200
    assert "200 recovered" in text(answer.content.decode())


@pytest.mark.parametrize(
    "fields",
    [
        {b"op": b"x", b"t": b"1", b"n": b"1", b"detail": b"\x81\xa1a" + b"\x91" * 1020 + b"\x01"},
        {b"op": b"\xff" * 100_000, b"t": b"1", b"n": b"1"},
        {b"op": b"x", b"t": b"1", b"detail": msgpack.packb({"a" * 9_000: b"b" * 90_000})},
        {b"op": b"x", b"t": b"1", b"actor": b"z" * 90_000, b"op_id": b"y" * 90_000},
    ],
)
def test_a_foreign_entry_is_cut_where_ours_is_short(scene, browser, fields):
    scene.pending(A)
    scene.store.xadd(scene.admin + raw("audit"), fields)
    answer = browser("viewer").get("/q/prod/orders/audit")
    assert answer.status_code == 200
    assert len(answer.content) < SMALL


@pytest.mark.parametrize("here", ["http://[", "http://[::1", "http://testserver]/", "//evil/x"])
def test_a_current_address_that_is_none_leads_to_the_sign_in_page(scene, browser, here):
    scene.dead(A)
    answer = browser("anonymous").get(DEAD, headers={**HX, "HX-Current-URL": here})
    assert answer.status_code == 200
    assert answer["HX-Redirect"].startswith("/login/")
    assert "//evil" not in answer["HX-Redirect"]
