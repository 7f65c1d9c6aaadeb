"""What is told of a server: its last good look, how old that is, and the trouble since."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from echomq_admin.emq.reads import QueueCounts
from echomq_admin.fleet.servers import Facts, Server

# A queue that is empty between two jobs is at work: only one that was quiet for so long is history.
QUIET_S = 60.0


@dataclass(frozen=True)
class ServerSnapshot:
    """The sizes of the known queues of one server, by name; `unread` more were not read yet.

    `error` is a sentence while the server cannot be read or has not answered yet; the other
    fields are then those of the last good look, taken at `stale_since` (host clock, only for
    the eye), or empty when there was none. `age_s` is how long ago that look was, `now_ms` the
    server's clock then. A look does not read every queue: `before_s` says how long before it each
    was read, and `age_of` how old one's sizes are.
    """

    server: str
    now_ms: int | None = None
    queues: tuple[QueueCounts, ...] = ()
    facts: Facts | None = None
    error: str | None = None
    age_s: float = 0.0
    stale_since: datetime | None = None
    unread: int = 0
    at_work: frozenset[str] = frozenset()
    before_s: Mapping[str, float] = field(default_factory=dict)

    @property
    def known(self) -> int:
        """How many queues are known, read or not."""
        return len(self.queues) + self.unread

    def is_history(self, counts: QueueCounts) -> bool:
        """Whether nothing but counters and settings is left of a queue: it has no job, and as
        far as was seen had none and finished none in the last minute."""
        return counts.is_history and counts.queue not in self.at_work

    def age_of(self, counts: QueueCounts) -> float:
        """How long ago these sizes were read, in seconds."""
        return self.age_s + self.before_s.get(counts.queue, 0.0)

    def counts_of(self, queue: str) -> QueueCounts | None:
        """The sizes of one queue, `None` when it is not known or not read yet."""
        return next((counts for counts in self.queues if counts.queue == queue), None)


class Sight:
    """The last good look at a server, put together from looks at some of its queues.

    All times are of the monotonic clock. `failed` is the sentence of the last look, if it failed.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._last = ServerSnapshot(server.name)
        self._kept: dict[str, QueueCounts] = {}
        self._read_at: dict[str, float] = {}
        self._stirred: dict[str, float] = {}
        self._seen: tuple[float, datetime] | None = None
        self._is_waking = True
        self.failed: str | None = None

    def wake(self) -> None:
        """Nobody asked for long, so what is kept says nothing of now."""
        self._is_waking = True

    def keep(
        self, now: float, now_ms: int, read: list[QueueCounts], known: Mapping, facts: Facts
    ) -> None:
        """A good look at the queues in `read`; those that are not `known` any more are dropped."""
        self._stir(now, read)
        self._kept |= {counts.queue: counts for counts in read}
        self._kept = {queue: self._kept[queue] for queue in known if queue in self._kept}
        self._read_at |= dict.fromkeys((counts.queue for counts in read), now)
        self._read_at = {queue: self._read_at[queue] for queue in self._kept}
        self._last = ServerSnapshot(
            self._server.name,
            now_ms,
            tuple(self._kept.values()),
            facts,
            unread=len(known) - len(self._kept),
            at_work=frozenset(self._stirred),
            before_s={queue: now - at for queue, at in self._read_at.items()},
        )
        self._seen = (now, timezone.now())
        self.failed, self._is_waking = None, False

    def _stir(self, now: float, read: list[QueueCounts]) -> None:
        """Remember which queues had a job or finished one, and forget those that are quiet."""
        for counts in read:
            before = self._kept.get(counts.queue, counts)
            has_worked = (before.completed, before.failed) != (counts.completed, counts.failed)
            if has_worked or not counts.is_history:
                self._stirred[counts.queue] = now
        self._stirred = {queue: at for queue, at in self._stirred.items() if now - at <= QUIET_S}

    def fail(self, sentence: str) -> None:
        """A look that came to nothing."""
        self.failed, self._is_waking = sentence, False

    def told(
        self, now: float, waits_s: float, known: Collection[str], is_heard: bool = False
    ) -> ServerSnapshot:
        """The last good look as it is now, of the queues that are `known` now; `waits_s` is how
        long the server has been asked without an answer, `is_heard` whether it has answered since
        the look under way began."""
        seen_at, stale_since = self._seen or (now, None)
        queues = tuple(counts for counts in self._last.queues if counts.queue in known)
        unread = len(known) - len(queues)
        told = replace(self._last, age_s=now - seen_at, queues=queues, unread=unread)
        error = self.failed
        is_silent = self._is_waking and not is_heard
        if is_silent or (waits_s > self._server.patience_s and not error):
            error = f"{self._server.name} has not answered yet at {self._server.target}."
        return replace(told, error=error, stale_since=stale_since) if error else told
