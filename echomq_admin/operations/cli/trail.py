"""`emq trail`: what people did, from the console's own database; no server is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet.names import shown
from echomq_admin.ledger import stuck, trail
from echomq_admin.ledger.documents import document, exact
from echomq_admin.ledger.endings.told import NOBODY
from echomq_admin.ledger.models import Copied, Gap, Kind
from echomq_admin.ledger.notes import host_ms
from echomq_admin.ledger.trail import Filter
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.names import named, scope, typed
from echomq_admin.operations.cli.options import add_paging, add_scope, text
from echomq_admin.operations.cli.paging import MOST, add_times, bounds, how_to_go_on, pages


def add(parser) -> None:
    """What the verb takes."""
    add_scope(parser)
    parser.add_argument("--who", default="", help="the name of a user")
    parser.add_argument("--what", default="", metavar="VERB", help="what was done")
    parser.add_argument("--kind", choices=Kind.values, default="", help="where it is known from")
    parser.add_argument("--job", metavar="ID", help="entries that name this job")
    parser.add_argument("--call", default="", metavar="OP_ID", help="every step of this call")
    add_times(parser)
    parser.add_argument("--text", default="", help="a part of a reason or of a message")
    add_paging(parser, "entries", "the newest")


def read(given: Mapping[str, object]) -> dict[str, object]:
    """At most `--limit` entries, newest first; `next` is the cursor behind them. Raises `Usage`,
    `Invalid`."""
    wanted = _wanted(given)
    limit = whole("Limit", given["limit"], 1, MOST)
    read_page = partial(trail.page, wanted)
    found_pages = list(pages(read_page, limit, str(given["cursor"])))
    gaps = [gap for found in found_pages for gap in trail.gaps(wanted, found)]
    return {
        "entries": [document(entry) for found in found_pages for entry in found.entries],
        "gaps": [gap_document(gap) for gap in gaps],
        "more_gaps": trail.has_more_gaps(wanted),
        "not_copied": [_stuck(row) for row in stuck.streams(wanted)],
        "searched_to_ms": found_pages[-1].reached_ms,
        "next": found_pages[-1].next,
    }


def lines(answer: dict[str, object]) -> list[str]:
    """A line an entry, gaps at their places, and how to go on."""
    said = [(gap["at_ms"], gap_line(gap)) for gap in answer["gaps"]]
    said += [(entry["at_ms"], _line(entry)) for entry in answer["entries"]]
    ordered = [line for _, line in sorted(said, key=lambda one: one[0], reverse=True)]
    ordered[:0] = [f"NOT COPIED: {_target(one)}: {one['fault']}" for one in answer["not_copied"]]
    ordered += how_to_go_on(answer)
    return ordered or ["no entry"]


def _wanted(given: Mapping[str, object]) -> Filter:
    server, queue = scope(given["place"])
    return Filter(
        actor=_word(given["who"]),
        op=_word(given["what"]),
        kind=str(given["kind"]),
        server=server,
        queue=queue,
        job_id=None if given["job"] is None else typed(str(given["job"])),
        op_id=_word(given["call"]),
        **bounds(given, host_ms),
        text=_word(given["text"]),
    )


def _word(given: object) -> str:
    """Words as the database keeps them: bytes that are no text are none of them."""
    return text(given).encode("utf-8", "replace").decode()


def gap_document(gap: Gap) -> dict[str, object]:
    """A gap for a JSON document."""
    return {
        "at_ms": trail.gap_ms(gap),
        "server": gap.server,
        **named("queue", from_wire(bytes(gap.queue))),
        "after_id": gap.after_id,
        "before_id": gap.before_id,
        "missing": gap.missing,
        "sentence": gap.sentence,
    }


def _stuck(row: Copied) -> dict[str, object]:
    return {"server": row.server, "queue": exact(bytes(row.queue)), "fault": row.fault}


def gap_line(gap: Mapping[str, object]) -> str:
    """The line of such a document."""
    where = f"{gap['server']}/{gap['queue']}"
    return f"{times.exact(gap['at_ms'])} GAP on {where}: {shown(str(gap['sentence']))}"


def _line(entry: Mapping[str, object]) -> str:
    words = [times.exact(entry["at_ms"]), *_head(entry)]
    counted = Counter(str(job["outcome"]) for job in entry["jobs"])
    if entry["n"]:
        each = "; ".join(f"{count:,} {shown(word)}" for word, count in counted.items())
        words.append(f"jobs: {entry['n']:,}{f' ({each})' if each else ''}")
    for name in ("reason", "sentence", "fault", "op_id"):
        if entry[name]:
            words.append(f"{name}: {shown(str(entry[name]))}")
    return " · ".join(words)


def _head(entry: Mapping[str, object]) -> Iterator[str]:
    """What was done, by whom and where, with its kind where no stream told it."""
    kind = "" if entry["kind"] == Kind.MOVED else f"{entry['kind']}: "
    yield f"{kind}{shown(str(entry['op']))}"
    if entry["actor"] or entry["server"]:
        yield f"by {shown(str(entry['actor']))}" if entry["actor"] else f"by {NOBODY}"
    if entry["server"]:
        yield f"on {_target(entry)}"


def _target(entry: Mapping[str, object]) -> str:
    queue = entry["queue"]
    if "base64" in queue:
        return f"{shown(str(entry['server']))}/(base64) {queue['base64']}"
    name = f"/{shown(str(queue['text']))}" if queue["text"] else ""
    return f"{shown(str(entry['server']))}{name}"
