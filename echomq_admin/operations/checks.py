"""What a call must be before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from django.conf import settings

from echomq_admin.emq.keyspace import to_wire
from echomq_admin.operations import arguments
from echomq_admin.operations.action import Action
from echomq_admin.operations.arguments import Remark
from echomq_admin.operations.calls import Call
from echomq_admin.operations.refusals import Invalid
from echomq_admin.operations.roles import Role

REASON = Remark("reason", "Reason", "why, for the trail")
# How the op_id of the undo of a call begins, and no other.
OF_UNDO = "undo-"
_OP_ID = re.compile(r"[A-Za-z0-9._-]{1,80}\Z")


def checked(action: Action, call: Call) -> Call:
    """The call with clean ids, tokens, arguments, op_id and reason. Raises `Invalid`."""
    arguments.name("Queue", call.queue)
    job_ids = _job_ids(action, call.job_ids)
    args = arguments.clean(action.args, call.args)
    if "before" in args and args["before"].keys() != set(job_ids):
        raise Invalid("What the jobs were must be given for exactly the jobs that are named.")
    return replace(
        call,
        job_ids=job_ids,
        tokens=_tokens(action, job_ids, call.tokens),
        args=args,
        op_id=_op_id(action, call.op_id),
        reason=_reason(action, call.reason, args),
    )


def needs_reason(action: Action) -> bool:
    """Whether a call of this action must say why."""
    return bool(settings.EMQ_REASONS) and action.role is Role.ADMIN


def _reason(action: Action, given: str, args: Mapping[str, object]) -> str:
    """Why, in words. What an action takes as its own reason is the one for the trail too."""
    reason = REASON.clean(given) or _own(args.get(REASON.name))
    if not reason and needs_reason(action):
        raise Invalid(
            f"{action.label} needs a reason on this console (EMQ_REASONS). Nothing was changed. "
            "Say why, then press again."
        )
    return reason


def _own(reason: object) -> str:
    """The reason that an action takes: bytes on the wire, here the text that they are."""
    text = to_wire(str(reason or "")).decode(errors="backslashreplace")
    return text.replace("\0", "\\x00")


def _job_ids(action: Action, given: tuple[str, ...]) -> tuple[str, ...]:
    job_ids = tuple(dict.fromkeys(arguments.name("Job id", job_id) for job_id in given))
    if action.target in {"queue", "lane"}:
        if job_ids:
            raise Invalid(f"{action.label} works on a {action.target}, not on named jobs.")
    elif not job_ids:
        raise Invalid(f"{action.label} needs a job. Choose at least one.")
    elif action.target == "job" and len(job_ids) > 1:
        raise Invalid(f"{action.label} works on one job at a time.")
    elif len(job_ids) > action.max_jobs:
        raise Invalid(f"{action.label} takes at most {action.max_jobs:,} jobs in one call.")
    return job_ids


def _tokens(
    action: Action, job_ids: tuple[str, ...], given: Mapping[str, object]
) -> dict[str, int]:
    if action.fenced == "never":
        return {}
    tokens = {
        job_id: arguments.whole("Token", given[job_id], *arguments.TOKEN_RANGE)
        for job_id in job_ids
        if job_id in given
    }
    if action.fenced == "must" and len(tokens) < len(job_ids):
        raise Invalid(f"{action.label} needs the token: the attempts that you saw of the job.")
    return tokens


def _op_id(action: Action, given: str) -> str:
    if not given:
        return uuid4().hex
    if given.startswith(OF_UNDO) and action.verb != "return_to_dead":
        raise Invalid(f'An op_id that begins with "{OF_UNDO}" is that of an undo. Choose another.')
    if not _OP_ID.match(given):
        raise Invalid("An op_id is 1 to 80 letters, digits, dots, dashes and underscores.")
    return given
