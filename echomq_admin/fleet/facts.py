"""What a server says of itself, and whether the console may change anything there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import redis

from echomq_admin.emq.keyspace import FENCE, from_wire
from echomq_admin.emq.replies import Answer, Batch
from echomq_admin.fleet.drift import Drift, run_timed
from echomq_admin.fleet.names import shown

_KNOWN_FENCE = re.compile(r"echomq:[23](?:\.[0-9A-Za-z.+-]+)?\Z")
_LONGEST_FENCE = 100


@dataclass(frozen=True)
class Facts:
    """What a server says of itself.

    `fence` is the wire version of its deployment, `None` when absent or not to be read;
    `version` is like "valkey 9.1.0", "?" when the user may not ask; `mode` is "standalone",
    "cluster" or "sentinel"; `role` is "master" or "slave"; `read_only` is the reason, a sentence;
    `drift` is how far its clock was from this host's, `None` when it does not tell the time.
    """

    fence: str | None
    version: str
    mode: str
    role: str
    read_only: str | None
    drift: Drift | None = None


def read_facts(client: redis.Redis) -> Facts:
    """One round trip. Raises redis-py's errors when there is no answer."""
    batch = Batch(client)
    time = batch.ask("time")
    fence = batch.ask("get", FENCE)
    server = batch.ask("info", "server")
    replication = batch.ask("info", "replication")
    drift = run_timed(batch, time)
    about = server.value or {}
    role = str((replication.value or {}).get("role", "?"))
    text = None if fence.value is None else shown(from_wire(fence.value[:_LONGEST_FENCE]))
    return Facts(
        fence=text,
        version=_version(about),
        mode=str(about.get("server_mode") or about.get("redis_mode") or "?"),
        role=role,
        read_only=_read_only(fence, text, role),
        drift=drift,
    )


def _version(about: Mapping[str, Any]) -> str:
    name = str(about.get("server_name") or "redis")
    version = about.get(f"{name}_version") or about.get("redis_version")
    return f"{name} {version}" if version else "?"


def _read_only(fence: Answer, text: str | None, role: str) -> str | None:
    if fence.fault:
        return f"The wire version of this deployment cannot be read: {fence.fault}."
    if text is not None and not _KNOWN_FENCE.match(text):
        return f"This deployment speaks the wire version {text}, which this console does not know."
    if role == "slave":
        return "This server is a replica, which takes no changes."
    return None
