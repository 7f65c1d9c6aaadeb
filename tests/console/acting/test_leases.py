"""Recover now and extend: what is left of the lease, and what the end of it does."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import preferences
from tests.console.scene import A, B, G


def test_a_recovery_says_what_the_stall_will_do(scene, asking):
    scene.active(A, 30_000, stalled=1, group=G)
    shown = asking("operator", "recover_now", A, seen="1:1")
    assert "A worker holds its lease for another 2" in shown.says
    assert "its stall 2. At max stalled 2, as this queue has it, it goes to dead" in shown.says
    assert f"at 3 or more it goes to lane {G}." in shown.says
    assert shown.fields["max_stalled"] == "2"
    answer = shown.send(max_stalled="3")
    assert f"{A} recovered: it waits again, with one more stall" in answer.says
    assert scene.members(f"g:{G}:pending") == [A.encode()]


def test_the_limit_that_is_typed_decides(scene, asking):
    scene.active(A, 30_000)
    asking("operator", "recover_now", A, seen="1:0").send(max_stalled="1")
    assert scene.members("dead") == [A.encode()]


@pytest.mark.parametrize("verb", ["recover_now", "extend"])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ended", "It is not active any more"),
        ("gone", "Its row is missing"),
        ("claimed", "It was claimed since: its attempts are 2, no longer 1."),
    ],
)
def test_a_lease_that_is_another_by_now_is_left_alone(scene, asking, verb, change, said):
    scene.active(A, 30_000)
    scene.pending(B)
    if change == "ended":
        scene.store.zrem(scene.key("active"), A)
    elif change == "gone":
        scene.store.delete(scene.key(f"job:{A}"))
    else:
        scene.store.hset(scene.key(f"job:{A}"), "attempts", 2)
    shown = asking("operator", verb, A, seen="1:0")
    assert said in shown.says
    assert 'class="btn go"' not in shown.html


def test_without_the_attempts_that_were_seen_no_lease_is_ended(scene, asking):
    scene.active(A, 30_000)
    shown = asking("operator", "recover_now", A)
    assert "Its attempts were not known to the page." in shown.says


def test_an_extension_begins_with_the_usual_lease_of_the_queue(scene, asking):
    scene.active(A, 3_000)
    preferences.change("prod", "orders", "olena", lease_ms=45_000)
    shown = asking("operator", "extend", A, seen="1:0")
    assert "The usual lease of this queue is 45 s." in shown.says
    assert shown.fields["lease_ms"] == "45 s"
    answer = shown.send()
    assert f"lease of {A} extended: 45 s from now" in answer.says
    left = scene.store.zscore(scene.key("active"), A) - scene.now_ms()
    assert 40_000 < left <= 45_000


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Lease is missing."),
        ("soon", "Lease is a length such as 5 min, 90 s, or a number of ms."),
        ("0", "Lease must be from 1 ms to 7 d."),
        ("8 d", "Lease must be from 1 ms to 7 d."),
    ],
)
def test_a_lease_that_is_no_length_is_asked_for_again(scene, asking, typed, said):
    scene.active(A, 3_000)
    shown = asking("operator", "extend", A, seen="1:0")
    assert "No usual lease is set for this queue" in shown.says
    assert said not in shown.says
    answer = shown.send(lease_ms=typed, reason="slow")
    assert said in answer.says
    assert 'value="slow"' in answer.html


@pytest.mark.parametrize(("left_ms", "start"), [(3_000, "30 s"), (200_000, "4 min")])
def test_without_a_usual_lease_an_extension_begins_with_no_less_than_is_left(
    scene, asking, left_ms, start
):
    scene.active(A, left_ms)
    assert asking("operator", "extend", A, seen="1:0").fields["lease_ms"] == start


def test_a_lease_is_extended_by_a_length_in_words(scene, asking):
    scene.active(A, 3_000)
    answer = asking("operator", "extend", A, seen="1:0").send(lease_ms="5 min")
    assert f"lease of {A} extended: 5 min from now" in answer.says
    left = scene.store.zscore(scene.key("active"), A) - scene.now_ms()
    assert 290_000 < left <= 300_000


def test_a_recovery_that_spares_the_job_says_which_limit_would_not(scene, asking):
    scene.active(A, -5_000)
    shown = asking("operator", "recover_now", A, seen="1:0")
    assert "Takes the lapsed lease of one job away now" in shown.says
    assert "before its lease ends" not in shown.says
    assert "as this queue has it, it goes to pending; at 1 or less it goes to dead." in shown.says


def test_only_the_named_lease_is_extended(scene, asking):
    scene.active(A, 3_000)
    scene.active(B, 3_000)
    before = scene.store.zscore(scene.key("active"), B)
    asking("operator", "extend", A, seen="1:0").send(lease_ms="60000")
    assert scene.store.zscore(scene.key("active"), B) == before


def test_one_press_of_a_lease_that_lapsed_meanwhile_and_was_swept_changes_nothing(scene, asking):
    scene.active(A, 30_000)
    shown = asking("operator", "recover_now", A, seen="1:0")
    scene.store.zrem(scene.key("active"), A)
    scene.store.zadd(scene.key("pending"), {A: 0})
    assert f"{A} is not active" in shown.send().says
    assert scene.members("pending") == [A.encode()]
    assert scene.field(A, "stalled") is None
