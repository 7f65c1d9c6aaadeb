"""The log of a job: which page of it, and its lines as text for the eye."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from django.http import QueryDict

from echomq_admin.console import payloads
from echomq_admin.console.forms import natural
from echomq_admin.emq.reads import LogPage
from echomq_admin.fleet.names import has_no_ink

PAGE, SECTION = 200, 20
# So much of one line is shown, in bytes, and so much markup do all lines take.
LINE = 2_000
WIDEST = 300_000
_MARKUP = 120
_WIDTHS = {"&": 5, "<": 4, ">": 4, '"': 6, "'": 6}


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line with its number from 1; `cut` says how long it is when it is not shown whole."""

    number: int
    text: str
    cut: str


@dataclass(frozen=True)
class LogLook:
    """The lines in front of line `before`, or the newest when it is `None`."""

    before: int | None
    limit: int

    @classmethod
    def read(cls, query: QueryDict, is_section: bool) -> LogLook:
        return cls(natural(query.get("before", "")), SECTION if is_section else PAGE)

    def older(self, found: LogPage) -> str:
        """The query of the page of older lines; empty when there is none."""
        return f"before={found.start}" if found.start else ""

    def newer(self, found: LogPage) -> str:
        """The query of the page of newer lines; of the newest it is empty as well."""
        if found.total is None or found.end + self.limit >= found.total:
            return ""
        return f"before={found.end + self.limit}"


def lines(found: LogPage) -> list[LogLine]:
    """The lines of a page, each cut behind its first `LINE` bytes, or before when the page would
    become too large."""
    made = [_line(found.start + at + 1, raw) for at, raw in enumerate(found.lines)]
    if sum(_MARKUP + sum(map(_width, line.text)) for line in made) <= WIDEST:
        return made
    share = WIDEST // len(made) - _MARKUP
    return [_cut(line, raw, share) for line, raw in zip(made, found.lines, strict=True)]


def _cut(line: LogLine, raw: bytes, most: int) -> LogLine:
    """A line that takes at most so many bytes of markup."""
    for at, width in enumerate(accumulate(map(_width, line.text))):
        if width > most:
            cut = line.cut or f"cut, {payloads.size(len(raw))} in all"
            return LogLine(line.number, line.text[:at], cut)
    return line


def _width(character: str) -> int:
    return _WIDTHS.get(character) or len(character.encode())


def _line(number: int, raw: bytes) -> LogLine:
    is_cut = len(raw) > LINE
    head = raw[:LINE]
    text = payloads.as_text(head, is_cut)
    if text is None:
        text = payloads.as_damaged_text(head, is_cut)
    cut = f"cut, {payloads.size(len(raw))} in all" if is_cut else ""
    if text is None:
        return LogLine(number, payloads.escaped(head), f"bytes, {payloads.size(len(raw))}")
    return LogLine(number, _visible(text), cut)


def _visible(text: str) -> str:
    return "".join(payloads.escape(c) if c not in "\n\t" and has_no_ink(c) else c for c in text)
