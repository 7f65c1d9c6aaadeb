"""What every script insists on before its first write: keys of the right types."""

from __future__ import annotations

from .keyspace import Keyspace
from .replies import Answer, Batch, mistyped


class KeyTypes:
    """The types of the queue's own keys: thirteen commands of a batch."""

    def __init__(self, keys: Keyspace, batch: Batch) -> None:
        self._asked: list[tuple[bytes, bytes, Answer]] = [
            (key, kind, batch.ask("type", key)) for key, kind in _expected(keys)
        ]

    @property
    def refusal(self) -> str | None:
        """Why every script refuses, in its own order, or `None`."""
        for key, kind, found in self._asked:
            if found.fault:
                return found.fault
            if found.value not in {b"none", kind}:
                return mistyped(key, found.value, kind)
        return None


def _expected(keys: Keyspace) -> tuple[tuple[bytes, bytes], ...]:
    return (
        *((key, b"zset") for key in (keys.pending, keys.active, keys.schedule, keys.dead)),
        *((key, b"hash") for key in (keys.gactive, keys.glimit)),
        (keys.paused, b"set"),
        *((key, b"list") for key in (keys.ring, keys.wake)),
        *((key, b"hash") for key in (keys.meta, keys.completed, keys.failed)),
        (keys.audit, b"stream"),
    )
