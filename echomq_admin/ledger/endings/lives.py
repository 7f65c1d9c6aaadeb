"""A job's leases and what people did to it, put in order and parted into lives."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from echomq_admin.emq.present import Present
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.told import Told


@dataclass(frozen=True)
class Lease:
    """A lease whose ending is on record; `by` is the call that ended it, where one did."""

    told: Told
    by: Act | None = None


@dataclass(frozen=True)
class Missing:
    """Leases of these numbers that were claimed and have no ending on record. `is_last`: no later
    one of their life is known, so that the job may have been completed."""

    first: int
    last: int
    is_last: bool = False

    @property
    def why(self) -> str:
        """What each of them may have come to."""
        done = "completed, or " if self.is_last else ""
        return f"{done}failed and rescheduled, or not watched, or no longer kept"


@dataclass(frozen=True)
class Flight:
    """A lease that is held now, `late_ms` past its deadline, below 0 before it. `renewals`,
    `first_ms` and `renewed_ms` are what the observer saw of it, `None` when it did not; all that
    happened, when it `is_whole`."""

    attempts: int | None
    deadline_ms: int | None
    late_ms: int | None = None
    renewals: int | None = None
    first_ms: int | None = None
    renewed_ms: int | None = None
    is_revived: bool = False
    is_whole: bool = False


@dataclass(frozen=True)
class Unseen:
    """A span of which the ledger lacks endings, or, with `is_of_trail`, the trail lacks calls."""

    from_ms: int
    to_ms: int
    why: str
    is_of_trail: bool = False


Item = Lease | Missing | Flight | Act | Unseen


@dataclass
class Life:
    """From when the job's row came until it went. `number` counts from 0. `has_later`: another
    one follows it."""

    number: int
    items: list[Item] = field(default_factory=list)
    has_later: bool = False


def late_ms(present: Present) -> int | None:
    """How long past its deadline the lease is that is held now; `None` without one."""
    deadline = present.deadline_ms if present.is_active else None
    return None if deadline is None else present.now_ms - deadline


def lives(
    endings: Sequence[Told],
    acts: Sequence[Act],
    unseen: Sequence[Unseen],
    flight: Flight | None,
    present: Present | None,
    is_cut: bool = False,
) -> list[Life]:
    """Everything in order of life, attempts and n, and what is beside by time. `endings` are in
    that order already, `acts` and `unseen` by time. `present` is where the job is now, `None` when
    that is not known. `is_cut`: older endings are left out, so none is missed before the first."""
    told_by = {act.pk: act for act in acts if act.pk is not None and act.ends_leases}
    used = {told.entry for told in endings if told.entry is not None} & told_by.keys()
    beside = sorted(
        [act for act in acts if act.pk not in used] + list(unseen),
        key=lambda one: one.from_ms if isinstance(one, Unseen) else one.at_ms,
    )
    work = _Order(endings, told_by, beside, is_cut)
    for told in endings:
        work.ending(told)
    work.close(flight, present)
    return work.lives


class _Order:
    """The lives as they are put together, ending by ending."""

    def __init__(
        self,
        endings: Sequence[Told],
        told_by: dict[int | None, Act],
        beside: list[Act | Unseen],
        is_cut: bool,
    ) -> None:
        self._told_by, self._beside = told_by, beside
        self._numbers: dict[int, list[int]] = {}
        for told in endings:
            if told.attempts is not None:
                self._numbers.setdefault(told.life, []).append(told.attempts)
        self.lives = [Life(endings[0].life if endings else 0)]
        self._upto = endings[0].attempts or 0 if endings and is_cut else 0
        # The leases that calls know of.
        self._claimed = 0
        self._is_restored = False

    def ending(self, told: Told) -> None:
        """Put in what came before it, then the ending itself."""
        while self._beside and self._is_before(self._beside[0], told):
            if told.life > self._life.number and _begins(self._beside[0]):
                self._new(told.life)
            self._put(self._beside.pop(0))
        if self._goes_on(told):
            self._life.number = told.life
        elif told.life > self._life.number:
            self._new(told.life)
        if told.attempts is not None:
            self._miss(told.attempts - 1)
            self._upto = max(self._upto, told.attempts)
        by = self._told_by.get(told.entry) if told.entry is not None else None
        self._life.items.append(Lease(told, by))

    def close(self, flight: Flight | None, present: Present | None) -> None:
        """Put in what came after the last ending, and what is now."""
        for one in self._beside:
            if isinstance(one, Act) and _begins(one) and self._life.items:
                self._new(self._life.number + 1)
            self._put(one)
        attempts = present.attempts if present else None
        if attempts is None:
            if present and not present.is_here:
                self._miss(self._claimed, is_last=True)
            if flight:
                self._life.items.append(flight)
            return
        if self._is_new(attempts, flight):
            self._new(self._life.number + 1)
        self._miss(attempts - 1 if flight else attempts)
        if flight:
            self._life.items.append(flight)

    @property
    def _life(self) -> Life:
        return self.lives[-1]

    def _is_new(self, attempts: int, flight: Flight | None) -> bool:
        """Whether the job that is here now must be a later one than the endings tell of."""
        if attempts < self._upto:
            return True
        return bool(flight and not flight.is_revived and 0 < attempts == self._upto)

    def _goes_on(self, told: Told) -> bool:
        """Whether it is of the life before after all: the row went into the trash and came back."""
        is_next = told.life == self._life.number + 1
        return self._is_restored and is_next and (told.attempts or 0) > self._upto

    def _new(self, number: int) -> None:
        if not self._life.items:
            self._life.number = number
        else:
            self._miss(self._claimed, is_last=True)
            self._life.has_later = True
            self.lives.append(Life(number))
        self._upto = self._claimed = 0
        self._is_restored = False

    def _put(self, one: Act | Unseen) -> None:
        """What has no place among the leases but that of its time. The leases up to the job's
        attempts had been claimed by then, the last of them perhaps not ended."""
        if isinstance(one, Act) and one.attempts and not one.is_refused:
            self._miss(one.attempts if one.finds_ended else one.attempts - 1)
            # One that ends leases says itself what became of the last.
            self._claimed = one.attempts - one.ends_leases
        self._is_restored |= isinstance(one, Act) and one.restores
        self._life.items.append(one)

    def _miss(self, last: int, is_last: bool = False) -> None:
        """Tell of the leases up to `last` that have no ending and were not told of yet."""
        numbers = self._numbers.get(self._life.number, [])
        for first, until in _holes(numbers, self._upto + 1, last):
            self._life.items.append(Missing(first, until, is_last))
        self._upto = max(self._upto, last)

    def _is_before(self, one: Act | Unseen, told: Told) -> bool:
        """Whether it lies before an ending: in time, or, when the ending is only known to lie
        in a span, by the attempts that the job had."""
        if isinstance(one, Unseen):
            return one.from_ms < told.ended_ms
        if one.at_ms <= told.ended_ms - told.within_ms:
            return one.at_ms < told.ended_ms or _is_older(one, told)
        return one.at_ms <= told.ended_ms and _is_older(one, told)


def _is_older(act: Act, told: Told) -> bool:
    return None not in (act.attempts, told.attempts) and act.attempts < told.attempts


def _begins(one: Act | Unseen) -> bool:
    return isinstance(one, Act) and one.begins


def _holes(numbers: Sequence[int], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The runs of numbers from `first` to `last` that are not among the sorted `numbers`."""
    inside = numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]
    for number in inside:
        if number > first:
            yield first, number - 1
        first = max(first, number + 1)
    if first <= last:
        yield first, last
