"""Lanes that the queue's own keys name: only in those does a removal find an id without a row."""

from __future__ import annotations

from collections.abc import Sequence

from .keyspace import Keyspace, to_wire
from .replies import Answer, Batch


class NamedLanes:
    """Whether ring, paused, gactive, glimit or gweight names each of some lanes: five commands a
    lane."""

    def __init__(self, keys: Keyspace, groups: Sequence[str], batch: Batch) -> None:
        self._asked = {group: self._ask(keys, to_wire(group), batch) for group in groups}

    @property
    def unnamed(self) -> tuple[str, ...]:
        """The lanes that none of them names, as far as they could be read."""
        return tuple(
            group
            for group, answers in self._asked.items()
            if not any(answer.fault or answer.value for answer in answers)
        )

    @staticmethod
    def _ask(keys: Keyspace, name: bytes, batch: Batch) -> tuple[Answer, ...]:
        return (
            batch.ask("lpos", keys.ring, name, count=1, maxlen=_RING_LOOK),
            batch.ask("sismember", keys.paused, name),
            batch.ask("hexists", keys.gactive, name),
            batch.ask("hexists", keys.glimit, name),
            batch.ask("hexists", keys.gweight, name),
        )


# So much of the ring is looked into by the script as well.
_RING_LOOK = 1_000
