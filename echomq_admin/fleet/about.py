"""All that the page of a server tells of it, read in two round trips and kept as last seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from django.utils import timezone

from echomq_admin.emq.replies import Answer, Batch, now_ms
from echomq_admin.fleet.drift import Drift, run_timed
from echomq_admin.fleet.rights import Right, Rights
from echomq_admin.fleet.servers import Server, masked

# The queue whose keys are asked about when none is known: no queue may be called so.
_NO_QUEUE = "emq"
# How long what a server told serves everyone who looks at its page, and its answers on rights.
_LASTS_S = 4.0
_RIGHTS_LAST_S = 60.0


@dataclass(frozen=True)
class Replica:
    """How a replica stands to its primary. `None` is unknown."""

    primary: str
    is_linked: bool | None
    behind_bytes: int | None
    silent_s: int | None


@dataclass(frozen=True)
class About:
    """What a server said of itself. Numbers and words are `None` when it does not tell them.

    `aof` and `snapshots` say whether it writes either, `rdb_saves` how many snapshots it began
    since its start. `connections` are those of this process. `rights` hold for the keys of
    `rights_queue`, `None` for those of a made-up one. `seen_at` is of this host's clock, only for
    the eye.
    """

    seen_at: datetime
    now_ms: int | None
    uptime_s: int | None
    memory_bytes: int | None
    memory_most_bytes: int | None
    policy: str | None
    evicted: int | None
    aof: bool | None
    aof_status: str | None
    rdb_status: str | None
    rdb_saved_s: int | None
    unsaved: int | None
    clients: int | None
    clients_blocked: int | None
    clients_most: int | None
    connections: int
    ops_per_s: int | None
    keys: int | None
    replicas: int | None
    replica: Replica | None
    snapshots: bool | None = None
    drift: Drift | None = None
    rights: tuple[Right, ...] = ()
    rights_queue: str | None = None
    rdb_saves: int | None = None

    @property
    def is_saved(self) -> bool | None:
        """Whether jobs outlive a restart; `None` when it cannot be told."""
        if self.aof or self.snapshots:
            return True
        return None if self.aof is None or self.snapshots is None else False

    @property
    def has_snapshot(self) -> bool | None:
        """Whether it made a snapshot since its start; `None` when it cannot be told.

        A server that made none tells its start as the time of the last one.
        """
        if self.rdb_saves is not None:
            return self.rdb_saves > 0
        if self.rdb_saved_s is None or self.uptime_s is None or self.now_ms is None:
            return None
        return self.rdb_saved_s - (self.now_ms // 1_000 - self.uptime_s) > 1

    @property
    def may_evict(self) -> str | None:
        """The policy by which jobs could vanish, if there is one."""
        policy = self.policy or ""
        # The other policies drop only keys that expire by themselves, which jobs do not.
        return policy if policy.startswith("allkeys") and self.memory_most_bytes else None


def told(server: Server, queue: str | None = None) -> About:
    """The same as `read`, at most 4 s old, for all who look. Raises redis-py's errors."""
    with _lock:
        kept = _last.get(server)
    if kept and kept.about.rights_queue == queue and time.monotonic() - kept.read_s < _LASTS_S:
        return kept.about
    return read(server, queue)


def read(server: Server, queue: str | None = None) -> About:
    """Ask the server. Rights are asked for the keys of `queue`, once a minute.

    Raises redis-py's errors.
    """
    first, second = Batch(server.client), Batch(server.client)
    info, keys, save = first.ask("info"), first.ask("dbsize"), first.ask("config_get", "save")
    rights = _Rights(first, server, queue)
    first.run()
    server_time = second.ask("time")
    drift = run_timed(second, server_time)
    about = replace(
        _about(server, info, keys, server_time),
        snapshots=_snapshots(save),
        drift=drift,
        rights=rights.all(),
        rights_queue=queue,
    )
    with _lock:
        _last[server] = _Kept(about, time.monotonic(), rights.asked_s)
    return about


def last_seen(server: Server) -> About | None:
    """What `read` answered last in this process."""
    with _lock:
        kept = _last.get(server)
    return kept.about if kept else None


