"""The marks of the picture of a history: what each thing looks like, and how wide it is."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_admin.console import endings, entries
from echomq_admin.console.history.lines import number
from echomq_admin.fleet.names import brief
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.lives import Flight, Item, Lease, Missing, Unseen
from echomq_admin.ledger.endings.models import EndingKind
from echomq_admin.ledger.endings.wording import late

HEIGHT, BASE, NUMBERS = 104, 66, 90
# Above it there is nothing but flags.
NO_FLAGS = 34
_FLAG = 20
_HELD = 16
# The lease goes over its deadline by so much at least, and at most.
_OVER, _MOST_OVER = 5, 26


@dataclass(frozen=True)
class Text:
    x: float
    y: float
    words: str
    css: str = ""


@dataclass(frozen=True)
class Mark:
    """A path of the class `css` with its words; `under` is drawn before it, as (class, path)."""

    css: str
    path: str
    title: str
    texts: tuple[Text, ...] = ()
    under: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Cell:
    """A thing with its place among others: it is `least` wide and lies between two instants, which
    may not be known: of a lease that ended nobody keeps when it was claimed. `over` is how far its
    lease went beyond the deadline, drawn."""

    title: str
    from_ms: int | None
    until_ms: int | None
    least: float
    shape: str
    label: str
    over: float | None = None
    second: str = ""

    def mark(self, x: float) -> Mark:
        """Itself, with its left edge there."""
        if self.shape == "flag":
            return self._flag(x)
        if self.shape in {"life", "unseen", "missing"}:
            return self._block(x)
        return self._lease(x)

    def _flag(self, x: float) -> Mark:
        at = x + self.least / 2
        words = (Text(at, 12, self.label, "what"), Text(at, 25, self.second, "who"))
        pole = f"M{at:.1f} {BASE}V{_FLAG + 10}"
        pennant = f"M{at:.1f} {_FLAG + 10}l11 5l-11 5z"
        return Mark("flag", pennant, self.title, words, (("wait", self._line(x)), ("pole", pole)))

    def _block(self, x: float) -> Mark:
        at, wide = x + self.least / 2, self.least
        words = (Text(at, NUMBERS, self.label, self.shape),) if self.label else ()
        if self.shape == "life":
            return Mark("life", f"M{at:.1f} {BASE - 30}V{BASE + 10}", self.title, words)
        path = f"M{x:.1f} {BASE - 7}h{wide:.1f}v14h-{wide:.1f}z"
        return Mark(self.shape, path, self.title, words)

    def _lease(self, x: float) -> Mark:
        """Held from the left up to its deadline, and over it, up to its end."""
        due = x + _HELD
        end = due if self.over is None else due + self.over
        under = [("held", f"M{x:.1f} {BASE}H{min(due, end):.1f}")]
        if self.over is not None:
            if self.over > 0:
                under.append(("over", f"M{due:.1f} {BASE}H{end:.1f}"))
            under.append(("due", f"M{due:.1f} {BASE - 11}v22"))
        words = (Text(end, NUMBERS, self.label, "lease"),)
        if self.second:
            words += (Text(end, BASE - 14, self.second, "what"),)
        return Mark(self.shape, _shape(self.shape, end), self.title, words, tuple(under))

    def _line(self, x: float) -> str:
        return f"M{x:.1f} {BASE}h{self.least:.1f}"


def _shape(kind: str, x: float) -> str:
    """A mark of about ten units around the end of a lease."""
    y = BASE
    if kind == "recovered":
        return f"M{x:.1f} {y - 6}l6 11h-12z"
    if kind == "dead":
        return f"M{x - 5:.1f} {y - 5}h10v10h-10z"
    if kind == "failed":
        return f"M{x - 5:.1f} {y - 5}l10 10m0-10l-10 10"
    if kind == "operator":
        return f"M{x:.1f} {y - 7}l7 7l-7 7l-7-7z"
    if kind == "uncertain":
        return f"M{x - 7:.1f} {y - 8}h14v16h-14z{_question(x)}"
    # A circle, of two halves.
    return f"M{x - 5:.1f} {y}a5 5 0 0 1 10 0a5 5 0 0 1-10 0"


def _question(x: float) -> str:
    """A question mark, as in the sprite."""
    bow = f"M{x - 3:.1f} {BASE - 2}c0-4 5.5-4 5.5-.4c0 2.2-2.7 2.2-2.7 4"
    return f"{bow}m0 2.2v1.2"


def life_cell(number: int) -> Cell:
    """The heading of a life."""
    label = f"{number + 1:,}"
    return Cell(f"Life {label}", None, None, 44, "life", f"life {label}")


def cell(item: Item, now_ms: int) -> Cell:
    """The cell of a thing in a life."""
    if isinstance(item, Lease):
        return _of_lease(item)
    if isinstance(item, Flight):
        return _of_flight(item, now_ms)
    if isinstance(item, Missing):
        return _of_missing(item)
    if isinstance(item, Unseen):
        what = "The trail lacks entries" if item.is_of_trail else "Not watched"
        return Cell(f"{what}: {item.why}", item.from_ms, item.to_ms, 14, "unseen", "")
    return _of_act(item)


def _of_lease(item: Lease) -> Cell:
    told = item.told
    lease = number(told.attempts)
    look = endings.LOOKS[EndingKind(told.kind)]
    said = filter(None, (f"Lease {lease}: {look.word}", late(told)))
    over = None if told.late_ms is None else _over(told.late_ms)
    wide = _HELD + max(over or 0, 0) + 8
    label = lease[:14]
    # The number stands below the end, to both sides of it.
    wide = max(wide, _HELD + (over or 0) + 3.5 * len(label))
    shape = EndingKind(told.kind).name.lower()
    return Cell(", ".join(said), None, told.ended_ms, wide, shape, label, over)


def _over(late_ms: int) -> float:
    """How far over the deadline: from a little for moments to the most for a minute and more."""
    if late_ms <= 0:
        return -_HELD / 2
    return _OVER + (_MOST_OVER - _OVER) * min(1.0, late_ms / 60_000)


def _of_flight(item: Flight, now_ms: int) -> Cell:
    lease = number(item.attempts)
    over = None if item.late_ms is None else _over(item.late_ms)
    start = item.first_ms if item.is_whole else None
    wide = 24 + 6.5 * len(lease[:14])
    title = f"Lease {lease} is in flight"
    return Cell(title, start, now_ms, wide, "flight", lease[:14], over, second="now")


def _of_missing(item: Missing) -> Cell:
    one = f"{item.first:,}"
    numbers = one if item.first == item.last else f"{one}–{item.last:,}"
    title = f"No ending is on record of lease{'' if numbers == one else 's'} {numbers}."
    return Cell(title, None, None, 10 + 6.5 * len(numbers), "missing", numbers)


def _of_act(item: Act) -> Cell:
    what = "refused" if item.is_refused else entries.called(item.op)
    who = brief(item.who, 60)
    label, second = _cut(what), _cut(who)
    wide = 6.2 * max(len(label), len(second)) + 8
    title = f"{entries.called(item.op)} by {who}"
    return Cell(title, item.at_ms, item.at_ms, wide, "flag", label, second=second)


def _cut(words: str) -> str:
    return words if len(words) <= 14 else f"{words[:13]}…"
