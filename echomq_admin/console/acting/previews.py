"""What an action would do, read before it is asked for and held against its result afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.outcomes import Outcome
from echomq_admin.operations.calls import Call, Done


@dataclass(frozen=True)
class Preview:
    """What a confirmation shows beside its fields.

    `template` draws it, with `about` and `context` at hand. `numbers` are how many of what would
    change, signed with the confirmation: the call is refused when one has grown since. `args` names
    the arguments that it was made with, which are signed too. `press` is what the button says,
    empty for the usual words; `is_nothing` when nothing would change, so that no button is offered.
    """

    template: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    press: str = ""
    is_nothing: bool = False
    context: Mapping[str, object] = field(default_factory=dict)


# By verb: what reads the preview, and what holds a result against it.
_LOOKS: dict[str, Callable[[Asked, Call], Preview]] = {}
_TELLS: dict[str, Callable[[Asked, Done], Outcome]] = {}


def preview(asked: Asked, call: Call) -> Preview | None:
    """The preview of a call, `None` where the action has none."""
    look = _LOOKS.get(asked.action.verb)
    return look(asked, call) if look else None


def told(asked: Asked, done: Done) -> Outcome | None:
    """The outcome of an action that has a result of its own kind, else `None`."""
    tell = _TELLS.get(asked.action.verb)
    return tell(asked, done) if tell else None
