"""Audit streams are cut behind what is copied of them, so that a server keeps only the newest."""

from __future__ import annotations

from echomq_admin.emq.audit import place
from echomq_admin.emq.audit_news import NONE, Stream
from echomq_admin.emq.keyspace import Keyspace, to_wire
from echomq_admin.fleet.servers import Server, read_only_reason
from echomq_admin.ledger.models import Copied, TrailEntry

# So many entries stay in a stream, for the audit of its queue.
KEPT = 1_000
# A server cuts whole blocks of some hundred entries: less is not worth asking for.
_SLACK = 200
_MOST_MS = 2**63 - 1


def trim(server: Server, queue: str, stream: Stream) -> int:
    """Cut a stream behind its newest entries; how many went.

    Never what is not copied, and nothing on a server that takes no changes from this console.
    Raises redis-py's errors.
    """
    if stream.length <= KEPT + _SLACK or read_only_reason(server, queue):
        return 0
    oldest = _oldest_to_stay(server.name, queue)
    if oldest is None:
        return 0
    return int(server.client.xtrim(Keyspace(queue).audit, minid=oldest, approximate=True))


def _oldest_to_stay(server_name: str, queue: str) -> str | None:
    """The oldest of the newest copied entries. `None` while it is not settled up to there whether
    any were missing."""
    mine = {"server": server_name, "queue": to_wire(queue)}
    mark = Copied.objects.filter(**mine).values_list("whole_id", flat=True).first()
    if mark is None:
        return None
    # An entry that says it is of later than the last one says so by another clock.
    until_ms = min(place(mark)[0], _MOST_MS)
    rows = TrailEntry.objects.filter(**mine, stream_id__isnull=False, at_ms__lte=until_ms)
    newest = rows.order_by("-at_ms", "-pk").values_list("stream_id", flat=True)[:KEPT]
    # The oldest of any thousand is not above the thousandth of all.
    oldest = min(newest, key=place, default=NONE)
    return oldest if len(newest) == KEPT and place(oldest) <= place(mark) else None
