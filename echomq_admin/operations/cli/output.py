"""Answers of the command: a sentence and a line per refusal, or one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from echomq_admin.emq import Drained
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.cli.names import both, named
from echomq_admin.operations.obliterating import Obliterated
from echomq_admin.operations.refusals import Refused
from echomq_admin.operations.sentences import stranded

# The words of a sweep that a person looks up by id afterwards, beside the refusals.
_LISTED = ("dead", "orphaned", "unreadable", "recovered")


def summary(steps: Sequence[Done]) -> str:
    """The sentence of a call that may have taken several steps."""
    last = steps[-1]
    if len(steps) > 1 and isinstance(last.result, Drained):
        removed = sum(done.result.removed for done in steps)
        said = f"{removed:,} jobs deleted in {len(steps):,} steps, nothing is left to drain"
        count = sum(done.result.stranded for done in steps)
        return "; ".join(filter(None, (said, stranded(count))))
    return last.sentence


def is_left(done: Done) -> bool:
    """Whether a queue that was to be deleted is still there, or may be."""
    return isinstance(done.result, Obliterated) and (done.result.more or done.result.late != 0)


def lines(done: Done) -> list[str]:
    """One line for each refused job, and for each job that a sweep or reap ended."""
    ended = not done.call.job_ids
    return [f"  {both(job_id)}: {why}" for job_id, why in done.refusals.items()] + [
        f"  {both(job_id)}: {word}"
        for job_id, word in done.outcomes.items()
        if ended and word in _LISTED
    ]


def document(steps: Sequence[Done]) -> dict[str, object]:
    """The answer for `--json`."""
    last = steps[-1]
    removed = [done.result.removed for done in steps if isinstance(done.result, Drained)]
    return {
        **_head(last.call, steps[0].call.op_id),
        "sentence": summary(steps),
        "note": last.note,
        "more": last.more,
        "steps": len(steps),
        **({"removed": sum(removed)} if removed else {}),
        "outcomes": [_outcome(last, job_id) for job_id in last.outcomes],
    }


def refusal_document(call: Call, refused: Refused) -> dict[str, object]:
    """The answer for `--json` when nothing came of the call."""
    error = {"kind": type(refused).__name__, "sentence": refused.sentence}
    return {**_head(call, call.op_id), "error": error}


def _head(call: Call, op_id: str) -> dict[str, object]:
    return {
        "action": call.action,
        "server": call.server,
        **named("queue", call.queue),
        "op_id": op_id,
    }


def _outcome(done: Done, job_id: str) -> dict[str, str]:
    refusal = done.refusals.get(job_id)
    return {
        **named("job", job_id),
        "outcome": done.outcomes[job_id],
        **({"refusal": refusal} if refusal else {}),
    }
