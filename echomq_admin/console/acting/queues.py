"""Before a whole queue is paused, promoted, drained or obliterated: what that would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from echomq_admin.console import words
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.preview import Shown
from echomq_admin.console.outcomes import Outcome
from echomq_admin.emq import reads
from echomq_admin.emq.clearing import NAMED
from echomq_admin.emq.reads import DrainLook, Hoard
from echomq_admin.fleet import discovery
from echomq_admin.fleet.names import brief
from echomq_admin.operations import consent
from echomq_admin.operations.calls import Call, Done

TEMPLATE = "console/_ask_facts.html"
MOST_PROMOTED = 10_000


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of a confirmation: what there is, how many (`None` is unknown), and a remark."""

    label: str
    count: int | None
    remark: str = ""


def pause(asked: Asked, _call: Call) -> Shown:
    """What goes on and what waits while a queue is paused."""
    counts = asked.place.counts
    is_paused = bool(counts and counts.paused)
    facts = [
        Fact("Waiting", counts.waiting if counts else None, "stay where they are"),
        Fact("In flight", counts.active if counts else None, "their workers may finish them"),
        Fact("Scheduled", counts.scheduled if counts else None, "still go to pending on time"),
    ]
    said = ["It is paused already: there is nothing to do."] if is_paused else []
    return _shown(facts, said, is_nothing=is_paused, press="Pause queue")


def resume(asked: Asked, _call: Call) -> Shown:
    """What workers find when a queue is resumed."""
    counts = asked.place.counts
    is_paused = not counts or counts.paused is not False
    facts = [Fact("Waiting", counts.waiting if counts else None, "can be claimed from then on")]
    said = [] if is_paused else ["It is not paused: there is nothing to do."]
    return _shown(facts, said, is_nothing=not is_paused, press="Resume queue")


def promote(asked: Asked, call: Call) -> Shown:
    """How many jobs are due, of which the call takes as many as it shows."""
    counts = asked.place.counts
    due = counts.due if counts else None
    take = min(due or 0, MOST_PROMOTED)
    facts = [
        Fact("Due", due, "go to pending, each grouped one into its lane"),
        Fact("Scheduled", counts.scheduled if counts else None, "in all; the others wait on"),
    ]
    if due == 0:
        return _shown(facts, ["No job is due: there is nothing to do."], is_nothing=True)
    most = str(call.args.get("limit") if asked.shown else take or 100)
    return _shown(
        facts,
        press=f"Promote {words.jobs(int(most))}",
        sets={"limit": most},
        args=("limit",),
        without=frozenset({"limit"}),
    )


def promoted(asked: Asked, done: Done) -> Outcome:
    """A promotion held against the number that was shown."""
    shown = cast(int, done.call.args["limit"]) if asked.shown else 0
    moved = done.result if isinstance(done.result, int) else 0
    less = shown - moved
    note = ""
    if less > 0:
        were = "was" if less == 1 else "were"
        note = (
            f"{shown:,} {'was' if shown == 1 else 'were'} shown. {less:,} {were} not promoted: "
            "taken meanwhile by a worker's own promotion or moved by somebody, or the row is "
            "missing or unreadable; the audit names those that this call set aside."
        )
    return Outcome("part" if done.more else "done", done.sentence, note, at_ms=asked.place.now_ms)


def drain(asked: Asked, call: Call) -> Shown:
    """What a drain deletes, with the first ids of it."""
    place = asked.place
    found = reads.drain_look(place.server.client, place.queue)
    facts = [
        _deleted("Pending", found.pending),
        Fact("Scheduled", found.scheduled, _TICKED if found.scheduled else ""),
    ]
    whole = bool(call.args.get("include_schedule"))
    return _shown(
        facts,
        _of_drain(found),
        numbers=_known({"pending": found.pending, "scheduled": found.scheduled})
        | _strangers(asked, found),
        overlooked=frozenset() if whole else frozenset({"scheduled", _CAME.format("scheduled")}),
        reached=(*found.first_pending, *found.first_scheduled),
        without=frozenset({"budget"} if found.scheduled else {"budget", "include_schedule"}),
        is_nothing=bool(found.fault) or not (found.pending or found.scheduled),
        press="Drain" if found.scheduled else f"Drain {words.jobs(found.pending or 0)}",
        named=_named(found.first_pending, found.pending, "pending")
        + _named(found.first_scheduled, found.scheduled, "scheduled"),
    )


def _strangers(asked: Asked, found: DrainLook) -> dict[str, int]:
    """How many of each set came since the confirmation, where that named all of the set."""
    numbers = consent.shown_numbers(asked.shown)
    named = consent.shown_names(asked.shown)
    sets = {"pending": found.first_pending, "scheduled": found.first_scheduled}
    return {
        _CAME.format(name): sum(job_id not in named for job_id in job_ids)
        for name, job_ids in sets.items()
        if 0 < numbers.get(name, 0) <= NAMED
    }


def named_all(asked: Asked, *kinds: str) -> bool:
    """Whether a confirmation named all jobs of these kinds: those that came since are told."""
    numbers = consent.shown_numbers(asked.shown)
    return all(numbers.get(kind, 0) <= NAMED for kind in kinds)


