"""Removal as its confirmation shows it: what stands against it, and what force adds."""

from __future__ import annotations

import pytest

from tests.console.scene import A, B, C, G, dump


def test_the_confirmation_says_where_each_job_is_and_that_it_can_be_taken_back(scene, asking):
    scene.dead(A)
    scene.pending(B, group=G)
    shown = asking("admin", "remove", A, B)
    assert "Remove 2 jobs of orders?" in shown.says
    assert f"in lane {G}" in shown.says
    assert "kept in the trash for 7 days" in shown.says
    assert "Remove 2 jobs" in shown.says
    assert 'name="force"' not in shown.html


def test_nothing_is_left_of_a_removed_job(scene, asking):
    scene.dead(A, group=G)
    scene.store.rpush(scene.key(f"job:{A}:logs"), "one")
    scene.store.set(scene.key(f"job:{A}:dependencies"), 1)
    answer = asking("admin", "remove", A).send()
    assert f"{A} removed" in answer.says
    assert "It can be restored from the trash for 7 days." in answer.says
    assert [key for key in scene.store.scan_iter() if A.encode() in key] == []


def test_a_job_that_runs_by_now_is_kept_and_the_answer_says_so(scene, asking):
    scene.pending(A)
    shown = asking("admin", "remove", A, seen="0:0")
    scene.store.zrem(scene.key("pending"), A)
    scene.store.zadd(scene.key("active"), {A: scene.now_ms() + 30_000})
    answer = shown.send()
    assert f"{A} not removed" in answer.says
    assert "now running, not removed: a worker holds its lease." in answer.says
    assert scene.members("active") == [A.encode()]
    assert scene.field(A, "payload") == b"{}"


def test_an_active_job_is_shown_with_its_lease_and_goes_only_by_force(scene, asking):
    scene.active(A, 30_000, group=G)
    scene.store.hset(scene.key("gactive"), G, 1)
    scene.store.hset(scene.key("glimit"), G, 1)
    scene.pending(B, group=G)
    shown = asking("admin", "remove", A)
    assert "It cannot be removed now: now running." in shown.says
    assert "its lease ends in 2" in shown.says
    assert "A lease ends at once, and what its worker still reports is refused." in shown.says
    assert f"{A} not removed" in shown.send().says
    asking("admin", "remove", A).send(force="on")
    assert scene.members("active") == []
    assert scene.store.hget(scene.key("gactive"), G) is None
    assert scene.store.lrange(scene.key("ring"), 0, -1) == [G.encode()]


def test_a_child_of_a_flow_names_its_parent(scene, asking):
    scene.pending(A, parent=B)
    scene.row(B, state="awaiting_children")
    scene.pending(C)
    shown = asking("admin", "remove", A, C)
    assert f"child of {B}, which would wait for it for ever" in shown.says
    assert "Of 2 jobs, 1 can be removed now; left as they are: 1 part of a flow." in shown.says
    assert "Remove 1 of 2 jobs" in shown.says
    assert "Remove 2 jobs by force" in shown.says
    answer = shown.send()
    assert "1 removed, 1 part of a flow" in answer.says
    assert scene.members("pending") == [A.encode()]


def test_jobs_that_would_be_left_come_first(scene, asking):
    for job_id in (A, B, C):
        scene.pending(job_id)
    scene.store.set(scene.key(f"job:{C}:lock"), "w")
    says = asking("admin", "remove", A, B, C).says
    assert says.index(C) < says.index(A)


def test_the_id_of_a_missing_row_can_be_taken_out_of_its_set(scene, asking):
    scene.store.zadd(scene.key("dead"), {A: 0})
    shown = asking("admin", "remove", A)
    assert "row missing, dead" in shown.says
    answer = shown.send()
    assert f"{A} removed" in answer.says
    assert "can be restored" not in answer.says
    assert scene.members("dead") == []


def test_what_is_not_kept_is_not_said_to_be(scene, asking):
    scene.dead(A)
    answer = asking("admin", "remove", A).send(typed="orders", unkept="on")
    assert f"{A} removed" in answer.says
    assert "can be restored" not in answer.says


def test_the_idempotency_key_of_one_job_is_offered_with_it(scene, asking):
    scene.dead(A, dedup_id="order-17")
    scene.store.set(scene.key("de:order-17"), A)
    shown = asking("admin", "remove", A)
    assert shown.fields["dedup_id"] == "order-17"
    scene.dead(B)
    assert 'name="dedup_id"' not in asking("admin", "remove", B).html
    shown.send()
    assert scene.store.exists(scene.key("de:order-17")) == 0


@pytest.mark.parametrize("job_id", ["a/b", "", "x y", "<b>x</b>", "J\udcff\x00"])
def test_ids_of_any_bytes_are_removed_and_no_other(scene, asking, job_id):
    scene.dead(job_id)
    scene.dead(B)
    asking("admin", "remove", job_id).send()
    assert scene.members("dead") == [B.encode()]


def test_the_reason_of_the_person_rides_along(scene, asking, monkeypatch):
    given = []
    from echomq_admin.console.acting import views

    door = views.perform
    monkeypatch.setattr(
        views, "perform", lambda user, call: (given.append(call.reason), door(user, call))[1]
    )
    scene.dead(A)
    asking("admin", "remove", A).send(reason="  a duplicate ")
    assert given == ["a duplicate"]


@pytest.mark.parametrize("verb", ["bury", "remove", "requeue"])
def test_nothing_to_do_offers_no_button(scene, asking, verb):
    scene.pending(B)
    before = dump(scene.store)
    scene.row(A)
    if verb == "remove":
        scene.row(A, attempts=4)
        shown = asking("admin", verb, A, seen="3:0")
        assert "changed meanwhile" in shown.says
    elif verb == "bury":
        scene.store.delete(scene.key(f"job:{A}"))
        shown = asking("admin", verb, A)
        assert "It cannot be buried now: row missing." in shown.says
    else:
        shown = asking("admin", verb, A)
        assert "It cannot be requeued now: no longer dead." in shown.says
    assert 'class="btn go' not in shown.html
    scene.store.delete(scene.key(f"job:{A}"))
    assert dump(scene.store) == before


def too_large(scene, job_id: str) -> None:
    scene.dead(job_id, payload=b"x" * 8_500_000)


def test_what_the_trash_does_not_take_is_said_before_and_the_button_counts_without_it(
    scene, asking
):
    scene.dead(A)
    too_large(scene, B)
    scene.store.set(scene.key(f"job:{C}"), "no hash")
    scene.store.zadd(scene.key("dead"), {C: 0})
    shown = asking("admin", "remove", A, B, C)
    assert (
        "Of 3 jobs, 1 can be removed now; left as they are: 1 too large for the trash, "
        "1 not kept in the trash."
    ) in shown.says or (
        "Of 3 jobs, 1 can be removed now; left as they are: 1 not kept in the trash, "
        "1 too large for the trash."
    ) in shown.says
    assert "Remove 1 of 3 jobs" in shown.says
    answer = shown.send()
    assert "1 removed" in answer.says
    assert sorted(scene.members("dead")) == sorted([B.encode(), C.encode()])


def test_what_the_trash_does_not_take_goes_for_good_when_that_is_ticked(scene, asking):
    too_large(scene, A)
    shown = asking("admin", "remove", A)
    assert "It cannot be removed now: too large for the trash." in shown.says
    again = shown.send(unkept="on")
    assert again.asks_again
    assert "too large for the trash" not in again.says
    assert f"{A} removed" in again.send(unkept="on", typed="orders").says
    assert scene.members("dead") == []
