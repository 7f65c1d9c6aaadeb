"""What a call did, in true words and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from echomq_admin.emq import Drained
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.spans import exact_span
from echomq_admin.operations import words
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.obliterating import Obliterated

_AS_IT_WAS = "nothing was changed"
_KEPT = f"{words.ATTEMPTS_STAY} Stall counts are kept too: the next stall counts on."
_RESET = f"{words.ATTEMPTS_STAY} Stall counts start over."


def counted(action: Action, outcomes: Mapping[str, str]) -> str:
    """`37 requeued, 1 row missing`: the success first, whatever its number, then the others."""
    numbers = Counter(outcomes.values())
    first = next(iter(action.outcomes))
    order = [first, *(word for word in [*action.outcomes, *numbers] if word != first)]
    return ", ".join(
        _counted_word(action, word, numbers[word])
        for word in dict.fromkeys(order)
        if numbers[word] or word == first
    )


def _counted_word(action: Action, word: str, number: int) -> str:
    said = action.outcomes.get(word) or words.same(word.replace("_", " "))
    return f"{number:,} {said.one if number == 1 else said.many}"


def sentence(
    action: Action, call: Call, result: object, outcomes: Mapping[str, str], left: int | None
) -> str:
    """The whole answer. `left` is what a bounded verb did not reach; `None` is unknown."""
    special = _SPECIAL.get(action.verb)
    if special:
        return special(call, result, left)
    said = counted(action, outcomes)
    if action.verb == "sweep":
        said = f"{said}, at max stalled {call.args['max_stalled']:,}"
    if action.verb in {"sweep", "reap"}:
        return _lapsed(action, len(outcomes), said, left)
    if action.verb == "reap_group":
        return _lapsed_of_lane(call, said, left)
    return said


def note(call: Call, outcomes: Mapping[str, str]) -> str:
    """What else a person should know of what was done; nothing where nothing was."""
    if call.action != "requeue" or "requeued" not in outcomes.values():
        return ""
    return _RESET if call.args["reset_stalls"] else _KEPT


def _lapsed(action: Action, ended: int, said: str, left: int | None) -> str:
    name = action.label.lower()
    done = "swept" if action.verb == "sweep" else "reaped"
    if left is None:
        return f"{said}; whether more leases have lapsed is not known"
    if left:
        return (
            f"{ended:,} of {ended + left:,} lapsed leases {done}, {name} again for the rest: {said}"
        )
    return said if ended else f"no lease has lapsed, nothing was {done}"


def _lapsed_of_lane(call: Call, said: str, left: int | None) -> str:
    limit = int(str(call.args["limit"]))
    said = f"{said} in lane {shown(str(call.args['group']))}"
    if left is None:
        return f"{said}; whether all lapsed leases were looked at is not known"
    if left:
        return f"{said}; only the first {limit:,} of {limit + left:,} lapsed leases were looked at"
    return said


def _recover_now(call: Call, result: object, _left: int | None) -> str:
    job = shown(call.job_ids[0])
    if result == "dead":
        return f"{job} is dead: its stall count reached {call.args['max_stalled']}"
    return f"{job} recovered: it waits again, with one more stall"


def _extend(call: Call, _result: object, _left: int | None) -> str:
    return (
        f"lease of {shown(call.job_ids[0])} extended: {exact_span(call.args['lease_ms'])} from now"
    )


def _update_payload(call: Call, _result: object, _left: int | None) -> str:
    size = len(bytes(call.args["payload"]))
    return f"payload of {shown(call.job_ids[0])} replaced, {size:,} bytes"


def _promote(_call: Call, result: object, left: int | None) -> str:
    if left is None:
        return f"{result:,} promoted; whether more are due is not known"
    more = f", {left:,} more {'is' if left == 1 else 'are'} due, promote again for the rest"
    return f"{result:,} promoted{more if left else ''}"


def _switched(what: Callable[[Call], str], done: str, was: str) -> Callable[..., str]:
    def say(call: Call, result: object, _left: int | None) -> str:
        return f"{what(call)} {done if result else f'{was}, {_AS_IT_WAS}'}"

    return say


def _queue(call: Call) -> str:
    return f"queue {shown(call.queue)}"


def _lane(call: Call) -> str:
    return f"lane {shown(str(call.args['group']))}"


def _limit_lane(call: Call, result: object, _left: int | None) -> str:
    lane, most = _lane(call), call.args["n"]
    if most is None:
        return f"{lane} has no limit any more" if result else f"{lane} had no limit, {_AS_IT_WAS}"
    if not result:
        return f"{lane} was limited to {most:,} already, {_AS_IT_WAS}"
    return f"{lane} limited to {most:,} active at once"


def _drain(_call: Call, result: object, _left: int | None) -> str:
    if not isinstance(result, Drained):
        raise TypeError(f"drain answered {result!r}")
    jobs = "1 job" if result.removed == 1 else f"{result.removed:,} jobs"
    left = "there are more" if result.more else "nothing is left to drain"
    return "; ".join(filter(None, (f"{jobs} deleted, {left}", stranded(result.stranded))))


def stranded(count: int) -> str:
    """What deleted children leave behind, as a clause; empty for none."""
    return f"of {count:,} a flow parent waits for ever" if count else ""


def _obliterate(call: Call, result: object, _left: int | None) -> str:
    if not isinstance(result, Obliterated):
        raise TypeError(f"obliterate answered {result!r}")
    if result.late is None:
        return f"{_queue(call)}: all that is known of it is deleted; whether a lane is left is not"
    lanes = "1 lane" if result.late == 1 else f"{result.late:,} lanes"
    if result.more and result.late:
        return (
            f"{_queue(call)}: {lanes} found at the end; it is paused again, there is more to delete"
        )
    if result.more:
        return f"{_queue(call)}: one step done, there is more to delete"
    if result.late:
        return (
            f"{_queue(call)} was obliterated by this call before; {lanes} of it came since. "
            "Pause it and obliterate it anew to delete them"
        )
    return f"{_queue(call)} obliterated; its audit stays"


def _set_queue(call: Call, result: object, _left: int | None) -> str:
    if not isinstance(result, tuple):
        raise TypeError(f"set_queue answered {result!r}")
    said = [_SET[name](call.args[name]) for name in result]
    return f"{_queue(call)}: {', '.join(said) or 'nothing was changed'}"


def _number(what: str, unit: str = "") -> Callable[[object], str]:
    def say(value: object) -> str:
        return f"{what} back to its default" if value == "" else f"{what} {value:,}{unit}"

    return say


_SET: dict[str, Callable[[object], str]] = {
    "max_stalled": _number("max stalled"),
    "lease_ms": _number("lease", " ms"),
    "note": lambda value: "note written" if value else "note taken away",
}
_SPECIAL: dict[str, Callable[..., str]] = {
    "recover_now": _recover_now,
    "extend": _extend,
    "update_payload": _update_payload,
    "promote": _promote,
    "pause": _switched(_queue, "paused", "was paused already"),
    "resume": _switched(_queue, "resumed", "was not paused"),
    "pause_lane": _switched(_lane, "paused", "was paused already"),
    "resume_lane": _switched(_lane, "resumed", "was not paused"),
    "limit_lane": _limit_lane,
    "add_queue": _switched(_queue, "added by name", "was added already"),
    "forget_queue": _switched(_queue, "is no longer kept by name", "was not added by name"),
    "set_queue": _set_queue,
    "hide_queue": _switched(_queue, "hidden from the overview", "was hidden already"),
    "unhide_queue": _switched(_queue, "shown on the overview again", "was not hidden"),
    "drain": _drain,
    "obliterate": _obliterate,
}
