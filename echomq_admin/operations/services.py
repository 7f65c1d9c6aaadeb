"""The one door through which anything is changed.

Pages, commands and the agent call `perform`; nothing else calls a verb that moves a job, or changes
what people set for a queue.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NoReturn

from echomq_admin.emq import Drained
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import shown
from echomq_admin.fleet.snapshot import refresh
from echomq_admin.operations import failures, keeping, looks, recording, sentences
from echomq_admin.operations.action import Action
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.checks import checked
from echomq_admin.operations.dispatch import Dispatch
from echomq_admin.operations.obliterating import Obliterated
from echomq_admin.operations.refusals import (
    Invalid,
    NotAllowed,
    ReadOnly,
    Refused,
    Trouble,
    Unreachable,
)
from echomq_admin.operations.sending import outcomes, send

__all__ = [
    "Call",
    "Done",
    "Invalid",
    "NotAllowed",
    "ReadOnly",
    "Refused",
    "Trouble",
    "Unreachable",
    "allowed",
    "not_allowed",
    "perform",
    "refuse",
    "steps",
]
logger = logging.getLogger(__name__)
# How often the steps of one obliterate go on for lanes that were found at its end.
ROUNDS = 3


def allowed(user, action_name: str) -> bool:
    """Whether the user has the permission of the action; inactive users have none."""
    action = ACTIONS.get(action_name)
    return action is not None and user.has_perm(action.permission)


def not_allowed(user, what: str, role: Role) -> str:
    """The sentence for a user who lacks a role; `what` is, for example, "use Sweep"."""
    return f"{_who(user)} may not {what}: it takes the role {role}. Ask an admin of the console."


def perform(user, call: Call) -> Done:
    """Check, send and word one call. Raises a subclass of `Refused`; the attempt is logged.

    Per-job refusals raise nothing: they are in `Done.refusals`. Drain and obliterate do one
    bounded step; `Done.more` says whether another is needed.
    """
    return _step(user, call, None)


def steps(user, call: Call) -> Iterator[Done]:
    """Perform until nothing is left, one bounded step after the other; other actions once.

    The n-th step after the first has the op_id `<op_id>.<n>`, so that a loop that broke off
    and is started again with the same op_id goes on where it was. A queue into which somebody
    keeps writing lanes is left paused after `ROUNDS` such finds, with `Done.more` set.
    """
    done = perform(user, call)
    yield done
    rounds = _finds(done)
    while done.more and ACTIONS[call.action].in_steps and rounds < ROUNDS:
        done = _step(user, replace(done.call, step=done.call.step + 1), done.result)
        rounds += _finds(done)
        yield done


def _finds(done: Done) -> bool:
    return isinstance(done.result, Obliterated) and bool(done.result.late)


def _step(user, call: Call, before: object) -> Done:
    try:
        return _perform(user, call, before)
    except Refused as refused:
        refuse(call, user.get_username(), refused)


def refuse(call: Call, actor: str, refused: Refused) -> NoReturn:
    """Write down an attempt that comes to nothing, in the log and in the trail, and raise
    `refused`. For who refuses what has not come to `perform`."""
    logger.warning("refused: %s by %s: %s", _target(call), _name(actor), refused.sentence)
    recording.refused(call, actor, refused)
    raise refused


def _perform(user, call: Call, before: object) -> Done:
    action = ACTIONS.get(call.action)
    if action is None:
        raise Invalid(f"There is no action {shown(call.action)}.")
    if not allowed(user, action.verb):
        raise NotAllowed(not_allowed(user, f"use {action.label}", action.role))
    call = checked(action, call)
    server = _server(action, call)
    actor = user.get_username()
    recording.opened(action, call, actor)
    earlier = recording.done_before(action, call)
    held = _held(action, server, call, actor)
    try:
        result = {} if held.is_empty else send(action, server, held.sent, actor, before)
    except failures.FAILURES as error:
        raise failures.refusal(error, action, server, held.call) from error
    done = _done(action, server, held, held.whole(result))
    keeping.after(action, server, done)
    recording.settled(action, server, call)
    recording.moved_nothing(action, actor, done)
    replay = recording.replay(action, call, earlier)
    return replace(done, note=replay) if replay else done


def _held(action: Action, server: servers.Server, call: Call, actor: str) -> Dispatch:
    try:
        return keeping.before(action, server, call, actor)
    except failures.FAILURES as error:
        raise failures.before_sending(error, server, call) from error


def _server(action: Action, call: Call) -> servers.Server:
    """The server, when it may be written to and knows the queue."""
    try:
        server = servers.server(call.server)
    except LookupError:
        raise Invalid(f"There is no server {shown(call.server)} in EMQ_SERVERS.") from None
    except ValueError as error:
        raise Invalid(f"{error}.") from None
    try:
        reason = _read_only(action, server, call.queue)
        is_known = action.creates or discovery.knows(server, call.queue)
    except failures.FAILURES as error:
        raise failures.before_sending(error, server, call) from error
    if reason:
        raise ReadOnly(f"{reason} Nothing was sent{failures.in_step(call)}.")
    if not is_known:
        raise Invalid(looks.no_queue(server, call.queue))
    return server


def _read_only(action: Action, server: servers.Server, queue: str) -> str | None:
    """Why the action may not change anything. What the console keeps is no matter of the server."""
    if action.changes == "console":
        return servers.console_read_only()
    reason = servers.read_only_reason(server, queue)
    if reason is None or servers.set_read_only(server):
        return reason
    # What is kept of the server may be from before a failover: it refuses nothing unasked.
    reason = servers.read_only_reason(server, queue, server.facts(anew=True))
    if reason is None:
        refresh(server)
    return reason


def _done(action: Action, server: servers.Server, held: Dispatch, result: object) -> Done:
    call = held.call
    by_job = outcomes(action, call, result)
    left = looks.left(action, server, call, len(by_job))
    return Done(
        call=call,
        outcomes=by_job,
        result=result,
        sentence=sentences.sentence(action, call, result, by_job, left),
        refusals=_refusals(action, server, held, by_job),
        note=sentences.note(call, by_job),
        more=bool(left) or (action.in_steps and _more(result)),
    )


def _more(result: object) -> bool:
    return isinstance(result, Drained | Obliterated) and result.more


def _refusals(
    action: Action, server: servers.Server, held: Dispatch, by_job: Mapping[str, str]
) -> dict[str, str]:
    why = {
        job_id: action.outcomes[word].why
        for job_id, word in by_job.items()
        if word in action.outcomes and action.outcomes[word].why
    }
    call = held.call
    flows = looks.flows(server, call.queue, (job_id for job_id in why if by_job[job_id] == "child"))
    return {
        job_id: held.told.get((job_id, by_job[job_id]))
        or text.format(flow=flows.get(job_id, ""), token=_token(call, job_id))
        for job_id, text in why.items()
    }


def _token(call: Call, job_id: str) -> object:
    before = call.args.get("before")
    return before[job_id][0] if isinstance(before, Mapping) else call.tokens.get(job_id)


def _who(user) -> str:
    return _name(user.get_username())


def _name(actor: str) -> str:
    return shown(actor or "an unknown user")


def _target(call: Call) -> str:
    jobs = f" (jobs: {len(call.job_ids):,})" if call.job_ids else ""
    name = f" (op_id: {shown(call.op_id)})" if call.op_id else ""
    return f"{shown(call.action)} on {shown(call.server)}/{shown(call.queue)}{jobs}{name}"
