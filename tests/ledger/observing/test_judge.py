"""What was known of a lease, what is left of it, and what that proves. One line, one case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from echomq_admin.emq.sights import Sight, mark_of
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.observing.flights import Lease
from echomq_admin.ledger.observing.judge import Window, judge

RECOVERED, DEAD, REAPED = EndingKind.RECOVERED, EndingKind.DEAD, EndingKind.REAPED
FAILED, UNCERTAIN = EndingKind.FAILED, EndingKind.UNCERTAIN
NOTHING = None

NEAR = Window(10_000, 10_200, backoff_ms=500, deaths=0)
# One job died that is dead, or that is dead no more.
DIED = replace(NEAR, deaths=1, dead=1)
HIDDEN = replace(NEAR, deaths=1)
UNKNOWN = replace(NEAR, deaths=None, dead=1)
BURIED = replace(NEAR, deaths=0, dead=1)
FAR = replace(DIED, from_ms=1_000, is_gap=True)
FRESH = Lease(attempts=3, stalled=0, deadline_ms=10_100, lane=None, mark=None, first_ms=1)
OLD = replace(FRESH, mark=mark_of(b"boom", 4))
LIVE = replace(FRESH, deadline_ms=20_000)
EARLY = replace(OLD, deadline_ms=20_000)


def left(state: str, attempts: int = 3, stalled: int = 0, error: bytes | None = None, **fields):
    size = None if error is None else len(error)
    return Sight(True, state.encode(), attempts, stalled, None, error, size, **fields)


GONE = Sight(False)
CASES = [
    ("the row is gone: completed, or removed", FRESH, GONE, NEAR, NOTHING),
    ("fewer attempts: another life", FRESH, left("pending", 0), NEAR, NOTHING),
    ("no number any more", FRESH, Sight(True, b"pending", None), NEAR, NOTHING),
    ("nobody ended it: taken out by hand", FRESH, left("active"), NEAR, NOTHING),
    ("swept, waits", FRESH, left("pending", stalled=1), NEAR, RECOVERED),
    ("swept, dead", FRESH, left("dead", stalled=1, error=b"stalled"), DIED, DEAD),
    ("the same, deaths are not counted", FRESH, left("dead", 3, 1, b"stalled"), UNKNOWN, DEAD),
    ("swept, buried with that word", FRESH, left("dead", 3, 1, b"stalled"), BURIED, UNCERTAIN),
    ("swept, waits, or died and was requeued", FRESH, left("pending", 3, 1), HIDDEN, UNCERTAIN),
    ("the same, deaths are not counted", FRESH, left("pending", 3, 1), UNKNOWN, UNCERTAIN),
    ("another job died", FRESH, left("pending", 3, 1), DIED, RECOVERED),
    ("swept, waits with its error", OLD, left("pending", 3, 1, b"boom"), NEAR, RECOVERED),
    ("swept, its error gone: died, but of what", OLD, left("pending", 3, 1), HIDDEN, UNCERTAIN),
    ("the same, but none died", OLD, left("pending", 3, 1), NEAR, UNCERTAIN),
    ("the same after a gap", OLD, left("pending", 3, 1), FAR, UNCERTAIN),
    ("swept in a gap; it may have died", FRESH, left("pending", 3, 1), FAR, UNCERTAIN),
    ("swept in a gap, or of another life", OLD, left("pending", 3, 1, b"boom"), FAR, UNCERTAIN),
    ("dead in a gap", FRESH, left("dead", 3, 1, b"stalled"), FAR, DEAD),
    ("swept, waits with its error, still in dead beside", OLD,
     left("pending", 3, 1, b"boom", waits=True, is_dead=True), NEAR, RECOVERED),
    ("two stalls at once", FRESH, left("pending", 3, 2), NEAR, UNCERTAIN),
    ("swept, claimed", FRESH, left("active", 4, 1), NEAR, RECOVERED),
    ("swept, or died and requeued, claimed", FRESH, left("active", 4, 1), HIDDEN, UNCERTAIN),
    ("swept, claimed with its error", OLD, left("active", 4, 1, b"boom"), DIED, RECOVERED),
    ("the same, and failed with it again", OLD,
     left("scheduled", 4, 1, b"boom"), HIDDEN, UNCERTAIN),
    ("swept, claimed, failed", FRESH, left("scheduled", 4, 1, b"x"), NEAR, RECOVERED),
    ("swept, its error gone, claimed", OLD, left("active", 4, 1), HIDDEN, UNCERTAIN),
    ("swept, claimed, after a gap", FRESH, left("active", 4, 1), FAR, UNCERTAIN),
    ("not lapsed, claimed after a gap", LIVE, left("active", 4, 1), FAR, NOTHING),
    ("not lapsed, and yet a stall", LIVE, left("active", 4, 1), NEAR, UNCERTAIN),
    ("swept, then failed late: waits still", FRESH,
     left("scheduled", 3, 1, b"x", waits=True), NEAR, RECOVERED),
    ("swept dead, then failed late", FRESH,
     left("scheduled", 3, 1, b"x", is_dead=True), DIED, DEAD),
    ("swept, died, requeued, failed late", FRESH,
     left("scheduled", 3, 1, b"x"), HIDDEN, UNCERTAIN),
    ("swept, then dead of a late failure", FRESH,
     left("dead", 3, 1, b"x", waits=True, is_dead=True), DIED, UNCERTAIN),
    ("failed, waits for its time", FRESH, left("scheduled", error=b"x"), NEAR, NOTHING),
    ("failed, promoted", FRESH, left("pending", error=b"x"), NEAR, NOTHING),
    ("failed, promoted, claimed", FRESH, left("active", 4, error=b"x"), NEAR, NOTHING),
    ("failed late, and waits twice", FRESH,
     left("scheduled", error=b"x", waits=True), NEAR, UNCERTAIN),
    ("died of its attempts", LIVE, left("dead", error=b"x"), DIED, FAILED),
    ("dead, but none died: buried", LIVE, left("dead", error=b"x"), BURIED, UNCERTAIN),
    ("dead, and deaths are not counted", LIVE, left("dead", error=b"x"), UNKNOWN, UNCERTAIN),
    ("died of its attempts in a gap", FRESH, left("dead", error=b"x"), FAR, FAILED),
    ("died with the same words", OLD, left("dead", error=b"boom"), DIED, FAILED),
    ("an error that reads stalled", FRESH, left("dead", error=b"stalled"), DIED, FAILED),
    ("dead without an error", FRESH, left("dead"), NEAR, NOTHING),
    ("died, requeued", EARLY, left("pending"), HIDDEN, FAILED),
    ("the same, but none died", EARLY, left("pending"), NEAR, UNCERTAIN),
    ("died, requeued, claimed", EARLY, left("active", 4), HIDDEN, FAILED),
    ("the same, or reaped before it died", OLD, left("pending"), HIDDEN, UNCERTAIN),
    ("died, requeued in a gap", OLD, left("pending"), FAR, UNCERTAIN),
    ("back without a count", FRESH, left("pending"), NEAR, REAPED),
    ("back, or died and was requeued", FRESH, left("pending"), HIDDEN, UNCERTAIN),
    ("the same, claimed", FRESH, left("active", 4), HIDDEN, UNCERTAIN),
    ("back with its error, or died, requeued and failed late", OLD,
     left("pending", error=b"boom"), HIDDEN, UNCERTAIN),
    ("back, claimed", FRESH, left("active", 4), NEAR, REAPED),
    ("back, claimed, claimed", FRESH, left("active", 5), NEAR, REAPED),
    ("back after a gap", FRESH, left("pending"), FAR, UNCERTAIN),
    ("back, claimed, after a gap", FRESH, left("active", 4), FAR, UNCERTAIN),
    ("back before the deadline", LIVE, left("pending"), NEAR, NOTHING),
    ("claimed before the deadline", LIVE, left("active", 4), NEAR, NOTHING),
    ("back with its error", OLD, left("pending", error=b"boom"), NEAR, REAPED),
    ("the same, nothing known of back-offs", OLD, left("pending", error=b"boom"),
     replace(NEAR, backoff_ms=None), UNCERTAIN),
    ("the same, and jobs wait as short", OLD, left("active", 4, error=b"boom"),
     replace(NEAR, backoff_ms=250), UNCERTAIN),
    ("back, claimed, that one failed", FRESH, left("scheduled", 4, error=b"x"), NEAR, REAPED),
    ("the same, in a look that came late", OLD, left("pending", error=b"boom"),
     replace(NEAR, from_ms=8_900, backoff_ms=60_000), UNCERTAIN),
    ("back, or died and was requeued; claimed, that one failed", FRESH,
     left("scheduled", 4, error=b"x"), HIDDEN, UNCERTAIN),
    ("the same, or both failed", FRESH, left("scheduled", 4, error=b"x"),
     replace(NEAR, backoff_ms=100), UNCERTAIN),
    ("children are waited for", FRESH, left("awaiting_children"), NEAR, NOTHING),
    ("revived, overtaken by a claim", replace(FRESH, is_elsewhere=True, is_revived=True),
     left("active", 4), NEAR, UNCERTAIN),
    ("revived when dead, gone now", replace(OLD, is_elsewhere=True, is_revived=True),
     left("dead", error=b"boom"), NEAR, UNCERTAIN),
    ("fewer stalls: another life", replace(FRESH, stalled=2), left("pending"), NEAR, NOTHING),
]  # fmt: skip


@pytest.mark.parametrize(("lease", "sight", "window", "kind"), [c[1:] for c in CASES],
                         ids=[c[0] for c in CASES])  # fmt: skip
def test_what_is_left_of_a_lease_proves_how_it_ended(lease, sight, window, kind):
    verdict = judge(lease, sight, window)
    assert (verdict.kind if verdict else NOTHING) == kind


@pytest.mark.parametrize(
    ("verb", "lease", "sight"),
    [
        ("bury", FRESH, left("dead", error=b"poison")),
        ("untold", FRESH, left("dead", error=b"poison")),
        ("untold", FRESH, left("dead", 3, 1, b"stalled")),
        ("return_to_dead", FRESH, left("dead", error=b"poison")),
        ("bury", FRESH, left("dead", 3, 1, b"stalled")),
        ("requeue", FRESH, left("pending", 3, 1)),
        ("requeue", OLD, left("pending")),
        ("requeue", replace(FRESH, stalled=2), left("pending")),
        ("restore", FRESH, left("pending")),
        ("recover_now", FRESH, left("active", 4, 1)),
        ("untold", FRESH, left("active", 4)),
    ],
)
def test_where_an_operator_had_a_hand_the_judge_leaves_it_to_the_audit(verb, lease, sight):
    touched = replace(HIDDEN, touches=frozenset({verb}))
    assert judge(lease, sight, touched).kind == UNCERTAIN


@pytest.mark.parametrize("verb", ["sweep", "reap", "update_payload", "claim"])
def test_verbs_that_move_a_job_as_workers_do_make_no_doubt(verb):
    touched = replace(NEAR, touches=frozenset({verb}))
    assert judge(FRESH, left("pending", 3, 1), touched).kind == RECOVERED
    assert judge(FRESH, left("pending"), touched).kind == REAPED


def test_without_a_number_for_attempts_a_sweep_is_told_and_nothing_else():
    odd = replace(FRESH, attempts=None)
    assert judge(odd, Sight(True, b"pending", None, 1), NEAR).kind == RECOVERED
    assert judge(odd, Sight(True, b"dead", None, 1, None, b"stalled", 7), DIED).kind == DEAD
    assert judge(odd, Sight(True, b"pending", None, 0), NEAR) is None
    assert judge(odd, left("pending", 3, 1), NEAR) is None


def test_the_count_after_a_stall_and_the_error_of_a_death_are_told():
    assert judge(FRESH, left("active", 4, 1), NEAR).stalled == 1
    assert judge(FRESH, left("dead", error=b"x"), DIED).has_error
    assert not judge(OLD, left("pending"), HIDDEN).has_error
