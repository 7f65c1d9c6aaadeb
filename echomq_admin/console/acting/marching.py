"""How far a call that goes on in steps has come, as its page carries it from request to request."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.core import signing

from echomq_admin.emq import Drained
from echomq_admin.operations.calls import Call, Done
from echomq_admin.operations.obliterating import Obliterated

_SALT = "console.acting.march"
# Who comes back after a day does not know any more what was agreed to.
LASTS_S = 86_400
BUDGET = 1_000


class Strange(Exception):
    """What a form carried was not written by the console for this person, or too long ago."""


@dataclass(frozen=True)
class March:
    """One confirmed call on its way. `total` jobs were shown and agreed to, `gone` are deleted,
    `step` is the next one. `finds` counts the ends at which new lanes were found,
    `stranded` the deleted children for which a flow parent waits. `back` is where
    the result is shown. `is_named`: all of those jobs were named, and were those there when the
    call began."""

    actor: str
    verb: str
    server: str
    queue: str
    op_id: str
    total: int
    back: str
    reason: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    gone: int = 0
    step: int = 0
    finds: int = 0
    stranded: int = 0
    is_named: bool = False

    @property
    def call(self) -> Call:
        """The next step. A drain never takes more than what was agreed to."""
        args = dict(self.args)
        if self.verb == "drain":
            args["budget"] = min(BUDGET, max(1, self.left))
        where = self.server, self.queue
        return Call(
            self.verb, *where, args=args, op_id=self.op_id, step=self.step, reason=self.reason
        )

    @property
    def left(self) -> int:
        """How many of the jobs that were agreed to are not deleted yet."""
        return max(0, self.total - self.gone)

    def after(self, done: Done) -> March:
        """The same call a step further on."""
        result, gone, finds, stranded = done.result, self.gone, self.finds, self.stranded
        if isinstance(result, Drained):
            gone += result.removed
            stranded += result.stranded
        if isinstance(result, Obliterated):
            finds += bool(result.late)
        step = done.call.step + 1
        return replace(self, gone=gone, finds=finds, stranded=stranded, step=step)

    def signed(self) -> str:
        """What the form of the next step carries."""
        return signing.dumps(asdict(self), salt=_SALT, compress=True)

    @classmethod
    def read(cls, text: str, actor: str, verb: str, server: str, queue: str) -> March:
        """What `signed` wrote, for this person and this address. Raises `Strange`."""
        try:
            march = cls(**signing.loads(text, salt=_SALT, max_age=LASTS_S))
        except (signing.BadSignature, TypeError, ValueError) as error:
            raise Strange from error
        if (march.actor, march.verb, march.server, march.queue) != (actor, verb, server, queue):
            raise Strange
        return march
