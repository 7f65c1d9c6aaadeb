"""Pages of the audit stream of a queue: newest entries first, from any entry or instant on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import redis

from .audit import PER_CALL, Entry, told
from .keyspace import Keyspace
from .replies import Answer, Batch

MOST_BYTES = 2_000_000
_CURSOR = re.compile(r"([on])([0-9]{1,20})-([0-9]{1,20})")
_LAST = 2**64 - 1
_LAST_ID = f"{_LAST}-{_LAST}"
# Nothing lies beyond these, and the server refuses a range that would begin there.
_NO_BOUNDS = ("o0-0", f"n{_LAST_ID}")

# A command and from where to where.
_Range = tuple[str, str, str]


@dataclass(frozen=True)
class AuditPage:
    """Some entries, newest first. `previous` leads to newer ones and `next` to older, `None` at
    an end; `cut` when the bytes that one page reads came to an end before its rows did.

    `is_oldest` when nothing is as old as what was asked for, so that these are the oldest. `total`
    is how many the stream holds; `None`, with a `fault`, when the key cannot be read.
    """

    entries: tuple[Entry, ...]
    total: int | None
    previous: str | None = None
    next: str | None = None
    cut: bool = False
    is_oldest: bool = False
    fault: str | None = None


def audit_page(
    client: redis.Redis, queue: str, rows: int, cursor: str = "", at_ms: int | None = None
) -> AuditPage:
    """The entries at a cursor, or those up to an instant, or the newest; the oldest, where all that
    is as old was trimmed. Unknown cursors are left aside. They are read 10 a call, because one can
    be large."""
    asked = _Asked(client, Keyspace(queue).audit, rows)
    way, entry_id = _cursor(cursor)
    if way == "n":
        return asked.newer(entry_id) or asked.newest()
    if way == "o":
        return asked.older(f"({entry_id}", entry_id) or asked.oldest()
    if at_ms is None or at_ms >= _LAST:
        return asked.newest()
    ms = max(at_ms, 0)
    return asked.older(f"{ms}", f"{ms + 1}") or asked.oldest()


def _cursor(text: str) -> tuple[str, str]:
    """The way a cursor leads and the entry that it starts from; empty for an unknown one."""
    found = _CURSOR.fullmatch(text)
    if found is None or max(int(found[2]), int(found[3])) > _LAST:
        return "", ""
    way, entry_id = found[1], f"{int(found[2])}-{int(found[3])}"
    return ("", "") if way + entry_id in _NO_BOUNDS else (way, entry_id)


class _Asked:
    """One page of a stream. `_has_beyond` tells whether it goes on behind where a page began."""

    def __init__(self, client: redis.Redis, key: bytes, rows: int) -> None:
        self._client, self._key, self._rows = client, key, rows
        self._total = 0
        self._fault: str | None = None
        self._is_cut = self._has_beyond = False

    def newest(self) -> AuditPage:
        return self._page(self._read("xrevrange", "+", "-"), False)

    def oldest(self) -> AuditPage:
        """The page that asked for something older than all gets."""
        return replace(self.newer("0-0") or self.newest(), is_oldest=True)

    def older(self, last: str, above: str) -> AuditPage | None:
        """The entries from `last` down; `above` is where newer ones would begin."""
        found = self._read("xrevrange", last, "-", ("xrange", above, "+"))
        return self._page(found, self._has_beyond) if found or self._fault else None

    def newer(self, entry_id: str) -> AuditPage | None:
        """Those just above an entry; `None` where the newest page has them all."""
        found = self._read("xrange", f"({entry_id}", "+", ("xrevrange", entry_id, "-"))
        if self._fault:
            return self._page([], False)
        if len(found) <= self._rows and not self._is_cut:
            return None
        shown = found[: self._rows][::-1]
        page = self._page(shown, True)
        return replace(page, next=f"o{shown[-1].entry_id}" if self._has_beyond else None)

    def _page(self, found: list[Entry], has_newer: bool) -> AuditPage:
        shown = tuple(found[: self._rows])
        is_more = len(found) > len(shown) or self._is_cut
        return AuditPage(
            shown,
            None if self._fault else self._total,
            f"n{shown[0].entry_id}" if has_newer and shown else None,
            f"o{shown[-1].entry_id}" if is_more and shown else None,
            self._is_cut and len(shown) < self._rows,
            fault=self._fault,
        )

    def _read(
        self, command: str, start: str, end: str, beyond: _Range | None = None
    ) -> list[Entry]:
        """One entry more than a page has, where there is one; whether there are any `beyond` is
        asked along with the first."""
        entries: list[Entry] = []
        size, wanted = 0, self._rows + 1
        while len(entries) < wanted:
            asked = min(PER_CALL, wanted - len(entries))
            found = self._ask(command, start, end, asked, None if entries else beyond)
            if found.fault:
                return []
            for entry_id, fields in found.value:
                size += sum(len(name) + len(value) for name, value in fields.items())
                entries.append(told(entry_id.decode("ascii"), fields))
            if len(found.value) < asked or entries[-1].entry_id == _LAST_ID:
                break
            start = f"({entries[-1].entry_id}"
            if size >= MOST_BYTES and len(entries) < wanted:
                self._is_cut = bool(self._ask(command, start, end, 1).value)
                break
        return entries

    def _ask(
        self, command: str, start: str, end: str, count: int, beyond: _Range | None = None
    ) -> Answer:
        batch = Batch(self._client)
        length = batch.ask("xlen", self._key)
        found = batch.ask(command, self._key, start, end, count=count)
        behind = batch.ask(beyond[0], self._key, *beyond[1:], count=1) if beyond else None
        batch.run()
        if behind:
            self._has_beyond = bool(behind.value)
        self._fault = found.fault or length.fault or None
        self._total = 0 if self._fault else int(length.value)
        return found
