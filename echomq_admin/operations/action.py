"""What an action is: the fields that every action declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from echomq_admin.operations.arguments import Argument
from echomq_admin.operations.roles import Role
from echomq_admin.operations.words import Word

# The lists of jobs that the pages show.
List = Literal["pending", "active", "scheduled", "dead"]
# One call names at most this many jobs.
MAX_JOBS = 10_000
# From this many jobs on, a person types the queue's name.
MANY = 1_000


class Consent(StrEnum):
    """How a person confirms: by the click itself, in a dialog, by typing the queue's name."""

    CLICK = "click"
    DIALOG = "dialog"
    TYPE_NAME = "type name"


@dataclass(frozen=True)
class Action:
    """One move.

    `changes` says what it changes. "server": keys, by the method of `EchoMQ` that `verb` names, in
    one script that writes its audit entry. "console": only what the console itself keeps of a
    queue in its database, on record there; it needs no right on the server, sends it nothing, and
    moves no job. `label` is the button's words; `help` one sentence for people.
    `target` says what a call names: "jobs" (1 to `max_jobs` ids), "job" (one id), "queue", or
    "lane" (the argument `group`). `fenced` says whether tokens (the attempts that the caller saw)
    ride along. `outcomes` maps each word of the verb to its words for people; the first is success.
    `overrides` are the words of outcomes that its argument `force` overrides.
    `destroys`: what it does cannot be taken back; of one that can, `destroys_by` is the flag with
    which it cannot. `undo` names the action that reverses it.

    The rest is for pages. `address`: "act" for a confirmation like all others, "own" for a page of
    its own, which those may read too who may not press, "" for none. `ticked_on` and `own_on` are
    the lists that offer it for ticked jobs and for each by itself; `key` is its key there; `short`
    are the button's words where there is less room, `busy` those while it is under way.
    """

    verb: str
    label: str
    role: Role
    consent: Consent
    target: Literal["jobs", "job", "queue", "lane"]
    help: str
    args: tuple[Argument, ...] = ()
    outcomes: Mapping[str, Word] = field(default_factory=dict)
    fenced: Literal["never", "may", "must"] = "never"
    max_jobs: int = MAX_JOBS
    needs_yes: bool = False
    destroys: bool = False
    destroys_by: str = ""
    in_steps: bool = False
    creates: bool = False
    undo: str = ""
    overrides: tuple[str, ...] = ()
    changes: Literal["server", "console"] = "server"
    address: Literal["act", "own", ""] = "act"
    ticked_on: tuple[List, ...] = ()
    own_on: tuple[List, ...] = ()
    key: str = ""
    short: str = ""
    busy: str = "Working…"

    @property
    def permission(self) -> str:
        """The permission that a user needs."""
        return self.role.permission

    @property
    def harms(self) -> bool:
        """Whether it takes jobs out of the queue, for good or into the trash."""
        return self.destroys or bool(self.destroys_by)

    def consent_for(self, count: int, args: Mapping[str, object] | None = None) -> Consent:
        """The confirmation that `count` jobs need, with these arguments."""
        destroys = self.destroys or bool((args or {}).get(self.destroys_by))
        if destroys or count >= MANY:
            return Consent.TYPE_NAME
        if count > 1 and self.consent is Consent.CLICK:
            return Consent.DIALOG
        return self.consent
