"""Pages of the audit stream of a queue: newest entries first, from any entry or instant on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import redis

from .audit import PER_CALL, Entry, told
from .keyspace import Keyspace
from .replies import Answer, Batch

MOST_BYTES = 2_000_000
_CURSOR = re.compile(r"([on])([0-9]{1,19}-[0-9]{1,19})")
_LAST_MS = 2**63 - 1


@dataclass(frozen=True)
class AuditPage:
    """Some entries, newest first. `previous` leads to newer ones and `next` to older, `None` at
    an end; `cut` when the bytes that one page reads came to an end before its rows did.

    `is_oldest` when nothing is as old as the instant that was asked for. `total` is how many the
    stream holds; `None`, with a `fault`, when the key cannot be read.
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
    """The entries at a cursor, or those up to an instant, or the newest; unknown cursors are left
    aside. They are read 10 a call, because one can be large."""
    asked = _Asked(client, Keyspace(queue).audit, rows)
    found = _CURSOR.fullmatch(cursor)
    if found and found[1] == "n":
        return asked.newer(found[2]) or asked.newest()
    if found:
        return asked.older(f"({found[2]}", found[2]) or asked.newest()
    if at_ms is None:
        return asked.newest()
    ms = min(max(at_ms, 0), _LAST_MS - 1)
    page = asked.older(f"{ms}", f"{ms + 1}")
    if page is not None:
        return page
    return replace(asked.newer("0-0", is_start=True) or asked.newest(), is_oldest=True)


class _Asked:
    """One page of a stream."""

    def __init__(self, client: redis.Redis, key: bytes, rows: int) -> None:
        self._client, self._key, self._rows = client, key, rows
        self._total = 0
        self._fault: str | None = None
        self._is_cut = self._has_newer = False

    def newest(self) -> AuditPage:
        return self._page(self._read("xrevrange", "+", "-"), False)

    def older(self, last: str, above: str) -> AuditPage | None:
        """The entries from `last` down; `above` is where newer ones would begin."""
        found = self._read("xrevrange", last, "-", above)
        return self._page(found, self._has_newer) if found or self._fault else None

    def newer(self, entry_id: str, is_start: bool = False) -> AuditPage | None:
        """Those just above an entry; `None` where the newest page has them all."""
        found = self._read("xrange", f"({entry_id}", "+")
        if self._fault:
            return self._page([], False)
        if len(found) <= self._rows and not self._is_cut:
            return None
        shown = found[: self._rows][::-1]
        page = self._page(shown, True)
        return replace(page, next=None if is_start else f"o{shown[-1].entry_id}")

    def _page(self, found: list[Entry], has_newer: bool) -> AuditPage:
        shown = tuple(found[: self._rows])
        is_more = len(found) > len(shown) or self._is_cut
        return AuditPage(
            shown,
            None if self._fault else self._total,
            f"n{shown[0].entry_id}" if has_newer and shown else None,
            f"o{shown[-1].entry_id}" if is_more and shown else None,
            self._is_cut,
            fault=self._fault,
        )

    def _read(self, command: str, start: str, end: str, above: str = "") -> list[Entry]:
        """One entry more than a page has, where there is one; whether there are any from `above`
        on is asked along with the first."""
        entries: list[Entry] = []
        size, wanted = 0, self._rows + 1
        while len(entries) < wanted:
            asked = min(PER_CALL, wanted - len(entries))
            found = self._ask(command, start, end, asked, "" if entries else above)
            if found.fault:
                return []
            for entry_id, fields in found.value:
                size += sum(len(name) + len(value) for name, value in fields.items())
                entries.append(told(entry_id.decode("ascii"), fields))
            if len(found.value) < asked:
                break
            self._is_cut = size >= MOST_BYTES and len(entries) < wanted
            if self._is_cut:
                break
            start = f"({entries[-1].entry_id}"
        return entries

    def _ask(self, command: str, start: str, end: str, count: int, above: str) -> Answer:
        batch = Batch(self._client)
        length = batch.ask("xlen", self._key)
        found = batch.ask(command, self._key, start, end, count=count)
        newer = batch.ask("xrange", self._key, above, "+", count=1) if above else Answer()
        batch.run()
        self._has_newer |= bool(newer.value)
        self._fault = found.fault or length.fault or None
        self._total = 0 if self._fault else int(length.value)
        return found
