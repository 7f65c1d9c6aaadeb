"""`emq stalls`: how leases ended, from the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any

from echomq_admin.emq import reads
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import brief, shown
from echomq_admin.ledger.documents import exact
from echomq_admin.ledger.endings import queries, unseen
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.queries import Filter
from echomq_admin.ledger.endings.told import Told, document
from echomq_admin.ledger.endings.unseen import Span
from echomq_admin.ledger.endings.wording import KINDS, SOURCES, late, within
from echomq_admin.ledger.keysets import Cut
from echomq_admin.ledger.notes import host_ms
from echomq_admin.operations.arguments import whole
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.asking import on_record
from echomq_admin.operations.cli.names import both, scope, typed
from echomq_admin.operations.cli.options import add_paging, add_scope, text
from echomq_admin.operations.cli.paging import MOST, add_times, bounds, how_to_go_on, pages
from echomq_admin.operations.cli.trail import gap_document, gap_line

_LONGEST = 200


def add(parser) -> None:
    """What the verb takes."""
    add_scope(parser)
    said = (f"how the lease ended: {_words(KINDS)}", f"how it is known: {_words(SOURCES)}")
    parser.add_argument("--kind", choices=KINDS, help=said[0])
    parser.add_argument("--source", choices=SOURCES, help=said[1])
    parser.add_argument("--lane", metavar="LANE", help="of jobs of this lane")
    parser.add_argument("--job", metavar="ID", help="of this job")
    add_times(parser)
    parser.add_argument("--text", default="", help="a part of the error, of any case")
    add_paging(parser, "endings", "the newest")


def _words(known: Mapping[str, EndingKind | Source]) -> str:
    """Each word with what pages call it."""
    return ", ".join(f"{word} ({one.label})" for word, one in known.items())


def read(given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The document and its lines: at most `--limit` endings, newest first, and what was not watched
    between them; `next` is the cursor behind them. Raises `Usage`, `Invalid`."""
    wanted = _wanted(given)
    limit = whole("Limit", given["limit"], 1, MOST)
    found = list(pages(partial(queries.page, wanted), limit, str(given["cursor"])))
    endings = [told for one in found for told in one.endings]
    spans, more_spans = _spans(wanted, found)
    gaps = [gap for one in found for gap in unseen.gaps(wanted, one)]
    away = unseen.unwatched(unseen.watching(wanted), _clocks(wanted.server))
    answer = {
        "endings": [document(told) for told in endings],
        "unseen": [_span(span) for span in spans],
        "more_unseen": more_spans,
        "gaps": [gap_document(gap) for gap in gaps],
        "more_gaps": unseen.has_more_gaps(wanted),
        "unwatched": [{"server": server, "seen_ms": seen_ms} for server, seen_ms in away],
        "searched_to_ms": found[-1].reached_ms,
        "next": found[-1].next,
    }
    return answer, [*(_away_line(*one) for one in away), *_lines(answer, endings, spans)]


def _spans(wanted: Filter, found: Sequence[Cut]) -> tuple[list[Span], bool]:
    """What was not watched within some pages, each span once; whether there is more of it."""
    each = [unseen.spans(wanted, one) for one in found]
    spans = dict.fromkeys(span for some, _ in each for span in some)
    return list(spans), any(is_more for _, is_more in each)


def _lines(
    answer: Mapping[str, Any], endings: Sequence[Told], spans: Sequence[Span]
) -> Iterator[str]:
    """A line an ending, what is missing at its place, and how to go on."""
    said = [(told.ended_ms, _line(told)) for told in endings]
    said += [(span.to_ms, _span_line(span)) for span in spans]
    said += [(gap["at_ms"], gap_line(gap)) for gap in answer["gaps"]]
    if not endings and answer["searched_to_ms"] is None:
        yield "no ending"
    yield from (line for _, line in sorted(said, key=itemgetter(0), reverse=True))
    if answer["more_unseen"]:
        yield "more was not watched than is told: ask for a shorter time, or for one queue"
    yield from how_to_go_on(answer)


def _span(span: Span) -> dict[str, object]:
    queue = None if span.queue is None else exact(to_wire(span.queue))
    times_ms = {"from_ms": span.from_ms, "to_ms": span.to_ms}
    return {"server": span.server, "queue": queue, **times_ms, "why": span.why}


def _span_line(span: Span) -> str:
    where = span.server if span.queue is None else f"{span.server}/{both(span.queue)}"
    until = f"until {times.exact(span.to_ms)}"
    return f"{times.exact(span.from_ms)} NOT WATCHED {until} on {where}: {shown(span.why)}"


def _away_line(server: str, seen_ms: int) -> str:
    return f"NOT WATCHED NOW: no agent has looked at {server} since {times.exact(seen_ms)}"


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
    by = f" · {shown(told.op)} by {shown(told.who)}" if told.op else ""
    return f"{times.exact(told.ended_ms)} · {where}{life} · {ending_words(told)}{by}"


def _wanted(given: Mapping[str, object]) -> Filter:
    server, queue = scope(given["place"])
    if queue is not None:
        on_record(server, queue)
    kind, source = given["kind"], given["source"]
    return Filter(
        server=server,
        queue=queue,
        lane=None if given["lane"] is None else typed(str(given["lane"])),
        job_id=None if given["job"] is None else typed(str(given["job"])),
        kind=None if kind is None else KINDS[str(kind)],
        source=None if source is None else SOURCES[str(source)],
        text=text(given["text"]),
        **bounds(given, partial(_now_ms, server)),
    )


def _clocks(name: str) -> dict[str, float]:
    """The clocks of a server, or of all, that answer."""
    now_ms = dict[str, float]()
    for server in servers.servers():
        if name in ("", server.name):
            with suppress(*servers.TROUBLE):
                now_ms[server.name] = reads.server_now_ms(server.client)
    return now_ms


def _now_ms(name: str) -> int:
    """By the clock of the server, or of the first that answers; else by that of this host."""
    return int(next(iter(_clocks(name).values()), host_ms()))
