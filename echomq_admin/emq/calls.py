"""One call of a script: the two bases of the queue, who asks, and under which name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import redis

from . import scripts
from .keyspace import Keyspace, from_wire, to_wire
from .records import Outcome

# How many ids one script call works on, so that no call holds the server for long.
CHUNK = 1000
# Ending a lease costs more than moving a dead job.
LEASES = 500

Field = bytes | str | int


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
        self, verb: str, queue: str, args: Sequence[Field], actor: str | None, op_id: str | None
    ) -> Any:
        """Run `verb`; `args` follow actor and op_id. Raises the exceptions of `errors.py`."""
        keys = Keyspace(queue)
        heads = (to_wire(actor or ""), to_wire(op_id or ""))
        return scripts.run(
            self.client, verb, (keys.base, keys.admin), (*heads, *map(to_bytes, args))
        )


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


def outcomes(reply: Sequence[bytes]) -> dict[str, Outcome]:
    """The id, outcome, id, outcome… of a reply."""
    pairs = zip(reply[::2], reply[1::2], strict=True)
    return {from_wire(job_id): Outcome(word.decode()) for job_id, word in pairs}


def at_least(name: str, value: int, least: int) -> int:
    """`value`, or a `ValueError` that names it."""
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return value
