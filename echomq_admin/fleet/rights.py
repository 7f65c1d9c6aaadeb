"""What the console's user may do on a server: which commands are refused, and what that costs.

Reads are simply tried, each once and for next to nothing. For all else the server is asked with
ACL DRYRUN, which runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.replies import Answer, Batch
from echomq_admin.fleet.uses import Command, Use, uses

_REFUSED = re.compile(r"no permissions? |unknown command", re.IGNORECASE)
_OLD = re.compile(r"unknown (?:sub)?command", re.IGNORECASE)


@dataclass(frozen=True)
class Right:
    """One thing the console does. `without` says what fails because commands are `refused`, and
    `in_part` that others of its commands are not; `unknown` is why it cannot be told whether any
    is, `None` when it can."""

    what: str
    without: str
    refused: tuple[str, ...] = ()
    unknown: str | None = None
    in_part: bool = False


class Rights:
    """What is asked of a server for one user and the keys of one queue, in one round trip."""

    def __init__(self, batch: Batch, user: str, queue: str) -> None:
        self._asked = [
            (
                use,
                [(_name(command), _ask(batch, use, user, command)) for command in use.commands],
            )
            for use in uses(Keyspace(queue))
        ]

    def all(self) -> tuple[Right, ...]:
        """Everything the console does, once the batch has run."""
        return tuple(_right(use, answers) for use, answers in self._asked)


def _ask(batch: Batch, use: Use, user: str, command: Command) -> Answer:
    dry = () if use.is_tried else ("ACL", "DRYRUN", user)
    return batch.ask("execute_command", *dry, *command)


def _right(use: Use, answers: Sequence[tuple[str, Answer]]) -> Right:
    refused, unknown = [], None
    for name, answer in answers:
        is_refused, why = _tried(answer) if use.is_tried else _asked(answer)
        if is_refused and name not in refused:
            refused.append(name)
        unknown = unknown or why
    in_part = 0 < len(refused) < len({name for name, _ in answers})
    return Right(use.what, use.without, tuple(refused), None if refused else unknown, in_part)


def _tried(answer: Answer) -> tuple[bool, str | None]:
    """Whether a command was refused, or why that cannot be told. What was let through and found
    a key of another type was not."""
    if not answer.fault or answer.is_mistyped:
        return False, None
    is_refused = _REFUSED.search(answer.fault) is not None
    return is_refused, None if is_refused else answer.fault


def _asked(answer: Answer) -> tuple[bool, str | None]:
    if not answer.fault:
        return answer.value not in {b"OK", "OK"}, None
    if _OLD.search(answer.fault):
        return False, "servers before version 7 cannot be asked with ACL DRYRUN"
    if _REFUSED.search(answer.fault):
        return False, "this user may not ask with ACL DRYRUN"
    return False, answer.fault


def _name(command: Command) -> str:
    head, *rest = map(str, command)
    return f"{head} {rest[0]}" if head in {"MEMORY", "SCRIPT", "XINFO"} else head
