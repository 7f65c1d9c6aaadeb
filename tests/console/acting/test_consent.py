"""The server acts on what a person was shown and confirmed, and on nothing beyond it."""

from __future__ import annotations

import time

import pytest
from django.core import signing

from echomq_admin.fleet.names import to_url
from tests.console.scene import A, B, C, dump

CHANGED = "Nothing was changed"


@pytest.fixture
def three(scene):
    for job_id in (A, B, C):
        scene.pending(job_id)
    return scene


def test_a_confirmation_that_is_sent_as_it_was_shown_is_carried_out(three, asking):
    asking("admin", "bury", A, B).send(reason="poison")
    assert three.members("dead") == [A.encode(), B.encode()]


def test_to_look_at_a_confirmation_changes_nothing(three, browser):
    before = dump(three.store)
    who = browser("admin")
    for verb in ("bury", "remove", "update_payload"):
        assert who.get(f"/q/prod/orders/{verb}?only=0::{A}&force=on").status_code == 200
    assert dump(three.store) == before


@pytest.mark.parametrize("shown", [None, "", "1", "nonsense", "a:b:c", [1], [1, {}, []]])
def test_without_a_summary_of_the_console_it_asks_again(three, asking, shown):
    if isinstance(shown, list):
        shown = signing.dumps(shown, salt="operations.consent", compress=True)
    before = dump(three.store)
    answer = asking("admin", "bury", A, B).send(reason="poison", shown=shown)
    assert answer.asks_again
    assert dump(three.store) == before


def test_what_was_shown_to_another_person_is_no_consent(three, asking):
    theirs = asking("admin", "requeue", A, B)
    mine = asking("operator", "requeue", A, B)
    answer = mine.send(shown=theirs.fields["shown"])
    assert "was not written by the console for you" in answer.says or "not what was shown" in (
        answer.says
    )
    assert CHANGED in answer.says


@pytest.mark.parametrize(
    "job",
    [
        [f"0::{A}", f"0::{C}"],
        [f"0::{A}", f"0::{B}", f"0::{C}"],
        [f"0::{A}"],
        [f"1::{A}", f"0::{B}"],
    ],
    ids=["another job", "one more job", "one job less", "another token"],
)
def test_other_jobs_than_those_shown_are_not_touched(three, asking, job):
    before = dump(three.store)
    answer = asking("admin", "bury", A, B, seen="0:").send(reason="poison", job=job)
    assert answer.asks_again
    assert "What is asked is not what was shown" in answer.says
    assert dump(three.store) == before


def test_the_summary_of_another_action_is_no_consent(three, asking):
    bury = asking("admin", "bury", A, B)
    answer = asking("admin", "remove", A, B).send(shown=bury.fields["shown"], typed="orders")
    assert "What is asked is not what was shown" in answer.says
    assert three.members("pending") == [A.encode(), B.encode(), C.encode()]


def test_the_summary_of_another_queue_is_no_consent(three, asking, browser):
    three.store.zadd("emq:{mail}:pending", {A: 0, B: 0})
    there = browser("admin").post("/q/prod/mail/bury", {"job": [f"::{A}", f"::{B}"]})
    shown = there.content.decode().split('name="shown" value="')[1].split('"')[0]
    answer = asking("admin", "bury", A, B).send(reason="poison", shown=shown)
    assert "What is asked is not what was shown" in answer.says
    assert three.members("dead") == []


def test_a_summary_lasts_an_hour(three, asking, monkeypatch):
    shown = asking("admin", "bury", A, B)
    now = time.time()
    monkeypatch.setattr("django.core.signing.time.time", lambda: now + 3_700)
    answer = shown.send(reason="poison")
    assert "This was shown more than an hour ago" in answer.says
    assert three.members("dead") == []
    again = answer.send(reason="poison")
    assert "2 buried" in again.says


