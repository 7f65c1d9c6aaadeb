"""One call of a script: the two bases of the queue, who asks, and under which name."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import redis

from . import scripts
from .errors import EmqState
from .keyspace import Keyspace, from_wire, to_wire
from .records import Drained, Outcome

# How many ids one script call works on, so that no call holds the server for long.
CHUNK = 1000
# Ending a lease costs more than moving a dead job.
LEASES = 500

# The largest integer that a score holds exactly.
MOST = 2**53 - 1

Field = bytes | str | int
T = TypeVar("T")


def to_bytes(value: Field) -> bytes:
    """A payload, error or number as it goes on the wire."""
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogateescape")


class Caller:
    """What every verb stands on: `call` runs one script for one queue."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def call(
        self, verb: str, queue: str, args: Sequence[Field], actor: str | None, op_id: str | None,
        read: Callable[[Any], T],
    ) -> T:  # fmt: skip
        """Run `verb` and `read` its reply; `args` follow actor and op_id.

        Raises the exceptions of `errors.py`; `EmqState` when the reply, kept under `op_id` for
        whoever can write there, is none of this verb.
        """
        keys = Keyspace(queue)
        heads = (to_wire(actor or ""), to_wire(op_id or ""))
        reply = scripts.run(
            self.client, verb, (keys.base, keys.admin), (*heads, *map(to_bytes, args))
        )
        try:
            return read(reply)
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise EmqState("the reply kept under this op_id cannot be read") from error


def step_id(op_id: str | None, step: int) -> str | None:
    """The op_id of the n-th call of a verb that loops: an op_id names one call."""
    return op_id if not op_id or step == 0 else f"{op_id}.{step}"


def chunks(items: Iterable[str]) -> Iterator[list[str]]:
    """Distinct names in the order given, in lists that fit one call."""
    distinct = iter(dict.fromkeys(items))
    while chunk := list(islice(distinct, CHUNK)):
        yield chunk


def names(raw: Iterable[bytes]) -> tuple[str, ...]:
    """Ids of a reply."""
    return tuple(from_wire(name) for name in raw)


def lists(reply: Sequence[Sequence[bytes]], count: int) -> tuple[tuple[str, ...], ...]:
    """The `count` lists of ids of a reply."""
    if len(reply) != count:
        raise ValueError(f"{len(reply)} lists, not {count}")
    return tuple(map(names, reply))


def yes(reply: int) -> bool:
    """The 1 or 0 of a reply."""
    return {0: False, 1: True}[operator.index(reply)]


def outcome(reply: bytes) -> Outcome:
    """The one word of a reply."""
    return Outcome(reply.decode())


def numbers(reply: Sequence[int]) -> tuple[int, int]:
    """The two numbers of a reply."""
    first, second = map(operator.index, reply)
    return first, second


def drained(reply: Sequence[int]) -> Drained:
    """What a drain did; a reply that was kept before they were counted names none stranded."""
    removed, more, *stranded = map(operator.index, reply)
    return Drained(removed, bool(more), *stranded)


def answered(reply: Sequence[Any]) -> tuple[bool, dict[str, Outcome]]:
    """Whether ids were left unanswered, and the outcomes of the others."""
    return yes(reply[0]), outcomes(reply[1:])


def outcomes(reply: Sequence[bytes]) -> dict[str, Outcome]:
    """The id, outcome, id, outcome… of a reply."""
    pairs = zip(reply[::2], reply[1::2], strict=True)
    return {from_wire(job_id): Outcome(word.decode()) for job_id, word in pairs}


def at_least(name: str, value: int, least: int = -MOST) -> int:
    """`value`, an integer from `least` to what a score holds exactly, or a `ValueError`."""
    if not isinstance(value, int) or not least <= value <= MOST:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
    return value
