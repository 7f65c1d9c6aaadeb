"""`emq history`: how the leases of one job ended, and what people did to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.emq.present import Present, present
from echomq_admin.fleet import servers
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.spans import span
from echomq_admin.ledger.documents import document as of_entry
from echomq_admin.ledger.documents import exact
from echomq_admin.ledger.endings.acts import Act
from echomq_admin.ledger.endings.history import History, history
from echomq_admin.ledger.endings.lives import Flight, Item, Lease, Life, Missing, Unseen
from echomq_admin.ledger.endings.told import document as of_ending
from echomq_admin.operations import looks, trash
from echomq_admin.operations.cli import times
from echomq_admin.operations.cli.names import named, place, typed
from echomq_admin.operations.cli.stalls import ending_words
from echomq_admin.operations.cli.stops import Usage


def add(parser) -> None:
    """What the verb takes."""
    parser.add_argument("place", metavar="[SERVER/]QUEUE")
    parser.add_argument("id", metavar="ID")


def read(given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The document and its lines. The history is told from the database, where the job is now by
    its server: `now` is null and `trouble` a sentence when that does not answer. Raises `Usage`."""
    server_name, queue = place(str(given["place"]))
    job_id = typed(str(given["id"]))
    now, trouble = _now(server_name, queue, job_id)
    told = history(
        server_name, queue, job_id, now, is_in_trash=trash.holds(server_name, queue, job_id)
    )
    is_known = told.is_known or (now is not None and now.is_here)
    if not is_known:
        _refuse_strange_server(queue)
    answer = {
        "server": server_name,
        **named("queue", queue),
        **named("job", job_id),
        "now": None if now is None else _present(now),
        "trouble": trouble,
        "is_known": is_known,
        "lineage": told.lineage,
        "watched_since_ms": told.watched_ms,
        "endings": told.total,
        "has_older_endings": told.is_cut,
        "has_older_calls": told.has_more_acts,
        "has_more_unwatched": told.has_more_blind,
        "lives": [_life(life) for life in told.lives],
    }
    return answer, list(_said(answer, told))


def _refuse_strange_server(queue: str) -> None:
    """Raises `Usage` where a queue that is not known was meant to begin with a server."""
    stranger = looks.strange_server(queue)
    if stranger is not None:
        known = ", ".join(one.name for one in servers.servers())
        raise Usage(f"There is no server {stranger}; EMQ_SERVERS names: {known}.")


def _said(answer: Mapping[str, object], told: History) -> Iterator[str]:
    """The lineage, then a line a lease, a call and a hole between them."""
    yield str(answer["job"])
    if not answer["is_known"]:
        yield "nothing is on record of it"
    if told.lineage:
        cut = f", of the newest {told.endings:,} of {told.total:,} endings" if told.is_cut else ""
        yield f"in short{cut}: {told.lineage}"
    yield from _lines(told)
    if told.is_cut:
        yield "there are older endings than these"
    if told.has_more_acts:
        yield "the trail names it in older entries, too: emq trail --job ID"
    if told.has_more_blind:
        yield "more spans were not watched than are told here"
    if answer["trouble"]:
        yield f"where it is now is not known: {answer['trouble']}"


def _now(server_name: str, queue: str, job_id: str) -> tuple[Present | None, str]:
    server = servers.server(server_name)
    try:
        now = present(server.client, queue, job_id)
    except servers.TROUBLE as error:
        return None, servers.trouble(server, error)
    return (None, str(now.fault)) if now.is_unknown else (now, "")


def _present(now: Present) -> dict[str, object]:
    return {
        "now_ms": now.now_ms,
        "is_here": now.is_here,
        "held_by": sorted(now.held),
        "attempts": now.attempts,
        "deadline_ms": now.deadline_ms,
    }


def _life(life: Life) -> dict[str, object]:
    return {"life": life.number, "items": [_item(item) for item in life.items]}


def _item(item: Item) -> dict[str, object]:
    if isinstance(item, Lease):
        by = None if item.by is None else _call(item.by)
        return {"what": "ending", **of_ending(item.told), "by": by}
    if isinstance(item, Act):
        return {"what": "call", **_call(item)}
    if isinstance(item, Unseen):
        what = "gap" if item.is_of_trail else "not_watched"
        return {"what": what, "from_ms": item.from_ms, "to_ms": item.to_ms, "why": item.why}
    what = "missing" if isinstance(item, Missing) else "in_flight"
    return {"what": what, **asdict(item)}


def _call(act: Act) -> dict[str, object]:
    """An entry of the trail, of its jobs only this one."""
    if act.entry is None:
        return {}
    whole = of_entry(act.entry)
    mine = [exact(to_wire(moved.job_id)) for moved in act.told.jobs[:1]]
    return whole | {"jobs": [job for job in whole["jobs"] if job["id"] in mine]}


def _lines(told: History) -> Iterator[str]:
    for life in told.lives:
        if len(told.lives) > 1:
            yield f"life {life.number + 1:,}"
        yield from (_line(item) for item in life.items)


def _line(item: Item) -> str:
    if isinstance(item, Lease):
        words = [times.exact(item.told.ended_ms), ending_words(item.told)]
        if item.by:
            words += [f"{shown(item.by.op)} by {shown(item.by.who)}", *_reason(item.by)]
        return " · ".join(words)
    if isinstance(item, Act):
        return _act(item)
    if isinstance(item, Missing):
        each = f"lease {item.first:,}" if item.first == item.last else ""
        what = each or f"leases {item.first:,} to {item.last:,}"
        return f"{what}: no ending on record ({item.why})"
    if isinstance(item, Unseen):
        what = "GAP" if item.is_of_trail else f"NOT WATCHED until {times.exact(item.to_ms)}"
        return f"{times.exact(item.from_ms)} {what}: {shown(item.why)}"
    return _flight(item)


def _act(act: Act) -> str:
    refused = "refused: " if act.is_refused else ""
    words = [times.exact(act.at_ms), f"{refused}{shown(act.op)} by {shown(act.who)}"]
    if act.outcome and not act.is_plain:
        words.append(shown(act.outcome))
    return " · ".join([*words, *_reason(act)])


def _reason(act: Act) -> list[str]:
    return [f"reason: {shown(act.reason)}"] if act.reason else []


def _flight(item: Flight) -> str:
    number = "?" if item.attempts is None else f"{item.attempts:,}"
    due = "" if item.deadline_ms is None else f", deadline {times.exact(item.deadline_ms)}"
    is_lapsed = item.late_ms is not None and item.late_ms >= 0
    lapsed = f", lapsed {span(item.late_ms)} ago" if is_lapsed else ""
    return f"lease {number} is in flight{due}{lapsed}{_renewed(item)}"


def _renewed(item: Flight) -> str:
    if item.renewals is None or item.first_ms is None:
        return ", renewals not known"
    least = "" if item.is_whole else "at least "
    often = "once" if item.renewals == 1 else f"{item.renewals:,} times"
    said = f"renewed {least}{often}" if item.renewals else "no renewal seen"
    return f", {said} since {times.exact(item.first_ms)}"
