"""Which ids of which dead sets the next step of the pass looks at, within its budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from echomq_admin.emq.dead_sets import DeadSet, Stretch
from echomq_admin.ledger.observing.seen import Seen

# So many ids a step, and so often.
BUDGET, EVERY_S = 2_000, 10.0
# Sets up to so many ids are looked through at one go, in one step.
SMALL = 500
# Of a larger set that grew the last ids are looked at first: those of young jobs.
TAIL = 100
# What of the budget is left to the large sets, while there are some.
_FOR_LARGE = 4
_LEAST_STRETCH = 100
# A set that grew goes before those that waited for so many steps longer.
_AHEAD = 3


@dataclass
class Known:
    """What is known of the dead set of a queue. `turn` is the step that looked at it last; `cursor`
    is where the next goes on, `began_ms` when the pass under way began, `whole_ms` when the last
    complete one did, by the server's clock, and `seen` what that one saw."""

    size: int | None = None
    failed: int | None = None
    cursor: bytes = b""
    turn: int = 0
    has_grown: bool = True
    began_ms: int | None = None
    whole_ms: int | None = None
    seen: Seen = field(default_factory=Seen)

    def see(self, found: DeadSet) -> None:
        """Take in how large it is now."""
        if found.size is not None and found.size != self.size:
            self.has_grown |= self.size is None or found.size > self.size
        self.has_grown |= found.failed != self.failed
        self.size, self.failed = found.size, found.failed

    def pass_over(
        self, stretch: Stretch, cursor: bytes, jobs: Mapping[str, int], now_ms: int, turn: int
    ) -> bool:
        """Go on at `cursor`, behind what was looked at: jobs with their attempts. Whether the set
        has come to its end."""
        self.turn, self.has_grown = turn, False
        if stretch.is_tail:
            return False
        if not stretch.cursor:
            self.began_ms = now_ms
            self.seen.begin()
        for job_id, attempts in jobs.items():
            self.seen.add(job_id, attempts)
        self.cursor = cursor
        # Of a pass that another began it is not known what it saw.
        if not cursor and self.began_ms is not None:
            self.whole_ms = self.began_ms
            self.seen.complete()
        return not cursor


def choose(sets: dict[str, Known], budget: int = BUDGET) -> list[Stretch]:
    """What to look at next; what is empty or unknown is not."""
    filled = [(queue, known) for queue, known in sets.items() if known.size]
    by_turn = sorted(filled, key=lambda one: one[1].turn - _AHEAD * one[1].has_grown)
    large = [(queue, known) for queue, known in by_turn if (known.size or 0) > SMALL]
    small = [(queue, known) for queue, known in by_turn if (known.size or 0) <= SMALL]
    chosen = list(_whole(small, _for_small(budget, bool(large))))
    left = budget - sum(sets[stretch.queue].size or 0 for stretch in chosen)
    return chosen + list(_parts(large, left))


def _for_small(budget: int, is_some_large: bool) -> int:
    return budget - budget // _FOR_LARGE if is_some_large else budget


def _whole(sets: Iterable[tuple[str, Known]], left: int) -> Iterator[Stretch]:
    for queue, known in sets:
        size = known.size or 0
        if size <= left:
            left -= size
            # One that has grown meanwhile still comes to its end.
            yield Stretch(queue, b"", SMALL + TAIL)


def _parts(sets: list[tuple[str, Known]], left: int) -> Iterator[Stretch]:
    for at, (queue, known) in enumerate(sets):
        share = left // (len(sets) - at)
        count = min(left, max(share, _LEAST_STRETCH)) - TAIL * known.has_grown
        if count <= 0:
            return
        if known.has_grown:
            yield Stretch(queue, b"", TAIL, is_tail=True)
        left -= count + TAIL * known.has_grown
        yield Stretch(queue, known.cursor, count)
