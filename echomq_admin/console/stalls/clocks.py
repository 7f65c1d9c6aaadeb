"""What time it is for endings: by the clock of the server that holds the queue, never by this
host's, which may be wrong."""

from __future__ import annotations

from django.utils import timezone

from echomq_admin.fleet import servers
from echomq_admin.fleet.snapshot import snapshots


class Clocks:
    """The clocks of all servers as they were last seen, run on since. Raises `UnreadableSetting`.

    Only while no server was ever seen, the time is that of this host.
    """

    def __init__(self) -> None:
        self._now = {
            look.server: look.now_ms + 1_000 * look.age_s for look in snapshots() if look.now_ms
        }
        self._usual = next(iter(self._now.values()), timezone.now().timestamp() * 1_000)

    def of_all(self) -> dict[str, float]:
        """By the clock of each server that is configured."""
        return {one.name: self.now_ms(one.name) for one in servers.servers()}

    def now_ms(self, server: str = "") -> float:
        """By the clock of a server; of one that is not known, or of none, by the first one's."""
        return self._now.get(server, self._usual)
