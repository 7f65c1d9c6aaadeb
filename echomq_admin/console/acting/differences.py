"""Two texts held against each other, line by line, for a person who is about to replace one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from echomq_admin.console.payloads import escape
from echomq_admin.fleet.names import has_no_ink

# Beyond so many changed lines they are not matched one by one, and of each side so many are shown.
MATCHED, LISTED = 1_000, 300
AROUND_LINES, AROUND_CHARS, LONGEST = 2, 60, 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """`kind` is "old", "new", "same" or "gap". Of a line that was changed, `changed` is what
    differs, between `before` and `after`; long ends are cut."""

    kind: str
    before: str = ""
    changed: str = ""
    after: str = ""


def differences(old: str, new: str) -> list[Line]:
    """The changed lines with a few around them; empty for two texts that are the same."""
    if old == new:
        return []
    before, after = old.split("\n"), new.split("\n")
    head = _common(before, after)
    rest = _common(before[head:][::-1], after[head:][::-1])
    middle = _middle(before[head : len(before) - rest], after[head : len(after) - rest])
    return [*_ending(before[:head]), *middle, *_starting(before[len(before) - rest :])]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two texts, or lists of lines, begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _ending(lines: list[str]) -> Iterator[Line]:
    if len(lines) > AROUND_LINES:
        yield Line("gap", _lines(len(lines) - AROUND_LINES))
    yield from (_same(line) for line in lines[-AROUND_LINES:])


def _starting(lines: list[str]) -> Iterator[Line]:
    yield from (_same(line) for line in lines[:AROUND_LINES])
    if len(lines) > AROUND_LINES:
        yield Line("gap", _lines(len(lines) - AROUND_LINES))


def _middle(old: list[str], new: list[str]) -> list[Line]:
    if max(len(old), len(new)) > MATCHED:
        return [*_some("old", old), *_some("new", new)]
    made: list[Line] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for how, a, b, c, d in matcher.get_opcodes():
        if how == "equal":
            made += _between(old[a:b])
        elif how == "replace" and b - a == d - c:
            for one, other in zip(old[a:b], new[c:d], strict=True):
                made += _pair(one, other)
        else:
            made += [*_some("old", old[a:b]), *_some("new", new[c:d])]
    return made


def _between(lines: list[str]) -> list[Line]:
    if len(lines) <= 2 * AROUND_LINES:
        return [_same(line) for line in lines]
    gap = Line("gap", _lines(len(lines) - 2 * AROUND_LINES))
    near = [_same(line) for line in lines]
    return [*near[:AROUND_LINES], gap, *near[-AROUND_LINES:]]


def _some(kind: str, lines: list[str]) -> list[Line]:
    made = [Line(kind, changed=_cut(line)) for line in lines[:LISTED]]
    rest = len(lines) - LISTED
    return made if rest <= 0 else [*made, Line("gap", f"{_lines(rest)}, {_SIDES[kind]}")]


_SIDES = {"old": "taken away", "new": "added"}


def _pair(old: str, new: str) -> list[Line]:
    """A line as it was and as it will be: what both begin and end with is told apart."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return [_marked("old", old, head, tail), _marked("new", new, head, tail)]


def _marked(kind: str, line: str, head: int, tail: int) -> Line:
    end = len(line) - tail
    before, after = line[:head], line[end:]
    if len(before) > AROUND_CHARS:
        before = "…" + before[-AROUND_CHARS:]
    if len(after) > AROUND_CHARS:
        after = after[:AROUND_CHARS] + "…"
    return Line(kind, visible(before), _cut(line[head:end]), visible(after))


def _same(line: str) -> Line:
    return Line("same", _cut(line))


def _cut(text: str) -> str:
    return visible(text[:LONGEST]) + ("…" if len(text) > LONGEST else "")


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


def visible(text: str) -> str:
    """A piece of a line in which nothing can hide: a tab as `\\t`, what cannot be seen escaped."""
    if not has_no_ink(text):
        return text
    return "".join(map(_inked, text))


def _inked(char: str) -> str:
    if char in "\t\r":
        return "\\t" if char == "\t" else "\\r"
    return escape(char) if has_no_ink(char) else char
