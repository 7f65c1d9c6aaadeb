"""What a list offers to whom: only what can work on its jobs, and only what is permitted."""

from __future__ import annotations

import re

import pytest

from echomq_admin.operations.actions import ACTIONS
from tests.console.scene import A, B, C, dump, keys_of, tags, text

NOTHING: set[str] = set()
LISTS = ("pending", "active", "scheduled", "dead")


@pytest.fixture
def everywhere(scene) -> None:
    """A job in every list."""
    scene.pending("JOB0KHTOWnGLuP")
    scene.active("JOB0KHTOWnGLuQ", 60_000)
    scene.row("JOB0KHTOWnGLuR", state="scheduled")
    scene.store.zadd(scene.key("schedule"), {"JOB0KHTOWnGLuR": scene.now_ms() + 60_000})
    scene.dead("JOB0KHTOWnGLuS")


def page(who, tab: str) -> str:
    answer = who.get(f"/q/prod/orders/{tab}")
    assert answer.status_code == 200
    return answer.content.decode()


def verbs(html: str, of: str) -> set[str]:
    """The verbs of the buttons for ticked jobs (`data-ticked`) or of the rows (`only`)."""
    is_wanted = (lambda a: "data-ticked" in a) if of == "ticked" else (lambda a: "name" in a)
    return {
        a["formaction"].rpartition("/")[2]
        for tag, a in tags(html)
        if tag == "button" and "formaction" in a and is_wanted(a)
    }


@pytest.mark.parametrize(
    ("role", "tab", "ticked", "own"),
    [
        *(("viewer", tab, NOTHING, NOTHING) for tab in LISTS),
        ("operator", "pending", NOTHING, NOTHING),
        ("operator", "active", NOTHING, {"recover_now", "extend"}),
        ("operator", "scheduled", {"promote_now"}, {"promote_now"}),
        ("operator", "dead", {"requeue"}, {"requeue"}),
        ("admin", "pending", {"bury", "remove"}, NOTHING),
        ("admin", "active", {"bury", "remove"}, {"recover_now", "extend"}),
        ("admin", "scheduled", {"promote_now", "bury", "remove"}, {"promote_now"}),
        ("admin", "dead", {"requeue", "remove"}, {"requeue"}),
    ],
)
def test_each_list_offers_what_the_role_may_do_there(everywhere, browser, role, tab, ticked, own):
    html = page(browser(role), tab)
    assert verbs(html, "ticked") == ticked
    assert verbs(html, "own") == own
    assert bool(keys_of(html)) is bool(ticked)


@pytest.mark.parametrize("tab", LISTS)
def test_a_read_only_console_offers_nothing_in_any_list(everywhere, browser, settings, tab):
    settings.EMQ_READ_ONLY = True
    html = page(browser("admin"), tab)
    assert "formaction" not in html
    assert keys_of(html) == {}


@pytest.mark.parametrize("tab", LISTS)
def test_an_id_without_a_row_can_be_ticked_and_removed_by_whom_it_is_permitted(scene, browser, tab):
    name = "schedule" if tab == "scheduled" else tab
    scene.store.zadd(scene.key(name), {A: 0})
    html = page(browser("admin"), tab)
    assert verbs(html, "own") == {"remove"}
    assert keys_of(html) == {A: f"::{A}"}
    assert "formaction" not in page(browser("operator"), tab).partition("<tbody")[2]


def test_the_button_of_a_row_without_a_row_asks_before_the_id_goes(scene, browser):
    scene.store.zadd(scene.key("dead"), {A: 0})
    who = browser("admin")
    form = {"only": keys_of(page(who, "dead"))[A], "back": "queue_dead"}
    before = dump(scene.store)
    said = text(who.post("/q/prod/orders/remove", form).content.decode())
    assert "Remove 1 job of orders?" in said
    assert dump(scene.store) == before


@pytest.mark.parametrize(
    ("tab", "verb", "where"),
    [("scheduled", "promote_now", "pending"), ("dead", "requeue", "pending")],
)
def test_a_press_leads_back_to_its_list_as_it_was_looked_at(
    everywhere, scene, browser, tab, verb, where
):
    who = browser("operator")
    html = who.get(f"/q/prod/orders/{tab}?rows=50").content.decode()
    fields = {
        a["name"]: a.get("value") or ""
        for tag, a in tags(html)
        if tag == "input" and a.get("type") == "hidden" and a.get("name") in {"look", "back"}
    }
    (key,) = keys_of(html).values()
    answer = who.post(f"/q/prod/orders/{verb}", fields | {"only": key}, follow=True)
    assert answer.redirect_chain[0][0].startswith(f"/q/prod/orders/{tab}?rows=50&did=")
    assert 'id="outcome"' in answer.content.decode()
    assert len(scene.members(where)) == 2


def test_a_refusal_stands_beside_its_row_in_every_list(scene, browser):
    for job_id in (A, B, C):
        scene.row(job_id, state="scheduled", attempts=1)
        scene.store.zadd(scene.key("schedule"), {job_id: scene.now_ms() + 60_000})
    who = browser("operator")
    key = keys_of(page(who, "scheduled"))[A]
    scene.store.hset(scene.key(f"job:{A}"), "attempts", 2)
    form = {"only": key, "back": "queue_scheduled"}
    answer = who.post("/q/prod/orders/promote_now", form, follow=True)
    row = answer.content.decode().partition(">" + A + "<")[2].partition("</tr>")[0]
    assert "changed meanwhile" in text(row)
    assert scene.members("pending") == []


def test_every_key_means_one_thing_and_the_help_tells_of_all(everywhere, browser):
    html = page(browser("admin"), "dead")
    told = re.findall(r"<kbd>(.+?)</kbd>", html.partition('<dialog id="keys"')[2])
    assert len(set(told)) == len(told)
    assert {action.key for action in ACTIONS.values()} - {""} < set(told)


@pytest.mark.parametrize("tab", LISTS)
def test_the_buttons_carry_the_keys_of_their_actions(everywhere, browser, tab):
    for tag, a in tags(page(browser("admin"), tab)):
        if tag == "button" and "formaction" in a:
            assert a["data-key"] == ACTIONS[a["formaction"].rpartition("/")[2]].key != ""
