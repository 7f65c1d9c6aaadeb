"""What the page of a job draws of many fields: a page of any row stays small."""

from __future__ import annotations

import pytest

from tests.console.scene import HX, A, tags, text
from tests.console.test_job import poll

URL = f"/q/prod/orders/job/{A}"


def get(browser) -> str:
    answer = browser().get(URL)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(("size", "most"), [(100, 250_000), (1_020, 250_000), (3_000, 400_000)])
def test_of_290_fields_so_many_are_shown_as_fit_and_the_others_by_size(scene, browser, size, most):
    scene.dead(A)
    scene.store.hset(scene.key(f"job:{A}"), mapping={f"f{n}": '"<' * size for n in range(290)})
    html = get(browser)
    assert len(poll(browser, html)) < 250_000
    assert len(html) < most
    assert "Payload" in text(html)
    raw = [a["href"] for tag, a in tags(html) if tag == "a" and "/raw?field=f" in a.get("href", "")]
    if size > 100:
        assert len(raw) == 290
        assert "bytes, not shown here" in text(html)


def test_long_fields_are_drawn_once_and_only_so_many(scene, browser):
    scene.dead(A, payload=b'["\x01"' + b',"\x01"' * 80_000 + b"]")
    fields = {f"f{n}": b'["\x01"' + b',"\x01"' * 15_000 + b"]" for n in range(30)}
    scene.store.hset(scene.key(f"job:{A}"), mapping=fields)
    html = get(browser)
    assert len(html) < 1_300_000
    assert len(poll(browser, html)) < 100_000


def test_a_name_that_hides_the_other_fields_is_told(scene, browser):
    scene.dead(A)
    scene.store.hset(scene.key(f"job:{A}"), mapping={"x" * 5_000_000: "v", "y": "v"})
    said = text(browser().get(URL, headers=HX).content.decode())
    assert "2 more fields" in said


def test_children_are_links_as_far_as_an_address_can_carry_their_ids(scene, browser):
    scene.dead(A)
    ids = {"a": "", "b" + "x" * 9_000: "", "c" + "x" * 15_000: ""}
    scene.store.hset(scene.key(f"job:{A}:processed"), mapping=ids)
    html = get(browser)
    assert 'href="/q/prod/orders/job/a"' in html
    assert "/job/bx" not in html
    assert "(9,001 bytes)" in text(html)
    assert "and 1 more, too many or too long to list here" in text(html)