@dataclass(frozen=True)
class _Kept:
    """What was read, and when it and its rights were, by the monotonic clock."""

    about: About
    read_s: float
    rights_s: float


_lock = threading.Lock()
_last: WeakKeyDictionary[Server, _Kept] = WeakKeyDictionary()


class _Rights:
    """The rights that are kept of a server, asked with `batch` when they are too old."""

    def __init__(self, batch: Batch, server: Server, queue: str | None) -> None:
        self._server = server
        self.asked_s = time.monotonic()
        self._kept, self._asked = None, None
        with _lock:
            kept = _last.get(server)
        if (
            kept
            and kept.about.rights_queue == queue
            and self.asked_s - kept.rights_s < _RIGHTS_LAST_S
        ):
            self.asked_s, self._kept = kept.rights_s, kept.about.rights
        else:
            self._asked = Rights(batch, _user(server), _NO_QUEUE if queue is None else queue)

    def all(self) -> tuple[Right, ...]:
        return self._kept if self._asked is None else _plain(self._server, self._asked.all())


def _about(server: Server, info: Answer, keys: Answer, time: Answer) -> About:
    told: Mapping[str, Any] = info.value or {}
    return About(
        seen_at=timezone.now(),
        now_ms=None if time.fault else now_ms(time),
        uptime_s=_number(told, "uptime_in_seconds"),
        memory_bytes=_number(told, "used_memory"),
        memory_most_bytes=_number(told, "maxmemory"),
        policy=_word(told, "maxmemory_policy"),
        evicted=_number(told, "evicted_keys"),
        aof=_flag(told, "aof_enabled"),
        aof_status=_word(told, "aof_last_write_status"),
        rdb_status=_word(told, "rdb_last_bgsave_status"),
        rdb_saved_s=_number(told, "rdb_last_save_time"),
        rdb_saves=_number(told, "rdb_saves"),
        unsaved=_number(told, "rdb_changes_since_last_save"),
        clients=_number(told, "connected_clients"),
        clients_blocked=_number(told, "blocked_clients"),
        clients_most=_number(told, "maxclients"),
        connections=_connections(server),
        ops_per_s=_number(told, "instantaneous_ops_per_sec"),
        keys=None if keys.fault else int(keys.value),
        replicas=_number(told, "connected_slaves"),
        replica=_replica(told),
    )


def _replica(told: Mapping[str, Any]) -> Replica | None:
    if told.get("role") != "slave":
        return None
    status = _word(told, "master_link_status")
    read, applied = (
        _number(told, name) for name in ("slave_read_repl_offset", "slave_repl_offset")
    )
    return Replica(
        primary=f"{told.get('master_host', '?')}:{told.get('master_port', '?')}",
        is_linked=None if status is None else status == "up",
        behind_bytes=None if read is None or applied is None else max(0, read - applied),
        silent_s=_number(told, "master_last_io_seconds_ago"),
    )


def _snapshots(save: Answer) -> bool | None:
    """Whether snapshots are made by themselves, as CONFIG GET save told."""
    values = list((save.value or {}).values())
    return bool(values[0]) if values else None


def _plain(server: Server, rights: tuple[Right, ...]) -> tuple[Right, ...]:
    """The rights, with nothing of what must not be shown in what the server said of them."""
    return tuple(
        replace(right, unknown=masked(server, right.unknown)) if right.unknown else right
        for right in rights
    )


def _user(server: Server) -> str:
    return server.client.connection_pool.connection_kwargs.get("username") or "default"


def _connections(server: Server) -> int:
    """How many connections this process holds to the server."""
    return sum(count for count, _ in server.client.connection_pool.get_connection_count())


def _number(told: Mapping[str, Any], name: str) -> int | None:
    value = told.get(name)
    return int(value) if isinstance(value, int | float) else None


def _word(told: Mapping[str, Any], name: str) -> str | None:
    value = told.get(name)
    return None if value is None else str(value)


def _flag(told: Mapping[str, Any], name: str) -> bool | None:
    value = told.get(name)
    return None if value is None else bool(value)
