"""Pages of jobs that wait, are scheduled or are dead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import redis

from .cursors import At, Order
from .cuts import Cut
from .ids import minted_ms
from .keyspace import Keyspace, from_wire
from .lanes import Lanes, LaneState
from .replies import Answer, Batch, now_ms
from .rows import LONGEST_ID, Job, Rows

MAX_LIMIT = 100


@dataclass(frozen=True)
class JobPage:
    """Jobs of one set in reading order; `previous` and `next` are cursors or `None`.

    `total` is `None` and `fault` says why when the key cannot be read. `ordered_by` is "score"
    in the schedule, and when scores that should all be equal are not: then the order is
    (score, id). "given" is the order in which ids were asked for.

    `at` is the instant at which the page was opened: `None` when it was not, and when the ids of
    the list do not tell the time. `namespaces` are those of the first and the last id of the list,
    as far as they have one. `lanes` are those asked for, whose place on the ring is not read, and
    `oldest_ms` the mint instants of their first jobs, read only when there is no other row.
    """

    now_ms: int
    total: int | None
    jobs: tuple[Job, ...]
    previous: str | None
    next: str | None
    ordered_by: Order | Literal["given"]
    fault: str | None = None
    at: At | None = None
    namespaces: tuple[str, ...] = ()
    lanes: tuple[LaneState, ...] = ()
    oldest_ms: tuple[int | None, ...] = ()


def pending_page(
    client: redis.Redis,
    queue: str,
    limit: int = 25,
    cursor: str = "",
    group: str | None = None,
    *,
    descending: bool = False,
    at: At | None = None,
    lanes: Sequence[str] = (),
) -> JobPage:
    """Waiting jobs, oldest id first; those of the lane of `group` when it is given.

    `limit` is brought into 1 to 100. A cursor that is none opens the first page; one whose
    member has gone, or has nothing behind it any more, opens the nearest rows. Without a cursor
    `at` opens the rows from that instant on in reading order, or else the nearest. The states
    of `lanes` are read along.
    """
    keys = Keyspace(queue)
    key = keys.pending if group is None else keys.lane(group)
    cut = Cut(key, at_most(limit), cursor, descending=descending, by_score=False, at=at)
    return _page(client, keys, cut, lanes)


def dead_page(
    client: redis.Redis,
    queue: str,
    limit: int = 25,
    cursor: str = "",
    *,
    descending: bool = True,
    at: At | None = None,
) -> JobPage:
    """Dead jobs, newest minted first. `limit`, `cursor` and `at` as in `pending_page`."""
    keys = Keyspace(queue)
    cut = Cut(keys.dead, at_most(limit), cursor, descending=descending, by_score=False, at=at)
    return _page(client, keys, cut)


def scheduled_page(
    client: redis.Redis,
    queue: str,
    limit: int = 25,
    cursor: str = "",
    *,
    descending: bool = False,
    at: At | None = None,
) -> JobPage:
    """Scheduled jobs by (due time, id), the next one due first.

    The score of a row is its due time, unix ms, and `at` is a due time. `limit` and `cursor` as
    in `pending_page`.
    """
    keys = Keyspace(queue)
    cut = Cut(keys.schedule, at_most(limit), cursor, descending=descending, by_score=True, at=at)
    return _page(client, keys, cut)


def at_most(limit: int) -> int:
    """A page size in bounds."""
    return min(max(limit, 1), MAX_LIMIT)


def begin_rows(keys: Keyspace, cut: Cut, second: Batch, third: Batch) -> Rows:
    """The rows of a page, once `third` has run.

    When the page itself takes the second round trip, the rows go without texts.
    """
    if not cut.is_settled:
        cut.ask_again(second)
        second.run()
        rows = Rows(keys, cut.page.members, LONGEST_ID)
        rows.ask_lean(third)
        return rows
    rows = Rows(keys, cut.page.members, LONGEST_ID)
    rows.ask_lengths(second)
    second.run()
    rows.ask_short(third)
    return rows


def _page(client: redis.Redis, keys: Keyspace, cut: Cut, lanes: Sequence[str] = ()) -> JobPage:
    first, second, third = Batch(client), Batch(client), Batch(client)
    time = first.ask("time")
    cut.ask(first)
    beside = Lanes(keys, lanes, first, too_long=("ring",)) if lanes else None
    first.run()
    heads = [] if cut.total else [second.ask("zrange", keys.lane(name), 0, 0) for name in lanes]
    rows = begin_rows(keys, cut, second, third)
    third.run()
    page = cut.page
    return JobPage(
        now_ms=now_ms(time),
        total=cut.total,
        jobs=rows.jobs(),
        previous=page.previous,
        next=page.next,
        ordered_by=cut.order,
        fault=cut.fault,
        at=cut.opened_at,
        namespaces=cut.namespaces,
        lanes=beside.states() if beside else (),
        oldest_ms=tuple(map(_oldest_ms, heads)),
    )


def _oldest_ms(head: Answer) -> int | None:
    return minted_ms(from_wire(head.value[0])) if head.value else None
