"""`emq jobs` and `emq job`: rows of one set, and one job whole."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator

from echomq_admin.emq import reads
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.emq.reads import ActivePage, Job, JobPage, Lease, Text, phase_of
from echomq_admin.emq.rows import ROW_MISSING
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.servers import Server
from echomq_admin.ledger.documents import exact
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.asking import answering, with_queue
from echomq_admin.operations.cli.names import named, place
from echomq_admin.operations.cli.stops import Usage

STATES = ("dead", "pending", "active", "scheduled", "lane")
MAX_ROWS = 10_000
_LONGEST = 200
_GONE = (
    "Nothing of it is here: it never was, or it has completed or was removed, which leaves no row. "
    "What is on record of it: manage.py emq history."
)


def jobs(
    text: str, state: str, limit: int, cursor: str = "", group: str | None = None
) -> dict[str, object]:
    """At most `limit` rows of a set from `cursor` on; `next` is the cursor behind them.

    `group` names the lane of "lane"; with "pending" it does the same.
    Raises `Usage`, `ServerFailed`.
    """
    if state == "lane" and group is None:
        raise Usage("Which lane? It is named by --group.")
    if group is not None and state not in {"lane", "pending"}:
        raise Usage(f"--group names a lane of waiting jobs; it does not go with {state}.")
    name, queue = place(text)
    server = with_queue(name, queue)
    with answering(server):
        pages = list(_pages(server, queue, state, limit, cursor, group))
    rows = [row for page in pages for row in _rows(page, state)]
    return {
        "server": name,
        **named("queue", queue),
        "state": state,
        "now_ms": pages[0].now_ms,
        "total": pages[0].total,
        "fault": next((page.fault for page in pages if page.fault), None),
        "next": pages[-1].next,
        "jobs": rows,
    }


def _pages(
    server: Server, queue: str, state: str, limit: int, cursor: str, group: str | None
) -> Iterator[JobPage | ActivePage]:
    left = limit
    while left > 0:
        asked = min(left, reads.MAX_LIMIT)
        if state == "active":
            page = reads.active_page(server.client, queue, asked, cursor)
        elif state == "dead":
            page = reads.dead_page(server.client, queue, asked, cursor)
        elif state == "scheduled":
            page = reads.scheduled_page(server.client, queue, asked, cursor)
        else:
            page = reads.pending_page(server.client, queue, asked, cursor, group)
        yield page
        left -= asked
        if page.next is None:
            return
        cursor = page.next


def _rows(page: JobPage | ActivePage, state: str) -> list[dict[str, object]]:
    if isinstance(page, ActivePage):
        return [lease_row(lease) for lease in page.leases]
    if state == "scheduled":
        return [_row(job) | {"due_ms": _finite(job.score or 0.0)} for job in page.jobs]
    return [_row(job) for job in page.jobs]


def lease_row(lease: Lease) -> dict[str, object]:
    """A job in flight for a document."""
    return _row(lease.job) | {"lease": lease.phase, "remaining_ms": _finite(lease.remaining_ms)}


def _row(job: Job) -> dict[str, object]:
    return {
        **named("job", job.job_id),
        "fault": job.fault,
        "state": None if job.state is None else shown(from_wire(job.state)),
        "attempts": job.attempts,
        "stalled": job.stalled,
        **({} if job.group is None else named("group", job.group)),
        "minted_ms": job.minted_ms,
        "error": _text(job.error),
        "payload": _text(job.payload),
    }


def _text(text: Text | None) -> dict[str, object] | None:
    if text is None:
        return None
    return {"size": text.size} | ({} if text.body is None else exact(text.body))


def _finite(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def jobs_lines(answer: dict[str, object]) -> list[str]:
    """A line a job, and how many there are."""
    lines = [job_line(row, answer["now_ms"]) for row in answer["jobs"]]
    total = "?" if answer["total"] is None else f"{answer['total']:,}"
    state = "in the lane" if answer["state"] == "lane" else answer["state"]
    lines.append(f"{len(lines):,} of {total} {state}")
    if answer["fault"]:
        lines.append(shown(str(answer["fault"])))
    if answer["next"]:
        lines.append(f"more: --cursor {answer['next']}")
    return lines


def job_line(row: dict[str, object], now_ms: int = 0) -> str:
    """One row of a document as a line."""
    words = [str(row["job"])]
    if row.get("job_name"):
        words.append(f"({row['job_name']})")
    if row["fault"]:
        return ", ".join([f"{' '.join(words)} {shown(str(row['fault']))}", *_times(row, now_ms)])
    words += [
        f"{name}={'?' if row[name] is None else row[name]}" for name in ("attempts", "stalled")
    ]
    words += [f"group={row['group']}"] if "group" in row else []
    words += _times(row, now_ms)
    if row["error"]:
        words.append(f"error={_preview(row['error'])}")
    return " ".join(words)


def _times(row: dict[str, object], now_ms: int) -> list[str]:
    """What is left of the lease of a row, or when it is due."""
    if "lease" in row:
        return [times.lease(row["lease"], float(row["remaining_ms"]))]
    return [times.due(float(row["due_ms"]), now_ms)] if "due_ms" in row else []


def _preview(text: dict[str, object]) -> str:
    if "base64" in text:
        return shown(from_wire(base64.b64decode(str(text["base64"]))))[:_LONGEST]
    if "text" not in text:
        return f"({text['size']:,} bytes)"
    first = str(text["text"]).splitlines() or [""]
    return shown(first[0])[:_LONGEST]


def job(text: str, job_id: str) -> dict[str, object]:
    """One job with every field of its row and the sets that hold it.

    Raises `Usage`, `ServerFailed`.
    """
    name, queue = place(text)
    server = with_queue(name, queue)
    with answering(server):
        detail = reads.whole_row(server.client, queue, job_id)
    return {
        "server": name,
        **named("queue", queue),
        **named("job", job_id),
        "now_ms": detail.now_ms,
        "fault": detail.job.fault,
        "minted_ms": detail.job.minted_ms,
        "held_by": {where: _finite(score) for where, score in detail.held_by.items()},
        "unread": dict(detail.faults),
        "locked": detail.locked,
        "log_lines": detail.log_lines,
        "fields": [
            {**named("field", from_wire(field)), **exact(value)}
            for field, value in detail.fields.items()
        ],
    }


def is_there(answer: dict[str, object]) -> bool:
    """Whether anything of the job was found, a row or an id in a set, or may be where nobody could
    look."""
    is_found = answer["fields"] or answer["held_by"] or answer["fault"] != ROW_MISSING
    return bool(is_found or answer["unread"])


def job_lines(answer: dict[str, object]) -> list[str]:
    """A line a fact, then a line a field."""
    now_ms, minted = answer["now_ms"], answer["minted_ms"]
    held = [_held(where, float(score), now_ms) for where, score in answer["held_by"].items()]
    unread = [f"{where} could not be read ({why})" for where, why in answer["unread"].items()]
    nowhere = "no set that could be read" if unread else "no set"
    lines = [
        str(answer["job"]),
        "; ".join([f"held by: {', '.join(held) or nowhere}", *map(shown, unread)]),
        f"minted: {'unknown' if minted is None else times.exact(minted)}",
        f"lock: {'a worker marks it' if answer['locked'] else 'none'}",
        f"log lines: {answer['log_lines']:,}",
    ]
    if answer["fault"]:
        lines.append(shown(str(answer["fault"])))
    if not is_there(answer):
        lines.append(_GONE)
    return lines + [f"  {field['field']}: {_whole(field)}" for field in answer["fields"]]


def _held(where: str, score: float, now_ms: int) -> str:
    """A set that holds the job, and what its score there says to a person."""
    if where == "active":
        remaining = score - now_ms
        return f"active ({times.lease(phase_of(remaining), remaining)})"
    if where == "schedule":
        return f"schedule ({times.due(score, now_ms)})"
    return f"{where} (score {score:g})" if score else where


def _whole(value: dict[str, object]) -> str:
    if "base64" in value:
        return shown(from_wire(base64.b64decode(str(value["base64"]))))
    return shown(str(value["text"]))
