"""One checked call becomes one call of a verb, and its answer one word per job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from echomq_admin.emq import Outcome
from echomq_admin.fleet.servers import Server
from echomq_admin.operations import restoring
from echomq_admin.operations.action import Action
from echomq_admin.operations.calls import Call
from echomq_admin.operations.housekeeping import keep
from echomq_admin.operations.obliterating import Obliterated, obliterate

# Arguments that the door itself heeds.
_NOT_SENT = {"unkept"}

# Where the verb of that name answers less than what a person should be told.
_SAYING_MORE = {"limit_lane": "change_limit"}


def send(action: Action, server: Server, call: Call, actor: str, before: object = None) -> object:
    """The verb's answer; `before` is that of the step before. Raises what the verb raises."""
    if action.changes == "console":
        return keep(action, server, call, actor)
    if action.verb == "obliterate":
        lanes = before.lanes if isinstance(before, Obliterated) else None
        return obliterate(server, call, actor, lanes)
    if action.verb == "restore":
        return restoring.send(server, call, actor)
    args = {name: value for name, value in call.args.items() if name not in _NOT_SENT}
    if action.verb == "return_to_dead":
        target = [args.pop("before")]
    elif action.target == "jobs":
        target = [list(call.job_ids)]
    else:
        target = list(call.job_ids)
    if action.fenced != "never":
        args.update(_tokens(action, call))
    verb = getattr(server.emq, _SAYING_MORE.get(action.verb, action.verb))
    return verb(call.queue, *target, **args, actor=actor, op_id=call.step_op_id)


def _tokens(action: Action, call: Call) -> dict[str, object]:
    if action.target == "jobs":
        return {"tokens": call.tokens}
    return {"token": call.tokens.get(call.job_ids[0])}


def outcomes(action: Action, call: Call, result: object) -> dict[str, str]:
    """Job id to word, in the order of the answer; empty for verbs that name no jobs."""
    if isinstance(result, Mapping):
        return {job_id: str(word) for job_id, word in result.items()}
    if action.target == "job":
        return {call.job_ids[0]: _word(action, result)}
    if action.outcomes:
        return {job_id: word for word, ids in asdict(result).items() for job_id in ids}
    return {}


def _word(action: Action, result: object) -> str:
    if isinstance(result, Outcome):
        return str(result)
    success, *others = action.outcomes
    return others[-1] if result is False else success
