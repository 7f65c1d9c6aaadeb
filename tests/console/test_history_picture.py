"""The picture of a history: every mark in its drawing, in order, and never one over another."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from echomq_admin.console.history.picture import MARGIN, WIDTHS, Drawing, drawings
from echomq_admin.emq.present import Present
from echomq_admin.ledger.endings.history import history
from echomq_admin.ledger.endings.models import EndingKind
from tests.console.scene import A
from tests.console.trails import entry, moved
from tests.ledger.endings.made import NOON, ending

pytestmark = pytest.mark.django_db
SEC = 1_000
ACTIVE = Present(NOON + 999 * SEC, True, frozenset({"active"}), 99, NOON + 1_010 * SEC)


def drawn(present: Present | None = None) -> list[Drawing]:
    return drawings(history("prod", "orders", A, present).lives, NOON + 999 * SEC)


def edges(drawing: Drawing) -> list[float]:
    """Where each mark begins."""
    return [float(re.match(r"M(-?[\d.]+)", mark.path)[1]) for mark in drawing.marks]


def labels(drawing: Drawing) -> list[tuple[float, float, float]]:
    """The words as boxes: on which line they are, and from where to where they reach at least."""
    texts = [text for mark in drawing.marks for text in mark.texts]
    return sorted(
        (one.y, one.x - 2.6 * len(one.words), one.x + 2.6 * len(one.words)) for one in texts
    )


def overlapping(drawing: Drawing) -> list[tuple[float, float]]:
    found = labels(drawing)
    return [
        (before[2], after[1])
        for before, after in pairwise(found)
        if before[0] == after[0] and before[2] > after[1]
    ]


def story(leases: int = 12) -> None:
    """Leases of every kind with calls between, seconds or days apart."""
    at_ms = NOON - 10**9
    for attempts in range(1, leases + 1):
        kind = EndingKind(attempts % 6 + 1)
        at_ms += 3 * SEC if attempts % 3 else 40_000 * SEC
        late_ms = (-20_000, 400, 90_000)[attempts % 3]
        ending(A, kind, at_ms, attempts=attempts * 7, deadline_ms=at_ms - late_ms)
        if attempts % 4 == 0:
            entry(moved(A, "requeued", attempts * 7), at_ms=at_ms + SEC, actor="somebody else")


def test_nothing_known_draws_nothing():
    assert drawn() == []


@pytest.mark.parametrize("leases", [1, 3, 12, 80])
@pytest.mark.parametrize("present", [None, ACTIVE], ids=["gone", "in flight"])
def test_all_marks_lie_inside_and_in_order_and_no_words_lie_over_others(leases, present):
    story(leases)
    for drawing in drawn(present):
        found = edges(drawing)
        assert min(found) >= 0
        assert max(found) <= drawing.width
        assert overlapping(drawing) == []
        assert max(box[2] for box in labels(drawing)) <= drawing.width + MARGIN


def test_of_many_marks_the_newest_are_drawn_and_the_others_counted():
    story(80)
    wide, _, narrow = drawn()
    assert 0 < wide.left_out < narrow.left_out
    last = [mark.texts[0].words for mark in narrow.marks if mark.css not in {"wait", "unseen"}][-2:]
    assert last == ["560", "requeue"]
    assert [drawing.width for drawing in drawn()] == list(WIDTHS)


def test_longer_waits_are_drawn_longer():
    for attempts, at_s in enumerate((0, 10, 100_000), 1):
        ending(A, at_ms=NOON + at_s * SEC, attempts=attempts)
    wide = drawn()[0]
    short, long = (float(mark.path.rpartition("h")[2]) for mark in wide.marks if mark.css == "wait")
    assert short < long


def test_an_overrun_is_drawn_and_one_that_is_longer_is_drawn_longer():
    for attempts, late_s in enumerate((-5, 1, 50), 1):
        at_ms = NOON + attempts * 100 * SEC
        ending(A, at_ms=at_ms, attempts=attempts, deadline_ms=at_ms - late_s * SEC)
    marks = [mark for mark in drawn()[0].marks if mark.css == "recovered"]
    over = [dict(mark.under).get("over", "") for mark in marks]
    assert over[0] == ""
    lengths = [
        float(end) - float(start)
        for start, end in (re.findall(r"[MH]([\d.]+)", one) for one in over[1:])
    ]
    assert 0 < lengths[0] < lengths[1]


def test_without_flags_there_is_no_room_for_any():
    ending(A, at_ms=NOON)
    low = drawn()[0]
    entry(moved(A, "requeued", 1), at_ms=NOON + SEC)
    high = drawn()[0]
    assert (low.top > 0, high.top) == (True, 0)
    assert low.top + low.height == high.top + high.height


def test_a_wait_has_a_length_only_where_both_its_ends_are_known():
    """When a lease was claimed that ended is not known: its deadline does not tell."""
    ending(A, at_ms=NOON, attempts=1)
    entry(moved(A, "requeued", 1), at_ms=NOON + 60 * SEC)
    ending(A, at_ms=NOON + 200 * SEC, attempts=2, deadline_ms=NOON + 190 * SEC)
    waits = [mark for mark in drawn()[0].marks if mark.css == "wait"]
    assert [mark.title for mark in waits] == ["1 min between", "at most 2 min 20 s between"]
    assert [text.words for mark in waits for text in mark.texts] == ["1 min"]
