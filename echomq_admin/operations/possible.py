"""Which actions one job can take as it was seen, and why it cannot take the others.

The scripts decide when a call is made. What they would answer of named jobs is judged by
`verdicts`, for this as for every confirmation; here it is put into sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from echomq_admin.emq.standing import Standing
from echomq_admin.emq.whereabouts import Place
from echomq_admin.fleet.names import to_url
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.verdicts import doubled, verdict

_LEASED = "a worker holds its lease"
_LOCKED = "It is locked: the presence marker of a worker stands."
_UNREAD_PARENT = (
    "The name of its parent is too long to be looked up here: it is refused when that waits for it."
)
_GONE = "Its row is missing: all that can be done is to remove the id."


@dataclass(frozen=True)
class Seen:
    """What a page has read of one job.

    `held` are the sets that hold it: pending, active, schedule, dead, and lane for the lane of its
    row's group. `attempts` is `None` when unreadable. These are clauses that stand in a sentence,
    empty when there is nothing to say: `lease` until when a worker holds it; `flow` whose child it
    is while the parent needs it, or that it waits for children of its own, which `is_child` tells
    apart; `fault` why no verb can work on the row, `lane_fault` what is wrong with its lane;
    `refusal` why the scripts refuse to work in this queue; `unfound` the lane that alone holds an
    id without a row and that no key of the queue names. `unread` names what of the row is too long
    to be read here: "group", "parent". `dedup_id` names the idempotency key that holds the job,
    which goes with it. `max_stalled` is that of the queue's sweeps.
    """

    job_id: str
    held: frozenset[Place] = frozenset()
    attempts: int | None = 0
    has_row: bool = True
    fault: str = ""
    lane_fault: str = ""
    lease: str = ""
    locked: bool = False
    flow: str = ""
    is_child: bool = False
    dedup_id: str = ""
    refusal: str = ""
    unfound: str = ""
    unread: frozenset[str] = frozenset()
    is_lapsed: bool = False
    max_stalled: int = 2

    @property
    def standing(self) -> Standing:
        """The job as `verdicts` judges it."""
        return Standing(
            job_id=self.job_id,
            has_row=self.has_row,
            attempts=None if self.fault or not self.has_row else self.attempts,
            stalled=None,
            group=None,
            held=self.held,
            is_homeless=bool(self.lane_fault),
            is_locked=self.locked,
            is_child=self.is_child,
            awaits=bool(self.flow) and not self.is_child,
        )


@dataclass(frozen=True)
class Possible:
    """One action. `why_not` is a sentence, empty when it is possible; `note` what it would do
    beyond its usual work. `options` go behind the job on the command line; with `by_force` they
    hold `--force`, which overrides `why_not`. `lacks_role`: nothing but the role is missing."""

    verb: str
    label: str
    why_not: str = ""
    note: str = ""
    options: tuple[str, ...] = ()
    by_force: bool = False
    lacks_role: bool = False

    @property
    def is_possible(self) -> bool:
        return not self.why_not


def possible(
    seen: Seen, allowed: Callable[[str], bool], read_only: str | None
) -> tuple[Possible, ...]:
    """Every action that names a job. `allowed` says whether the user may use a verb, `read_only`
    why nothing may be changed here."""
    return tuple(_one(verb, seen, allowed, read_only) for verb in VERBS)


def _one(verb: str, seen: Seen, allowed: Callable[[str], bool], read_only: str | None) -> Possible:
    action = ACTIONS[verb]
    if read_only:
        return Possible(verb, action.label, read_only)
    judged = _judged(verb, seen)
    if not allowed(verb):
        role = f"It takes the role {action.role}."
        why_not = f"{judged.why_not} {role}".lstrip()
        return Possible(verb, action.label, why_not, lacks_role=judged.is_possible)
    if not judged.is_possible and not judged.by_force:
        return Possible(verb, action.label, judged.why_not)
    fence = () if action.fenced == "never" else _token(seen)
    yes = ("--yes",) if action.needs_yes else ()
    options = (*fence, *yes, *judged.options)
    return Possible(verb, action.label, judged.why_not, judged.note, options, judged.by_force)


def _judged(verb: str, seen: Seen) -> Possible:
    if seen.refusal:
        return Possible("", "", f"No verb works in this queue: {seen.refusal}.")
    judged = _RULES[verb](seen)
    return Possible("", "", judged) if isinstance(judged, str) else judged


def _token(seen: Seen) -> tuple[str, ...]:
    if seen.attempts is None or not seen.has_row:
        return ()
    return (f"--token={to_url(seen.job_id)}={seen.attempts}",)


def _may(note: str = "", *options: str) -> Possible:
    return Possible("", "", note=note, options=options)


def _only_by_force(why_not: str, *options: str) -> Possible:
    return Possible("", "", why_not, options=("--force", *options), by_force=True)


def _unsound(seen: Seen, goes_back: bool = False) -> str:
    """Why no verb may work on the row, or on the lane that it would go back to."""
    if not seen.has_row:
        return _GONE
    if seen.fault:
        return f"{_sentence(seen.fault)} Repair the row, or remove the job."
    if goes_back and seen.lane_fault:
        return f"Its lane cannot take it: {seen.lane_fault}."
    return ""


def _word(verb: str, seen: Seen) -> str:
    """What the script would answer, with the attempts that were seen as the token."""
    job = seen.standing
    return verdict(verb, job, job.attempts)


def _requeue(seen: Seen) -> Possible | str:
    if (word := _word("requeue", seen)) != "requeued":
        return _stays(word, seen, "dead")
    return _may("It leaves the other sets and waits once." if seen.held != {"dead"} else "")


def _promote_now(seen: Seen) -> Possible | str:
    if (word := _word("promote_now", seen)) != "promoted":
        return _stays(word, seen, "scheduled")
    return _may()


def _stays(word: str, seen: Seen, state: str) -> str:
    """Why a move does not bring the job back."""
    if unsound := _unsound(seen, goes_back=True):
        return unsound
    if why := doubled(word, seen.standing):
        return _sentence(f"it is {why}")
    return f"It is not {state}{_but(seen)}."


def _recover_now(seen: Seen) -> Possible | str:
    if unsound := _unsound(seen, goes_back=True):
        return unsound
    if "active" not in seen.held:
        return f"No worker holds a lease of it{_but(seen)}."
    options = f"--max-stalled={seen.max_stalled}"
    if seen.is_lapsed:
        return _may(
            "Its lease has lapsed: this ends it as a sweep would, for this job only.", options
        )
    return _may("Only for a worker that is known to be dead: it ends the lease at once.", options)


def _extend(seen: Seen) -> Possible | str:
    if unsound := _unsound(seen):
        return unsound
    if "active" not in seen.held:
        return f"No worker holds a lease of it{_but(seen)}."
    return _may("", "--lease-ms=30000")


def _bury(seen: Seen) -> Possible | str:
    reason, word = "--reason=TEXT", _word("bury", seen)
    if unsound := _unsound(seen):
        return unsound
    if word == "already_dead":
        return "It is dead already."
    if word in ACTIONS["bury"].overrides:
        return _only_by_force(_against(seen, word), reason)
    ends = "It takes the lease from its worker." if "active" in seen.held else ""
    return _may(ends or (_UNREAD_PARENT if "parent" in seen.unread else ""), reason)


def _against(seen: Seen, word: str) -> str:
    """What stands against a call without force, as a sentence."""
    if word == "active":
        return _sentence(seen.lease or _LEASED)
    return _LOCKED if word == "locked" else _sentence(seen.flow)


def _return_to_dead(seen: Seen) -> Possible | str:
    if unsound := _unsound(seen):
        return unsound
    unseen = "group" in seen.unread and not seen.held
    if "active" in seen.held or not (unseen or seen.held & {"pending", "lane"}):
        return "It undoes a requeue, and only of a job that waits in pending or in its lane."
    errors = f"--errors={to_url(seen.job_id)}={seen.attempts}:STALLED:ERROR"
    if unseen:
        return _may(
            "Whether it waits in its lane is not known: the lane's name is too long.", errors
        )
    return _may("Only to undo a requeue: give the stall count and the error that it had.", errors)


def _update_payload(seen: Seen) -> Possible | str:
    if unsound := _unsound(seen):
        return unsound
    keeps = "The worker that holds it goes on with the payload that it was given."
    return _may(keeps if "active" in seen.held else "", "--payload=-")


def _remove(seen: Seen) -> Possible | str:
    dedup = (f"--dedup-id={to_url(seen.dedup_id)}",) if seen.dedup_id else ()
    if not seen.has_row:
        return _of_lost(seen)
    word = _word("remove", seen)
    if word in ACTIONS["remove"].overrides:
        return _only_by_force(_against(seen, word), *dedup)
    if "parent" in seen.unread:
        return _may(_UNREAD_PARENT, *dedup)
    return _may("It cannot be read, only removed." if seen.fault else "", *dedup)


def _of_lost(seen: Seen) -> Possible | str:
    if seen.unfound:
        return (
            f"Only {seen.unfound} holds its id, and no key of the queue names that lane, so a "
            "removal would not find it and answer “gone already”. Pause the lane first: a paused "
            "lane is looked into. Resume it afterwards."
        )
    if not seen.held:
        return _may(
            "No set that was looked into holds its id: where none does, it is gone already."
        )
    return _may("Its row is missing: this takes the id out of the sets.")


_RULES: dict[str, Callable[[Seen], Possible | str]] = {
    "requeue": _requeue,
    "promote_now": _promote_now,
    "recover_now": _recover_now,
    "extend": _extend,
    "bury": _bury,
    "return_to_dead": _return_to_dead,
    "update_payload": _update_payload,
    "remove": _remove,
}
# All that are judged, in the order of a page.
VERBS = tuple(_RULES)
_IS = {
    "pending": "it waits in pending",
    "lane": "it waits in its lane",
    "schedule": "it waits for its time",
    "dead": "it is dead",
}


def _but(seen: Seen) -> str:
    """Where the job is instead, as the end of a sentence."""
    if "active" in seen.held:
        return f": {seen.lease or _LEASED}"
    where = next((words for place, words in _IS.items() if place in seen.held), "")
    if where:
        return f": {where}"
    return f": {seen.flow}" if seen.flow and not seen.is_child else ": no set holds it"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
