"""Why an operation was refused, each a sentence for a person: what happened, and what to do.

No sentence ever holds a password or the address of a server with its user.
"""

from __future__ import annotations


class Refused(Exception):
    """The protocol said no: the job or the queue is not what the caller saw. `sentence` is why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Overtaken(Refused):
    """What the console keeps was changed meanwhile by somebody else; nothing was changed."""


class Invalid(Refused):
    """An argument is missing, out of range, or names nothing; nothing was sent."""


class NotAllowed(Refused):
    """The user lacks the permission of the action; nothing was sent."""


class ReadOnly(Refused):
    """The console, the server or the queue is read-only, as is known; nothing was sent."""


class Trouble(Refused):
    """The server answered, but with an error of its own: replica, memory, rights, loading."""


class Unreachable(Trouble):
    """No answer came. What moved is unknown; the same op_id again moves nothing twice."""
