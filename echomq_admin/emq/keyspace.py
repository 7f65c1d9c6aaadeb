"""The key grammar: the only place where a key is formatted or parsed.

Names (queues, groups, job ids) are `str`. Bytes that are no UTF-8 ride along as
surrogate escapes, so every byte string of the wire survives the round trip.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

FENCE = b"{emq}:version"
QUEUE_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}\Z")

# Every key of a queue but those of jobs. A discovery pass walks only these, so a
# million job rows are skipped by the server.
DISCOVERY_PATTERN = b"emq:{*}:[^j]*"

_FIXED = frozenset(
    (
        b"pending active schedule dead ring paused glimit gactive gweight wake meta "
        b"metrics:completed metrics:failed limiter repeat flow:outbox"
    ).split()
)
_LANE = re.compile(rb"g:(.*):pending\Z", re.DOTALL)
_OPEN = re.compile(rb"(?:job|repeat|de):", re.DOTALL)
_GLOB = re.compile(rb"[\\*?\[\]]")


def to_wire(name: str) -> bytes:
    """The bytes of a name."""
    return name.encode("utf-8", "surrogateescape")


def from_wire(raw: bytes) -> str:
    """The name of some bytes; what is no UTF-8 becomes surrogate escapes."""
    return raw.decode("utf-8", "surrogateescape")


def is_enqueueable(queue: str) -> bool:
    """Whether producers may create jobs in a queue of this name."""
    return queue != "emq" and QUEUE_NAME.match(queue) is not None


def spans_slots(queue: str) -> bool:
    """Whether the keys of this queue lie on several slots of a cluster."""
    return queue == "" or "}" in queue


def lanes_pattern(queue: str) -> bytes:
    """The SCAN pattern that every lane of one queue matches, whatever its name is."""
    return _GLOB.sub(rb"\\\g<0>", Keyspace(queue).base) + b"g:*"


@dataclass(frozen=True)
class Keyspace:
    """The keys of one queue."""

    queue: str

    @cached_property
    def base(self) -> bytes:
        return b"emq:{" + to_wire(self.queue) + b"}:"

    @cached_property
    def admin(self) -> bytes:
        """The base of the console's own keys: same slot, outside the closed grammar."""
        return b"emqadmin:{" + to_wire(self.queue) + b"}:"

    def _fixed(self, name: bytes) -> bytes:
        return self.base + name

    @property
    def pending(self) -> bytes:
        return self._fixed(b"pending")

    @property
    def active(self) -> bytes:
        return self._fixed(b"active")

    @property
    def schedule(self) -> bytes:
        return self._fixed(b"schedule")

    @property
    def dead(self) -> bytes:
        return self._fixed(b"dead")

    @property
    def ring(self) -> bytes:
        return self._fixed(b"ring")

    @property
    def paused(self) -> bytes:
        """The set of paused lanes; a paused queue is a field of `meta`."""
        return self._fixed(b"paused")

    @property
    def glimit(self) -> bytes:
        return self._fixed(b"glimit")

    @property
    def gactive(self) -> bytes:
        return self._fixed(b"gactive")

    @property
    def gweight(self) -> bytes:
        return self._fixed(b"gweight")

    @property
    def wake(self) -> bytes:
        return self._fixed(b"wake")

    @property
    def meta(self) -> bytes:
        return self._fixed(b"meta")

    @property
    def completed(self) -> bytes:
        return self._fixed(b"metrics:completed")

    @property
    def failed(self) -> bytes:
        return self._fixed(b"metrics:failed")

    @property
    def repeat(self) -> bytes:
        return self._fixed(b"repeat")

    @property
    def flow_outbox(self) -> bytes:
        """Signals to the parents of flows in other queues."""
        return self._fixed(b"flow:outbox")

    @property
    def audit(self) -> bytes:
        return self.admin + b"audit"

    def lane(self, group: str) -> bytes:
        return self.base + b"g:" + to_wire(group) + b":pending"

    def job(self, job_id: str) -> bytes:
        return self.base + b"job:" + to_wire(job_id)

    def repeatable(self, name: str) -> bytes:
        """The hash of one of the repeatables that `repeat` lists."""
        return self.base + b"repeat:" + to_wire(name)

    def logs(self, job_id: str) -> bytes:
        return self.job(job_id) + b":logs"

    def lock(self, job_id: str) -> bytes:
        return self.job(job_id) + b":lock"

    def dependencies(self, job_id: str) -> bytes:
        """How many children a flow parent still waits for."""
        return self.job(job_id) + b":dependencies"

    def ended_children(self, job_id: str, how: str) -> bytes:
        """Children of a flow parent that ended `processed`, `failed` or `unsuccessful`."""
        return self.job(job_id) + b":" + how.encode()

    def dedup(self, dedup_id: str) -> bytes:
        return self.base + b"de:" + to_wire(dedup_id)

    def kept_reply(self, op_id: str) -> bytes:
        """Where the reply of the call named `op_id` is kept for its replays."""
        return self.admin + b"op:" + to_wire(op_id)

    @property
    def fixed(self) -> tuple[bytes, ...]:
        """Every key whose name holds neither a job nor a lane: one EXISTS finds the queue."""
        return tuple(self.base + name for name in sorted(_FIXED))


@dataclass(frozen=True)
class ParsedKey:
    """A key of the grammar: its queue, and the lane whose pending set it is, if any."""

    queue: str
    name: bytes
    group: str | None = None


def parse(key: bytes) -> ParsedKey | None:
    """Read a key of the grammar, or `None` for a foreign one.

    A queue name may hold `}:` itself; the first `}:` that is followed by a name of the
    grammar ends it.
    """
    if not key.startswith(b"emq:{"):
        return None
    at = key.find(b"}:", 5)
    while at >= 0:
        name = key[at + 2 :]
        lane = _LANE.match(name)
        if lane or name in _FIXED or _OPEN.match(name):
            group = from_wire(lane[1]) if lane else None
            return ParsedKey(from_wire(key[5:at]), name, group)
        at = key.find(b"}:", at + 1)
    return None
