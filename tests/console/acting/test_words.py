"""What is said afterwards: true numbers, the ids behind each, the way back, and why."""

from __future__ import annotations

import pytest

from echomq_admin.operations.services import Done
from tests.console.acting.conftest import Asking
from tests.console.scene import A, B, C, dump


def test_bury_asks_for_a_reason_and_makes_it_the_error(scene, asking):
    scene.pending(A)
    scene.pending(B)
    shown = asking("admin", "bury", A, B)
    assert shown.html.count('name="reason"') == 1
    answer = shown.send(reason=" ")
    assert answer.asks_again
    assert "Reason must not be empty." in answer.says
    answer = answer.send(reason="poison")
    assert "2 buried" in answer.says
    assert scene.field(A, "last_error") == b"poison"


def test_promote_now_moves_the_ticked_ones_before_their_time(scene, asking):
    for job_id in (A, B, C):
        scene.row(job_id, state="scheduled")
        scene.store.zadd(scene.key("schedule"), {job_id: scene.now_ms() + 10**8})
    scene.store.zrem(scene.key("schedule"), C)
    scene.store.zadd(scene.key("pending"), {C: 0})
    shown = asking("operator", "promote_now", A, C)
    assert "Of 2 jobs, 1 can be promoted now; left as they are: 1 no longer scheduled." in (
        shown.says
    )
    answer = shown.send()
    assert "1 promoted, 1 no longer scheduled" in answer.says
    assert scene.members("schedule") == [B.encode()]


def test_each_number_has_its_jobs(scene, browser):
    from django.http import QueryDict

    from echomq_admin.console.acting import results
    from echomq_admin.console.acting.asked import Asked
    from echomq_admin.console.places import find
    from echomq_admin.operations.actions import ACTIONS

    scene.dead(A)
    form = QueryDict(mutable=True)
    form.setlist("job", [f"3:0:{A}", f"3:0:{B}", f"3:0:{C}"])
    asked = Asked.read(form, ACTIONS["requeue"], find("prod", "orders"))
    words = {A: "requeued", B: "gone", C: "gone"}
    done = Done(asked.call(form), words, words, "1 requeued, 2 rows missing", {B: "x", C: "x"})
    made = results.outcome(asked, done)
    assert [(group["words"], [name for name, _ in group["jobs"]]) for group in
            made.result["jobs"]] == [("1 requeued", [A]), ("2 rows missing", [B, C])]  # fmt: skip
    assert made.level == "part"
    assert made.undo == done.call.op_id


def test_a_requeue_that_moved_nothing_has_nothing_to_undo(scene, browser):
    from echomq_admin.console.acting import keeps
    from echomq_admin.operations.actions import ACTIONS
    from echomq_admin.operations.calls import Call

    call = Call("requeue", "prod", "orders", (A,), op_id="x")
    done = Done(call, {A: "gone"}, {}, "0 requeued", {A: "gone"})
    assert keeps.undo(ACTIONS["requeue"], done) == ""
    many = tuple(f"J{n}" for n in range(1_001))
    done = Done(Call("requeue", "prod", "orders", many, op_id="x"), {"J0": "requeued"}, {}, "", {})
    assert keeps.undo(ACTIONS["requeue"], done) == ""


@pytest.mark.parametrize("days", [1, 2.5, 30])
def test_the_time_that_a_removal_can_be_taken_back_is_that_of_the_settings(
    scene, asking, settings, days
):
    settings.EMQ_TRASH_DAYS = days
    scene.dead(A)
    said = "1 day" if days == 1 else f"{days:g} days"
    assert f"kept in the trash for {said};" in asking("admin", "remove", A).says


def test_a_reason_is_demanded_of_admins_when_the_settings_say_so(scene, asking, settings):
    settings.EMQ_REASONS = True
    scene.dead(A)
    before = dump(scene.store)
    answer = asking("admin", "remove", A).send(typed="orders")
    assert answer.asks_again
    assert "A reason is missing." in answer.says
    assert dump(scene.store) == before
    assert f"{A} removed" in answer.send(typed="orders", reason="a duplicate").says


def test_a_bare_press_that_needs_a_reason_asks_for_it(scene, browser, settings):
    scene.pending(A, group="ann")
    scene.store.sadd(scene.key("paused"), "ann")
    settings.EMQ_REASONS = True
    answer = browser("admin").post("/q/prod/orders/resume_lane", {"group": "ann"})
    shown = Asking(browser("admin"), "resume_lane", answer.content.decode())
    assert 'name="reason"' in shown.html
    assert scene.store.sismember(scene.key("paused"), "ann")


def test_a_reason_is_optional_for_operators(scene, asking, settings):
    settings.EMQ_REASONS = True
    for job_id in (A, B):
        scene.dead(job_id)
    assert "2 requeued" in asking("operator", "requeue", A, B).send().says


def test_a_reason_that_is_too_long_is_asked_for_again_with_all_of_it(scene, asking):
    scene.dead(A)
    scene.dead(B)
    answer = asking("admin", "requeue", A, B).send(reason="é" * 501)
    assert answer.asks_again
    assert "Reason is longer than 1,000 bytes." in answer.says
    assert "é" * 501 in answer.html
    assert len(scene.members("dead")) == 2


def test_a_read_only_console_shows_what_could_be_done_and_offers_no_button(
    scene, browser, settings
):
    settings.EMQ_READ_ONLY = True
    scene.dead(A)
    html = browser("admin").get(f"/q/prod/orders/remove?only=3:0:{A}").content.decode()
    assert "Read-only." in html
    assert 'class="btn go"' not in html


def test_a_job_that_was_buried_did_not_die_again_since(scene, asking):
    scene.pending(A, attempts=0)
    shown = asking("admin", "bury", A, seen="0:0", back="job")
    answer = shown.send(reason="poison")
    assert f"{A} buried at" in answer.says
    assert "died again" not in answer.says
