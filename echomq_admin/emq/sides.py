"""Keys behind a row, one of which may be the row of another job."""

from __future__ import annotations

from .replies import Answer, Batch

# As the scripts tell a row: a hash that has one of these.
_TELLS = ("attempts", "state")


class Side:
    """Whether what lies under a key behind a row, `job:A:lock`, is the row of a job `A:lock`."""

    def __init__(self, key: bytes, batch: Batch) -> None:
        self._has: list[Answer] = [batch.ask("hexists", key, name) for name in _TELLS]

    @property
    def is_row(self) -> bool:
        return any(has.value for has in self._has)