def test_what_has_grown_since_is_asked_about_anew(three, asking):
    three.store.set(three.key(f"job:{A}:lock"), "worker-1")
    shown = asking("admin", "remove", A, B)
    three.store.set(three.key(f"job:{B}:lock"), "worker-2")
    before = dump(three.store)
    answer = shown.send(typed="orders", force="on")
    assert "There is more than was shown (locked: 1 shown, 2 now)" in answer.says
    assert answer.asks_again
    assert dump(three.store) == before
    answer.send(typed="orders", force="on")
    assert three.members("pending") == [C.encode()]


def test_force_is_no_consent_to_what_was_not_shown(three, asking):
    shown = asking("admin", "remove", A, B)
    assert 'name="force"' not in shown.html
    three.store.set(three.key(f"job:{A}:lock"), "worker-1")
    answer = shown.send(typed="orders", force="on")
    assert "There is more than was shown (locked: 0 shown, 1 now)" in answer.says
    assert len(three.members("pending")) == 3


@pytest.mark.parametrize("typed", [None, "", "order", "orders!", "ORDERS"])
def test_the_queue_s_name_is_demanded_by_the_server(three, asking, typed):
    before = dump(three.store)
    shown = asking("admin", "remove", A)
    assert 'name="typed"' not in shown.html
    answer = shown.send(typed=typed, unkept="on")
    assert answer.asks_again
    assert "Type the queue's name, orders, to confirm. Nothing was done." in answer.says
    assert 'name="typed"' in answer.html
    assert dump(three.store) == before
    assert f"{A} removed" in answer.send(typed="orders", unkept="on").says


def test_a_removal_that_can_be_taken_back_needs_no_name(three, asking):
    shown = asking("admin", "remove", A, B)
    assert 'class="btn go harm"' in shown.html
    assert "2 removed" in shown.send().says
    assert three.members("pending") == [C.encode()]


def test_from_a_thousand_jobs_on_a_removal_needs_the_name(scene, asking):
    names = [f"JOB{n:011}" for n in range(1_000)]
    for name in names:
        scene.dead(name)
    shown = asking("admin", "remove", *names)
    assert 'name="typed"' in shown.html
    assert "Type the queue's name, orders" in shown.send().says
    assert len(scene.members("dead")) == 1_000


def test_a_row_s_button_is_no_way_around_a_dialog(three, browser):
    who = browser("admin")
    before = dump(three.store)
    for verb in ("bury", "remove", "recover_now", "update_payload"):
        data = {"only": f"0::{A}", "reason": "poison", "payload": "x", "typed": "orders"}
        assert '<form class="ask"' in who.post(f"/q/prod/orders/{verb}", data).content.decode()
    assert dump(three.store) == before


def test_what_was_typed_stays_when_it_asks_again(three, asking):
    answer = asking("admin", "remove", A, B).send(unkept="on", typed="wrong", reason="too many")
    assert 'name="reason" value="too many"' in answer.html
    assert 'name="unkept" checked' in answer.html
    assert "2 removed" in answer.send(unkept="on", typed="orders").says


def test_a_confirmation_that_is_sent_twice_moves_nothing_twice(three, asking):
    shown = asking("admin", "bury", A, B)
    shown.send(reason="poison")
    three.store.zrem(three.key("dead"), A)
    three.store.zadd(three.key("pending"), {A: 0})
    answer = shown.send(reason="poison")
    assert "2 buried" in answer.says
    assert three.members("dead") == [B.encode()]
    assert three.store.xlen(three.admin + b"audit") == 1


def test_a_summary_is_small_however_much_was_shown(scene, asking):
    names = [f"JOB{n:011}" for n in range(2_000)]
    for name in names:
        scene.dead(name)
    assert len(asking("admin", "remove", *names).fields["shown"]) < 600


def test_no_byte_of_an_id_parts_it_from_the_next(scene, asking):
    """With `a` and `b\\x013\\x00c` shown, `a\\x013\\x00b` and `c` are others."""
    names = ("a", "b\x013\x00c", "a\x013\x00b", "c")
    for name in names:
        scene.dead(name, attempts=3)
    shown = asking("operator", "requeue", *names[:2], seen="3:")
    others = [f"3::{to_url(name)}" for name in names[2:]]
    answer = shown.send(job=others)
    assert "What is asked is not what was shown" in answer.says
    assert len(scene.members("dead")) == 4
