"""All that the page of a server tells of it, read in two round trips and kept as last seen."""

from __future__ import annotations

import threading
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

    `aof` and `snapshots` say whether it writes either, `connections` are those of this process.
    `seen_at` is of this host's clock, only for the eye.
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

    @property
    def is_saved(self) -> bool | None:
        """Whether jobs outlive a restart; `None` when it cannot be told."""
        if self.aof or self.snapshots:
            return True
        return None if self.aof is None or self.snapshots is None else False

    @property
    def may_evict(self) -> str | None:
        """The policy by which jobs could vanish, if there is one."""
        policy = self.policy or ""
        # The other policies drop only keys that expire by themselves, which jobs do not.
        return policy if policy.startswith("allkeys") and self.memory_most_bytes else None


def read(server: Server, queue: str | None = None) -> About:
    """Ask the server. Rights are asked for the keys of `queue`. Raises redis-py's errors."""
    first, second = Batch(server.client), Batch(server.client)
    info, keys, save = first.ask("info"), first.ask("dbsize"), first.ask("config_get", "save")
    rights = Rights(first, _user(server), queue or _NO_QUEUE)
    first.run()
    time = second.ask("time")
    drift = run_timed(second, time)
    about = replace(
        _about(server, info, keys, time),
        snapshots=_snapshots(save),
        drift=drift,
        rights=_plain(server, rights.all()),
    )
    with _lock:
        _last[server] = about
    return about


def last_seen(server: Server) -> About | None:
    """What `read` answered last in this process."""
    with _lock:
        return _last.get(server)


_lock = threading.Lock()
_last: WeakKeyDictionary[Server, About] = WeakKeyDictionary()


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
