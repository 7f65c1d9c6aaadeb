"""What a confirmation shows beside its fields, whatever the action is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shown:
    """What an action would do, as its confirmation shows and signs it.

    `template` draws it, with `context` at hand as `preview.context`. `numbers` are how many of what
    would change, signed with the confirmation: the call is refused when one has grown since; with
    `overlooked`, what the call does not touch as it is filled in, that may grow. `args` names the
    arguments that it was made with, which are signed too; `sets` are arguments that the
    confirmation itself fills in, hidden, and `without` those that get no field. `starts` are values
    that fields begin with. `about` stands in place of the action's help, `press` and `by_force` on
    the button in place of the usual words, the latter while force is ticked. `is_nothing` when
    nothing would change, so that no button is offered. `is_page`: it needs a page of its own, never
    a dialog; `is_draft`: what is to be confirmed is not there yet, so nothing is signed. `named`
    are jobs that a call which names none would reach, as far as they are shown; signed too.
    """

    template: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    press: str = ""
    is_nothing: bool = False
    context: Mapping[str, object] = field(default_factory=dict)
    overlooked: frozenset[str] = frozenset()
    sets: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    starts: Mapping[str, object] = field(default_factory=dict)
    about: str = ""
    by_force: str = ""
    is_page: bool = False
    is_draft: bool = False
    named: tuple[str, ...] = ()

    @property
    def held_to(self) -> dict[str, int]:
        """The numbers that a confirmation must cover."""
        return {name: n for name, n in self.numbers.items() if name not in self.overlooked}
