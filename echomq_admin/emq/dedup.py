"""The idempotency key that the row of one job names."""

from __future__ import annotations

from .keyspace import Keyspace, from_wire, to_wire
from .replies import Answer, Batch
from .rows import LONGEST_NAME

# Producers do not agree on where a row names its idempotency key.
DEDUP_FIELDS = (b"dedup_id", b"dedup", b"deid", b"de")


class DedupKey:
    """Asks in three batches, bounded whatever lies in the row and under the key: how long the
    fields are that may name it, what they say, and what it holds."""

    def __init__(self, keys: Keyspace, job_id: str, first: Batch) -> None:
        self._keys, self._job_id = keys, job_id
        self._row = keys.job(job_id)
        self._sizes = {name: first.ask("hstrlen", self._row, name) for name in DEDUP_FIELDS}
        self._named: dict[bytes, Answer] = {}
        self._dedup_id, self._held = "", Answer()

    def ask_second(self, batch: Batch) -> None:
        """The names that are not too long."""
        for name, size in self._sizes.items():
            if 0 < (size.value or 0) <= LONGEST_NAME:
                self._named[name] = batch.ask("hget", self._row, name)

    def ask_third(self, batch: Batch) -> None:
        """What the first of them holds: one byte more than the id, so that a longer value is told
        from it."""
        named = next((one.value for one in self._named.values() if one.value), None)
        if named is not None:
            self._dedup_id = from_wire(named)
            end = len(to_wire(self._job_id))
            self._held = batch.ask("getrange", self._keys.dedup(self._dedup_id), 0, end)

    @property
    def own(self) -> str | None:
        """Its name, when it holds this job."""
        return self._dedup_id if self._held.value == to_wire(self._job_id) else None
