"""Connections: an address becomes a client with bounded pool and patience."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.exceptions import ResponseError
from redis.maint_notifications import MaintNotificationsConfig
from redis.retry import Retry

from .patience import CONNECTIONS

DEFAULTS = {"connect_ms": 1000, "read_ms": 3000, "pool": 16}
# Beyond these a number cannot be meant, and a clock or a socket would not take it.
MOST = {"connect_ms": 3_600_000, "read_ms": 3_600_000, "pool": 1_000, "db": 2**31 - 1}
CLIENT_NAME = "echomq-admin"
READ_ONLY = "read_only"
SCHEMES = ("redis", "rediss", "unix")


def connect(url: str) -> redis.Redis:
    """A client of `redis://`, `rediss://` or `unix://` that decodes nothing.

    Options stand in the query: `connect_ms`, `read_ms`, `pool` (connections at most),
    `client_name` and `read_only` (see `is_read_only`; the client itself refuses nothing). A call
    that finds the pool empty waits for `read_ms`; an exchange that is not over after three times
    as long is given up, whatever still comes. No call is repeated by the client: a lost answer is
    the caller's to judge. Raises `ValueError` with a sentence that never holds a password. Nothing
    is sent before the first command.
    """
    plain, options = _split(url)
    pool = redis.BlockingConnectionPool.from_url(
        plain,
        connection_class=CONNECTIONS[urlsplit(plain).scheme],
        max_connections=options["pool"],
        timeout=options["read_ms"] / 1000,
        socket_timeout=options["read_ms"] / 1000,
        socket_connect_timeout=options["connect_ms"] / 1000,
        redis_connect_func=partial(_greet, _client_name(url)),
        maint_notifications_config=MaintNotificationsConfig(enabled=False),
        retry=Retry(NoBackoff(), 0),
        decode_responses=False,
    )
    return redis.Redis.from_pool(pool)


def is_read_only(url: str) -> bool:
    """Whether an address asks that nothing be changed there, by `read_only=1`.

    Raises `ValueError`.
    """
    given = _query(urlsplit(url)).get(READ_ONLY, "0")
    if given not in {"0", "1"}:
        raise ValueError("read_only is 1, for a server where nothing may be changed, or 0")
    return given == "1"


def target(url: str) -> str:
    """The address as people may see it: without user, password and options."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "localhost"
    return f"{parts.scheme}://{host}:{parts.port or 6379}{parts.path.rstrip('/') or '/0'}"


def _split(url: str) -> tuple[str, dict[str, int]]:
    """The address without the console's options, and those options as numbers."""
    parts = _parts(url)
    if parts.scheme not in SCHEMES:
        raise ValueError("an address starts with redis://, rediss:// or unix://")
    _check_place(parts.scheme, parts.path)
    query = _query(parts)
    allowed = {*DEFAULTS, "client_name", "db", READ_ONLY}
    if set(query) - allowed:
        raise ValueError(f"the options of an address are {', '.join(sorted(allowed))}")
    options = {name: _number(name, query.get(name, DEFAULTS[name])) for name in DEFAULTS}
    database = f"?db={_number('db', query['db'], 0)}" if "db" in query else ""
    # Written by hand: urlunsplit leaves out the slashes of a scheme it does not know.
    return f"{parts.scheme}://{parts.netloc}{parts.path}{database}", options


def _query(parts: SplitResult) -> dict[str, str]:
    return dict(parse_qsl(parts.query, keep_blank_values=True))


def _parts(url: str) -> SplitResult:
    """The address taken apart. The library's own errors would quote it, password and all."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ValueError(
            "the address cannot be read; in a user or password, write / ? # [ ] @ and % as %XX"
        ) from None
    if parts.scheme != "unix":
        _check_host(unquote(parts.hostname or ""))
    return parts


def _check_host(host: str) -> None:
    """A host that no resolver could be asked for would be found out only at the first command."""
    try:
        host.encode("idna")
    except UnicodeError:
        is_name = False
    else:
        is_name = host.isprintable() and " " not in host
    if not is_name:
        raise ValueError("the host is no name: its parts have 1 to 63 characters, without blanks")


def _check_place(scheme: str, path: str) -> None:
    place = path.strip("/")
    if scheme == "unix":
        if not path:
            raise ValueError("unix:// needs the path of a socket")
    elif place and not place.isdecimal():
        raise ValueError("what follows the host is the number of a database")
    elif place:
        _number("db", place, 0)


def _number(name: str, text: str | int, least: int = 1) -> int:
    most, digits = MOST[name], str(text)
    is_number = digits.isdecimal() and len(digits) <= len(str(most))
    if not (is_number and least <= int(digits) <= most):
        raise ValueError(f"{name} is a number from {least:,} to {most:,}")
    return int(digits)


def _greet(name: str, connection: AbstractConnection) -> None:
    """Sign in, then say who this is; a user without the right to do so may read all the same."""
    connection.on_connect()  # type: ignore[no-untyped-call]
    connection.send_command("CLIENT", "SETNAME", name)  # type: ignore[no-untyped-call]
    with suppress(ResponseError):
        connection.read_response()


def _client_name(url: str) -> str:
    return dict(parse_qsl(urlsplit(url).query)).get("client_name", CLIENT_NAME)
