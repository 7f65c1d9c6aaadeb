"""What goes through the door, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from echomq_admin.emq.calls import step_id


@dataclass(frozen=True)
class Call:
    """One press of a button: which action, where, on which jobs, as the caller saw them.

    `tokens` maps a job id to the attempts that the caller saw; a job without one is not fenced.
    `args` holds what the action declares (`ACTIONS[name].args`). `op_id` names the call: the
    same op_id again moves nothing twice, within 24 h. An empty one is replaced by a fresh one.
    `step` counts the bounded steps of one press, the first is 0. `reason` is why, in the words of
    the person, for the trail; empty for none.
    """

    action: str
    server: str
    queue: str
    job_ids: tuple[str, ...] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)
    args: Mapping[str, object] = field(default_factory=dict)
    op_id: str = ""
    step: int = 0
    reason: str = ""

    @property
    def step_op_id(self) -> str:
        """The op_id under which this step is sent: that of the n-th after the first ends in .n."""
        return step_id(self.op_id, self.step) or ""


@dataclass(frozen=True)
class Done:
    """What became of a call.

    `call` is the checked one: repeated ids dropped, arguments complete, op_id filled in.
    `outcomes` maps each job id to its word; `refusals` maps those that did not move to a sentence.
    `result` is the verb's own answer. `sentence` counts ("1 requeued, 1 row missing"); `note` says
    what else a person should know, or is empty. `more` is set when a bounded call left a rest.
    """

    call: Call
    outcomes: Mapping[str, str]
    result: object
    sentence: str
    refusals: Mapping[str, str]
    note: str = ""
    more: bool = False
