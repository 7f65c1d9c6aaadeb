"""What the console uses a server for, and the commands that each use needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from echomq_admin.emq.keyspace import DISCOVERY_PATTERN, Keyspace
from echomq_admin.emq.scripts import SCRIPTS

Command = tuple[object, ...]

# No job is called so: what is asked of its keys answers nothing, whatever lies in the queue.
_NOBODY = "\0"
_CALL = re.compile(r"redis\.p?call\('([A-Z]+(?:', 'STREAM)?)'")
# Asked of and written under the console's own names: the audit, and the reply kept for replays.
_RECORD = ("SET", "XADD", "XINFO STREAM")


@dataclass(frozen=True)
class Use:
    """One thing the console does; `without` says what fails when a command of it is refused.

    `is_tried`: the commands are reads that answer next to nothing, so they can simply be sent.
    """

    what: str
    without: str
    commands: tuple[Command, ...]
    is_tried: bool = True


def uses(keys: Keyspace) -> tuple[Use, ...]:
    """Everything, with commands that name keys of one queue."""
    return (
        Use("See jobs and counts", "What needs them shows “?” in counts and lists.", _jobs(keys)),
        Use("See all of one job", "The page of a job knows less than there is.", _one(keys)),
        Use("See lanes and the ring", "What needs them shows “?” among the lanes.", _lanes(keys)),
        Use("Read the audit", "Who did what is shown in part or not at all.", _audit(keys)),
        Use("Copy the audit", "The trail lacks what was done to queues.", _copies(keys), False),
        Use("Cut what is copied", "Audit streams grow to 100,000 entries.", _cuts(keys), False),
        Use("Know the server", "A replica is not told from a primary.", (("INFO", "server"),)),
        Use("Find queues and lanes", "They are not found; add queues by name.", _scan(), False),
        Use("Run scripts", "No action works: each is a script.", _scripts(keys), False),
        Use(
            "Move jobs",
            "Actions that need them are refused, and change nothing.",
            _moves(keys),
            False,
        ),
        Use("Keep the record", "No action works without its record.", _record(keys), False),
    )


def called_by_scripts() -> tuple[str, ...]:
    """Every command that a script of the console calls."""
    sources = (script.source for script in SCRIPTS.values())
    calls = (name.replace("', '", " ") for text in sources for name in _CALL.findall(text))
    return tuple(sorted(set(calls)))


def _jobs(keys: Keyspace) -> tuple[Command, ...]:
    jobs, row = keys.pending, keys.job(_NOBODY)
    return (
        ("TIME",),
        ("ZCARD", jobs),
        ("ZRANGE", jobs, 0, 0),
        ("ZRANK", jobs, _NOBODY),
        ("ZSCORE", jobs, _NOBODY),
        ("ZCOUNT", jobs, 0, 0),
        ("ZRANGEBYLEX", jobs, "-", "+", "LIMIT", 0, 1),
        ("ZREVRANGEBYLEX", jobs, "+", "-", "LIMIT", 0, 1),
        ("ZLEXCOUNT", jobs, "-", "-"),
        ("ZRANGEBYSCORE", jobs, 0, 0, "LIMIT", 0, 1),
        ("ZREVRANGEBYSCORE", jobs, 0, 0, "LIMIT", 0, 1),
        ("HGET", row, "state"),
        ("HMGET", row, "state"),
        ("HSTRLEN", row, "state"),
        ("HEXISTS", keys.meta, "paused"),
        ("EXISTS", row),
        ("TYPE", jobs),
    )


def _one(keys: Keyspace) -> tuple[Command, ...]:
    row, lock, logs = keys.job(_NOBODY), keys.lock(_NOBODY), keys.logs(_NOBODY)
    return (
        ("HGETALL", row),
        ("HLEN", row),
        ("LLEN", logs),
        ("LRANGE", logs, 0, 0),
        ("GET", lock),
        ("STRLEN", lock),
        ("GETRANGE", lock, 0, 0),
        ("PTTL", lock),
    )


def _lanes(keys: Keyspace) -> tuple[Command, ...]:
    return (
        ("SCARD", keys.paused),
        ("SRANDMEMBER", keys.paused, 1),
        ("SMISMEMBER", keys.paused, _NOBODY),
        ("HRANDFIELD", keys.gactive, 1),
        ("HVALS", keys.job(_NOBODY)),
        ("MEMORY", "USAGE", keys.gactive),
        ("LLEN", keys.ring),
        ("LRANGE", keys.ring, 0, 0),
    )


def _audit(keys: Keyspace) -> tuple[Command, ...]:
    return ("XLEN", keys.audit), ("XREVRANGE", keys.audit, "-", "-", "COUNT", 1)


def _copies(keys: Keyspace) -> tuple[Command, ...]:
    return (
        ("XRANGE", keys.audit, "-", "+", "COUNT", 1),
        ("XINFO", "STREAM", keys.audit),
        ("EVAL", "return 1", 1, keys.audit),
    )


def _cuts(keys: Keyspace) -> tuple[Command, ...]:
    return (("XTRIM", keys.audit, "MINID", "~", "0-0"),)


def _scan() -> tuple[Command, ...]:
    return (("SCAN", 0, "MATCH", DISCOVERY_PATTERN),)


def _scripts(keys: Keyspace) -> tuple[Command, ...]:
    return ("EVALSHA", "0" * 40, 1, keys.base), ("SCRIPT", "LOAD", "return 1")


def _moves(keys: Keyspace) -> tuple[Command, ...]:
    return tuple(_call(name, keys) for name in called_by_scripts() if name not in _RECORD)


def _record(keys: Keyspace) -> tuple[Command, ...]:
    return tuple(_call(name, keys) for name in _RECORD)


def _call(name: str, keys: Keyspace) -> Command:
    """A command of the scripts with arguments that the server would take."""
    if name == "TIME":
        return (name,)
    if name == "LMOVE":
        return (name, keys.ring, keys.ring, "LEFT", "RIGHT")
    if name == "XINFO STREAM":
        return ("XINFO", "STREAM", keys.audit)
    if name in _RECORD:
        own = keys.audit if name == "XADD" else keys.kept_reply(_NOBODY)
        return (name, own, *_ARGUMENTS[name])
    return (name, keys.meta, *_ARGUMENTS.get(name, ()))


_ARGUMENTS: dict[str, Command] = {
    "HDEL": ("f",),
    "HEXISTS": ("f",),
    "HGET": ("f",),
    "HMGET": ("f",),
    "HSET": ("f", "v"),
    "HSTRLEN": ("f",),
    "LINDEX": (0,),
    "LPOS": ("v",),
    "LPUSH": ("v",),
    "LRANGE": (0, 0),
    "LREM": (0, "v"),
    "LTRIM": (0, 0),
    "PEXPIRE": (1,),
    "RPUSH": ("v",),
    "SADD": ("v",),
    "SET": ("v",),
    "SISMEMBER": ("v",),
    "SREM": ("v",),
    "XADD": ("*", "f", "v"),
    "ZADD": (0, "v"),
    "ZMSCORE": ("v",),
    "ZRANGE": (0, 0),
    "ZRANGEBYSCORE": (0, 0),
    "ZREM": ("v",),
    "ZSCORE": ("v",),
}
