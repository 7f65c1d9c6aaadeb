"""`emq stalls`: how leases ended, from the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC

from echomq_admin.emq import reads
from echomq_admin.emq.keyspace import from_wire
from echomq_admin.fleet import moments, servers
from echomq_admin.fleet.names import brief, shown
from echomq_admin.ledger.endings import queries
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.queries import Filter, Page
from echomq_admin.ledger.endings.told import Told, document
from echomq_admin.ledger.endings.wording import late, within
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.names import both, scope, typed
from echomq_admin.operations.cli.options import add_paging, add_scope, text
from echomq_admin.operations.cli.stops import Usage

MOST = 1_000
_LONGEST = 200
_KINDS = {kind.name.lower(): kind for kind in EndingKind}
_SOURCES = {source.name.lower(): source for source in Source}
_TIME = f"{moments.EXAMPLES}; UTC, or with an offset; 2h is two hours ago"


def add(parser) -> None:
    """What the verb takes."""
    add_scope(parser)
    parser.add_argument("--kind", choices=_KINDS, help="how the lease ended")
    parser.add_argument("--source", choices=_SOURCES, help="who says so")
    parser.add_argument("--lane", metavar="GROUP", help="of jobs of this lane")
    parser.add_argument("--job", metavar="ID", help="of this job")
    parser.add_argument("--from", dest="since", metavar="TIME", help=f"not before: {_TIME}")
    parser.add_argument("--to", dest="until", metavar="TIME", help="before this time")
    parser.add_argument("--text", default="", help="a part of the error, of any case")
    add_paging(parser, "endings", "the newest")


def read(given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The document and its lines: at most `--limit` endings, newest first; `next` is the cursor
    behind them. Raises `Usage`, `Invalid`."""
    wanted = _wanted(given)
    pages = list(_pages(wanted, whole("Limit", given["limit"], 1, MOST), str(given["cursor"])))
    told = [one for found in pages for one in found.endings]
    last = pages[-1]
    said = [_line(one) for one in told]
    if last.reached_ms is not None:
        said.append(f"searched back to {times.exact(last.reached_ms)}")
    if last.next:
        said.append(f"more: --cursor {last.next}")
    answer = {
        "endings": [document(one) for one in told],
        "searched_to_ms": last.reached_ms,
        "next": last.next,
    }
    return answer, said or ["no ending"]


def ending_words(told: Told) -> str:
    """One ending without its place: which lease, how, how late, why."""
    number = "?" if told.attempts is None else f"{told.attempts:,}"
    again = f", revived {told.n:,} times" if told.n else ""
    words = [f"lease {number}{again}: {told.kind.label}", *filter(None, (within(told), late(told)))]
    words += [f"{name} {value:,}" for name, value in _counts(told) if value is not None]
    if told.lane is not None:
        words.append(f"lane {brief(told.lane)}{'…' if told.lane_cut else ''}")
    words.append(told.source.label)
    if told.error is not None:
        words.append(f"error: {_first_line(told.error)}")
    return " · ".join(words)


def _counts(told: Told) -> Iterator[tuple[str, int | None]]:
    yield "stalls", told.stalled
    yield "renewals", told.renewals


def _first_line(raw: bytes) -> str:
    first = from_wire(raw).lstrip("\r\n").partition("\n")[0]
    return shown(first[:_LONGEST]) + ("…" if len(first) > _LONGEST else "")


def _line(told: Told) -> str:
    where = f"{told.server}/{both(told.queue)} {both(told.job_id)}"
    life = f", life {told.life + 1:,}" if told.life else ""
    return f"{times.exact(told.ended_ms)} · {where}{life} · {ending_words(told)}"


def _wanted(given: Mapping[str, object]) -> Filter:
    server, queue = scope(given["place"])
    kind, source = given["kind"], given["source"]
    return Filter(
        server=server,
        queue=queue,
        lane=None if given["lane"] is None else typed(str(given["lane"])),
        job_id=None if given["job"] is None else typed(str(given["job"])),
        kind=None if kind is None else _KINDS[str(kind)],
        source=None if source is None else _SOURCES[str(source)],
        since_ms=_time(given["since"], server),
        until_ms=_time(given["until"], server),
        text=text(given["text"]),
    )


def _time(given: object, server: str) -> int | None:
    """Unix ms. Raises `Usage`."""
    if given is None:
        return None
    try:
        return moments.read(str(given), _now_ms(server), UTC, ahead=False).ms
    except ValueError as error:
        raise Usage(shown(str(error))) from None


def _now_ms(name: str) -> int:
    """By the clock of the server, or of the first that answers; else by that of this host."""
    for server in servers.servers():
        if name in ("", server.name):
            try:
                return reads.server_now_ms(server.client)
            except servers.TROUBLE:
                continue
    return host_ms()


def _pages(wanted: Filter, limit: int, cursor: str) -> Iterator[Page]:
    """Pages until there are so many endings; a search ends where its window does."""
    left = limit
    while left > 0:
        found = queries.page(wanted, left, cursor)
        yield found
        left -= len(found.endings)
        if found.next is None or found.reached_ms is not None:
            return
        cursor = found.next
