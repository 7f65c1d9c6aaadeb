"""The columns of a list: chosen by a person, and remembered for them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from echomq_admin.console.models import ColumnChoice
from tests.console.scene import A, dump, rows, tags, text, value

LISTS = ("pending", "active", "scheduled", "dead")
FIELDS = {
    "attempts": "41",
    "stalled": "3",
    "group": "tenant-7",
    "last_error": "smtp timeout",
    "payload": "the payload",
    "progress": "half of it",
    "parent": "JOB0KHTOWnGLuP",
    "state": "weird",
}


@pytest.fixture
def full(scene):
    """One job in every list, with every field."""
    scene.row(A, **FIELDS)
    for name in ("pending", "dead", "active", "schedule"):
        is_time = name in {"active", "schedule"}
        scene.store.zadd(scene.key(name), {A: scene.now_ms() + 60_000 if is_time else 0})
    return scene


def get(who, tab: str) -> str:
    answer = who.get(f"/q/prod/orders/{tab}?rows=50")
    assert answer.status_code == 200
    return answer.content.decode()


def heads(html: str) -> list[str]:
    head = html.split('<table class="rows')[1].split("</thead>", maxsplit=1)[0]
    return [text(part.partition(">")[2]).strip() for part in head.split("<th ")[1:]]


def menu(html: str) -> dict[str, bool]:
    boxes = [a for tag, a in tags(html) if tag == "input" and a.get("name") == "column"]
    return {a["value"]: "checked" in a for a in boxes}


@pytest.mark.parametrize("tab", LISTS)
def test_each_list_offers_what_a_row_has_and_shows_what_is_ticked(full, browser, tab):
    html = get(browser("viewer"), tab)
    offered = menu(html)
    assert {"minted", "attempts", "stalls", "lane", "error", "payload"} <= offered.keys()
    assert {"progress", "parent", "state"} <= offered.keys()
    assert ("deadline" in offered) == (tab == "active")
    assert len(heads(html)) == 1 + sum(offered.values())
    (row,) = rows(html)
    assert "half of it" not in row


@pytest.mark.parametrize("tab", LISTS)
def test_a_choice_is_drawn_in_heading_and_row_alike_and_kept_in_every_browser(full, browser, tab):
    who = browser("viewer")
    html = get(who, tab)
    for name in menu(html):
        who.post(f"/columns/{tab}", {"column": [name]})
        html = get(browser("viewer"), tab)
        assert [n for n, is_shown in menu(html).items() if is_shown] == [name]
        assert len(heads(html)) == 2
        row = html.split("data-row")[1].split("</tr>")[0]
        assert row.count("<td") == 2
        assert A in text(row)


@pytest.mark.parametrize("tab", LISTS)
def test_everything_can_be_shown_and_nothing_but_the_id(full, browser, tab):
    who = browser("viewer")
    every = list(menu(get(who, tab)))
    who.post(f"/columns/{tab}", {"column": every})
    (row,) = rows(get(who, tab))
    for part in FIELDS.values():
        assert part in row
    who.post(f"/columns/{tab}", {})
    html = get(who, tab)
    assert len(heads(html)) == 1
    assert A in rows(html)[0]


def test_the_usual_columns_come_back(full, browser):
    who = browser("viewer")
    before = menu(get(who, "dead"))
    who.post("/columns/dead", {"column": ["state"]})
    assert "The usual ones" in text(get(who, "dead"))
    who.post("/columns/dead", {"column": ["state"], "usual": "1"})
    assert menu(get(who, "dead")) == before
    assert not ColumnChoice.objects.exists()


def test_a_choice_is_of_one_person_and_one_list(full, browser):
    mine, other = browser("viewer"), browser("operator")
    before = menu(get(other, "dead")), menu(get(mine, "pending"))
    mine.post("/columns/dead", {"column": ["state"]})
    assert (menu(get(other, "dead")), menu(get(mine, "pending"))) == before


def test_a_choice_of_unknown_columns_chooses_nothing_else(full, browser):
    who = browser("viewer")
    who.post("/columns/dead", {"column": ["name", "<b>", "minted", "minted"]})
    assert ColumnChoice.objects.get().names == ["minted"]
    User.objects.all().delete()
    assert not ColumnChoice.objects.exists()


def test_the_form_leads_back_to_the_list_as_it_was(full, browser):
    who = browser("viewer")
    html = get(who, "dead")
    answer = who.post("/columns/dead", {"column": "error", "next": value(html, "next")})
    assert answer["Location"] == "/q/prod/orders/dead?rows=50"


@pytest.mark.parametrize(
    "address",
    ["", "//evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example"],
)
def test_it_leads_to_no_other_host(full, browser, address):
    answer = browser("viewer").post("/columns/dead", {"next": address})
    assert answer["Location"] == "/"


def test_only_a_post_with_a_token_of_one_who_may_look_is_kept(full, browser):
    before = dump(full.store)
    assert browser("viewer").get("/columns/dead").status_code == 405
    assert browser("viewer", enforce_csrf_checks=True).post("/columns/dead").status_code == 403
    assert browser("nobody").post("/columns/dead").status_code == 403
    assert browser("anonymous").post("/columns/dead")["Location"].startswith("/login/")
    assert browser("viewer").post("/columns/nowhere").status_code == 404
    assert not ColumnChoice.objects.exists()
    assert dump(full.store) == before


def test_a_broken_row_keeps_its_mark_whatever_is_shown(scene, browser):
    scene.store.zadd(scene.key("dead"), {A: 0})
    who = browser("viewer")
    who.post("/columns/dead", {})
    (row,) = rows(get(who, "dead"))
    assert "row missing" in row
    assert f"manage.py emq remove --as NAME --yes prod/orders {A}" in row


def test_the_columns_of_lanes_are_chosen_and_remembered_too(scene, browser):
    scene.pending(A, group="acme")
    scene.store.hset(scene.key("glimit"), "acme", 7)
    who = browser("viewer")
    html = get(who, "lanes")
    assert list(menu(html)) == ["ring", "depth", "oldest", "in_flight", "limit", "weight"]
    assert heads(html)[:3] == ["Lane", "Ring", "Waiting"]
    back = "/q/prod/orders/lanes?sort=-depth"
    answer = who.post("/columns/lanes", {"column": ["depth", "limit"], "next": back})
    assert answer["Location"] == back
    chosen = get(who, "lanes")
    assert heads(chosen) == ["Lane", "Waiting", "Limit"]
    assert rows(chosen)[0].split() == ["acme", "1", "7"]
    who.post("/columns/lanes", {"usual": "1", "next": back})
    assert len(heads(get(who, "lanes"))) == 7