def _of_drain(found: DrainLook) -> list[str]:
    if found.fault:
        return [f"It would be refused: {found.fault}."]
    if not (found.pending or found.scheduled):
        return ["There is nothing to drain."]
    return ["Jobs in lanes, active and dead jobs stay.", _NOT_KEPT, *_of_children(found)]


def _of_children(found: DrainLook) -> list[str]:
    """What becomes of flows: children of parents in another queue may be waited for too."""
    counts = {"pending": found.pending_children, "scheduled": found.scheduled_children}
    told = " and ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    if not told:
        return []
    least = "At least " if found.is_cut else ""
    return [f"{least}{told}: children whose flow parents wait for them, and then wait for ever."]


def obliterate(asked: Asked, call: Call) -> Shown:
    """All that is known of a queue, by kind, and what stays of it."""
    place = asked.place
    lanes = discovery.lanes_of(place.server.name, place.queue)
    found = reads.hoard(place.server.client, place.queue, lanes)
    is_paused = bool(found.counts.paused)
    said = [] if is_paused else ["It is not paused. Pause it first: only then it can be deleted."]
    if found.fault:
        said.append(f"It would be refused: {found.fault}.")
    if found.counts.active:
        said.append(_ACTIVE)
    return _shown(
        [*_job_facts(found), *_other_facts(found)],
        [*said, _UNNAMED, _NOT_KEPT],
        numbers=_known(found.jobs | {"repeatables": found.counts.repeats}),
        overlooked=frozenset() if call.args.get("force") else frozenset({"active"}),
        without=frozenset({"budget"} if found.counts.active else {"budget", "force"}),
        is_nothing=not is_paused or bool(found.fault),
        press="Obliterate",
        stays=_stays(found),
    )


_CAME = "{} that came since"
_WITH_ROWS = "deleted with row and logs"
_TICKED = "deleted too, only if you tick it below"
_NOT_KEPT = "Nothing of it goes to the trash: it cannot be taken back."
_ACTIVE = (
    "Jobs are active. Without force nothing is deleted while that is so; by force their rows go, "
    "and what their workers still report finds nothing."
)
_UNNAMED = (
    "Lanes that no key of the queue names are looked for when it runs, and deleted with their jobs."
)


def _job_facts(found: Hoard) -> list[Fact]:
    of = found.counts
    lanes = words.counted(of.lanes, "lane")
    return [
        _deleted("Pending", of.pending),
        _deleted("In lanes", of.lanes_pending, f"in {lanes}: {_WITH_ROWS}"),
        _deleted("Scheduled", of.scheduled),
        _deleted("Dead", of.dead),
        _deleted("Active", of.active, f"only by force, then {_WITH_ROWS}"),
    ]


def _deleted(label: str, count: int | None, remark: str = "") -> Fact:
    """Jobs that go, with the remark where there are any, or nobody knows."""
    return Fact(label, count, "" if count == 0 else remark or _WITH_ROWS)


def _other_facts(found: Hoard) -> list[Fact]:
    of = found.counts
    facts = [
        Fact("Repeatables", of.repeats, "deleted: they bring no more jobs"),
        Fact("Limits of lanes", found.limits, "deleted"),
        Fact("Weights of lanes", found.weights, "deleted"),
        Fact("Paused lanes", found.paused_lanes, "deleted: no lane is paused any more"),
        Fact("Flow signals", found.signals, "deleted, not yet delivered to other queues"),
        Fact("Completed", of.completed, "the counter starts over"),
        Fact("Failed", of.failed, "the counter starts over"),
    ]
    return [fact for fact in facts if fact.count != 0]


def _stays(found: Hoard) -> list[str]:
    entries = "its entries" if found.audit is None else f"{found.audit:,} entries"
    if found.audit == 1:
        entries = "1 entry"
    return [
        f"the audit of the queue ({entries}, and one for each step of this), and its trail here",
        "replies that the console keeps against double presses, for 24 h",
        "idempotency keys, until they expire or a producer's removal takes them",
        "rows, logs and flow keys of jobs that no list holds and no child leads to",
        "what the console keeps of the queue: its settings and its note",
    ]


def _known(counts: dict[str, int | None]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count is not None}


def _named(ids: tuple[str, ...], count: int | None, where: str) -> list[str]:
    """The first ids of a set, for the eye, and how many more there are."""
    names = [brief(job_id) for job_id in ids]
    rest = (count or 0) - len(names)
    return [*names, f"and {rest:,} more {where}"] if rest > 0 else names


def _shown(facts: list[Fact], said: list[str] | None = None, **more) -> Shown:
    context = {"facts": facts, "said": said or []}
    for name in ("named", "stays"):
        context[name] = more.pop(name, [])
    return Shown(TEMPLATE, context=context, named=more.pop("reached", ()), **more)


def shown_number(asked: Asked, *kinds: str) -> int:
    """How many jobs of these kinds a confirmation showed, all kinds when none is named."""
    numbers = consent.shown_numbers(asked.shown)
    return sum(count for kind, count in numbers.items() if not kinds or kind in kinds)
