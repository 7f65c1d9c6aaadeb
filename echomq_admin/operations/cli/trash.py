"""`emq trash`: what was removed and can be restored, from the console's own database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.conf import settings

from echomq_admin.emq.whereabouts import Held
from echomq_admin.fleet.names import shown
from echomq_admin.operations import trash
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.names import named, scope
from echomq_admin.operations.cli.options import add_paging, add_scope
from echomq_admin.operations.trash import DAY_MS, InTrash, Page

MOST, _AT_ONCE = 10_000, 500


def add(parser) -> None:
    """What the verb takes."""
    add_scope(parser)
    add_paging(parser, "removals", "the newest")


def read(given: Mapping[str, object]) -> dict[str, object]:
    """At most `--limit` removals, newest first; `next` is the cursor behind them. Raises `Usage`,
    `Invalid`."""
    server, queue = scope(given["place"])
    limit = whole("Limit", given["limit"], 1, MOST)
    pages = list(_pages(server, queue, limit, str(given["cursor"])))
    return {
        "total": pages[0].total,
        "next": pages[-1].next,
        "jobs": [_document(row) for page in pages for row in page.rows],
    }


def lines(answer: dict[str, object]) -> list[str]:
    """A line a job, and how many there are."""
    said = [_line(row) for row in answer["jobs"]]
    said.append(f"{len(said):,} of {answer['total']:,} in the trash")
    return said + ([f"more: --cursor {answer['next']}"] if answer["next"] else [])


def _pages(server: str, queue: str | None, limit: int, cursor: str) -> Iterator[Page]:
    while limit > 0:
        page = trash.page(server, queue, cursor, min(limit, _AT_ONCE))
        yield page
        limit -= len(page.rows)
        if page.next is None:
            return
        cursor = page.next


def _document(row: InTrash) -> dict[str, object]:
    return {
        "server": row.server,
        **named("queue", row.queue),
        **named("job", row.job_id),
        "attempts": row.attempts,
        "size": row.size,
        "was_in": [_set(held) for held in row.sets],
        "removed_ms": row.at_ms,
        "kept_until_ms": row.at_ms + int(settings.EMQ_TRASH_DAYS * DAY_MS),
        "actor": row.actor,
        "reason": row.reason,
        "op_id": row.op_id,
    }


def _set(held: Held) -> dict[str, object]:
    group = {} if held.group is None else named("group", held.group)
    return {"set": held.place, "score": held.score} | group


def _line(row: Mapping[str, object]) -> str:
    was_in = ", ".join(_was_in(held) for held in row["was_in"]) or "no set"
    attempts = "?" if row["attempts"] is None else row["attempts"]
    name = str(row["job"]) + (f" ({row['job_name']})" if "job_name" in row else "")
    queue = row.get("queue_name", row["queue"])
    why = f": {shown(str(row['reason']))}" if row["reason"] else ""
    return (
        f"{name} {row['server']}/{queue} was in {was_in} attempts={attempts} "
        f"removed {times.exact(row['removed_ms'])} by {shown(str(row['actor']))}{why}"
    )


def _was_in(held: Mapping[str, object]) -> str:
    return f"lane {held['group']}" if "group" in held else str(held["set"])
