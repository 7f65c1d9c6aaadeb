"""New ids by the server's clock, never two equal."""

from __future__ import annotations

import redis

from echomq_admin.emq import ids
from echomq_admin.emq.reads import server_now_ms

_SEQUENCES = 4096


class Minter:
    """Ids of one node. Two minters of a namespace need two nodes (0 to 1023)."""

    def __init__(self, client: redis.Redis, node: int) -> None:
        self._client, self._node = client, node
        self._last = (0, 0)

    def mint(self, namespace: str = "JOB") -> str:
        """An id of this instant, later than all that were minted before."""
        now_ms = server_now_ms(self._client)
        last_ms, sequence = self._last
        if now_ms > last_ms:
            self._last = (now_ms, 0)
        elif sequence + 1 < _SEQUENCES:
            self._last = (last_ms, sequence + 1)
        else:
            self._last = (last_ms + 1, 0)
        return ids.mint(namespace, self._last[0], self._node, self._last[1])
