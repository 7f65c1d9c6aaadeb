"""Pages of jobs that wait, are scheduled or are dead."""

from __future__ import annotations

from dataclasses import dataclass

import redis

from .cursors import Order
from .cuts import Cut
from .keyspace import Keyspace
from .replies import Batch, now_ms
from .rows import Job, Rows

MAX_LIMIT = 100


@dataclass(frozen=True)
class JobPage:
    """Jobs of one set in reading order; `previous` and `next` are cursors or `None`.

    `total` is `None` and `fault` says why when the key cannot be read. `ordered_by` is "score"
    in the schedule, and when scores that should all be equal are not: then the order is
    (score, id).
    """

    now_ms: int
    total: int | None
    jobs: tuple[Job, ...]
    previous: str | None
    next: str | None
    ordered_by: Order
    fault: str | None = None


def pending_page(
    client: redis.Redis, queue: str, limit: int = 25, cursor: str = "", group: str | None = None
) -> JobPage:
    """Waiting jobs, oldest id first; those of the lane of `group` when it is given.

    `limit` is brought into 1 to 100. A cursor that is none opens the first page; one whose
    member has gone, or has nothing behind it any more, opens the nearest rows.
    """
    keys = Keyspace(queue)
    key = keys.pending if group is None else keys.lane(group)
    return _page(client, keys, Cut(key, at_most(limit), cursor, descending=False, by_score=False))


def dead_page(client: redis.Redis, queue: str, limit: int = 25, cursor: str = "") -> JobPage:
    """Dead jobs, newest minted first. `limit` and `cursor` as in `pending_page`."""
    keys = Keyspace(queue)
    return _page(
        client, keys, Cut(keys.dead, at_most(limit), cursor, descending=True, by_score=False)
    )


def scheduled_page(client: redis.Redis, queue: str, limit: int = 25, cursor: str = "") -> JobPage:
    """Scheduled jobs by (due time, id), the next one due first.

    The score of a row is its due time, unix ms. `limit` and `cursor` as in `pending_page`.
    """
    keys = Keyspace(queue)
    return _page(
        client, keys, Cut(keys.schedule, at_most(limit), cursor, descending=False, by_score=True)
    )


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
        rows = Rows(keys, cut.page.members)
        rows.ask_lean(third)
        return rows
    rows = Rows(keys, cut.page.members)
    rows.ask_lengths(second)
    second.run()
    rows.ask_short(third)
    return rows


def _page(client: redis.Redis, keys: Keyspace, cut: Cut) -> JobPage:
    first, third = Batch(client), Batch(client)
    time = first.ask("time")
    cut.ask(first)
    first.run()
    rows = begin_rows(keys, cut, Batch(client), third)
    third.run()
    page = cut.page
    return JobPage(
        now_ms(time), cut.total, rows.jobs(), page.previous, page.next, cut.order, cut.fault
    )
