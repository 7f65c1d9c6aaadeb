"""The servers of EMQ_SERVERS: their clients, what they are, and why one may be read-only."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import redis
from django.conf import settings
from redis.exceptions import RedisClusterException

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.connect import connect, is_read_only, target
from echomq_admin.emq.keyspace import spans_slots
from echomq_admin.emq.replies import reason
from echomq_admin.fleet.facts import Facts, read_facts

_NAME = re.compile(r"[a-z0-9-]{1,64}\Z")
_FACTS_LAST_S = 10.0
# Shorter names are parts of common words: to hide them would only spoil the text.
_SHORTEST_SECRET_NAME = 4

# What a server or the way to it raises; the last two come from addresses that cannot work.
TROUBLE = (redis.RedisError, RedisClusterException, OSError, UnicodeError, OverflowError)


class UnknownServer(LookupError):
    """No server of that name is configured."""


class UnreadableSetting(ValueError):
    """A setting cannot be read: a sentence that names it and the entry, and never quotes a URL."""


class Server:
    """One configured server; `target` is its address without user and password. `switched_off` is
    the sentence that it is set to read only by its address, `None` when it is not."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.client: redis.Redis = connect(url)
        self.target = target(url)
        self.emq = EchoMQ(self.client)
        self.switched_off = _switched_off(name) if is_read_only(url) else None
        self.is_closed = False
        self.when_closed: list[Callable[[], None]] = []
        self._facts: tuple[float, Facts] | None = None

    def __repr__(self) -> str:
        return f"<Server {self.name} {self.target}>"

    def facts(self, anew: bool = False) -> Facts:
        """What the server says of itself, kept for 10 s; `anew` asks it whatever is kept.

        Raises redis-py's errors while the server cannot be reached.
        """
        kept = None if anew else self._facts
        if kept and time.monotonic() - kept[0] < _FACTS_LAST_S:
            return kept[1]
        facts = read_facts(self.client)
        if self.switched_off:
            facts = replace(facts, read_only=self.switched_off)
        self._facts = (time.monotonic(), facts)
        return facts

    @property
    def patience_s(self) -> float:
        """How long one answer may take: the `read_ms` of its address."""
        return float(self.client.connection_pool.connection_kwargs["socket_timeout"])

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown of the connection."""
        options = self.client.connection_pool.connection_kwargs
        password, user = options.get("password") or "", options.get("username") or ""
        return tuple(filter(None, (password, user if len(user) >= _SHORTEST_SECRET_NAME else "")))

    def close(self) -> None:
        """Close its connections and end what works on it. It must not be asked again."""
        self.is_closed = True
        self.client.close()
        self.client.connection_pool.disconnect()
        for end in self.when_closed:
            end()


def parse(text: str) -> dict[str, str]:
    """Name to URL of each `name=url` in `text`, in its order.

    Raises `UnreadableSetting`.
    """
    found: dict[str, str] = {}
    for number, entry in enumerate(text.split(), 1):
        name, is_pair, url = entry.partition("=")
        if not (is_pair and is_name(name)):
            raise UnreadableSetting(
                f"EMQ_SERVERS: entry {number} is not name=url with a name of a-z, 0-9 and -"
            )
        if name in found:
            raise UnreadableSetting(f"EMQ_SERVERS: two servers are called {name}")
        found[name] = url
    return found


def is_name(text: str) -> bool:
    """Whether a server could be called so."""
    return _NAME.match(text) is not None


def servers() -> tuple[Server, ...]:
    """The servers of `settings.EMQ_SERVERS` in its order, made once per process and value.

    Raises `UnreadableSetting`.
    """
    return tuple(_fleet.of(settings.EMQ_SERVERS).values())


def server(name: str) -> Server:
    """The server of that name. Raises `UnknownServer`, `UnreadableSetting`."""
    try:
        return _fleet.of(settings.EMQ_SERVERS)[name]
    except KeyError:
        raise UnknownServer(f"no server is called {name!r}") from None


def read_only_reason(
    server: Server, queue: str | None = None, facts: Facts | None = None
) -> str | None:
    """Why nothing may be changed on this server, or in this queue, or `None`.

    `facts` are those of a look; without them the server is asked, which raises redis-py's
    errors while it cannot be reached.
    """
    if reason := set_read_only(server):
        return reason
    facts = facts or server.facts()
    if facts.read_only:
        return facts.read_only
    if queue is not None and facts.mode == "cluster" and spans_slots(queue):
        return "The keys of a queue of this name lie on several slots of the cluster."
    return None


def set_read_only(server: Server) -> str | None:
    """Why people have set this server to read only, for it alone or for all, or `None`."""
    return console_read_only() or server.switched_off


def console_read_only() -> str | None:
    """Why nothing may be changed at all, not even what the console remembers, or `None`."""
    return "This console is set to read only (EMQ_READ_ONLY)." if settings.EMQ_READ_ONLY else None


def trouble(server: Server, error: Exception, what: str = "cannot be read") -> str:
    """Connection trouble as a sentence that names the server and never a password.

    `what` is said of the server, for example "did not answer this requeue".
    """
    return f"{server.name} {what} at {server.target}: {_plain(server, error)}."


def masked(server: Server, text: str) -> str:
    """What a server or the library said, without the password and user of its address.

    A server that does not know AUTH or HELLO repeats what it was sent.
    """
    for secret in server.secrets:
        text = text.replace(secret, "***")
    return text


def forget() -> None:
    """Close every client and drop what was kept of its server."""
    _fleet.forget()


def _plain(server: Server, error: Exception) -> str:
    if isinstance(error, redis.AuthenticationError | redis.exceptions.AuthorizationError):
        return "it refuses this user or password"
    if isinstance(error, redis.BusyLoadingError):
        return "it is still loading its data"
    if isinstance(error, redis.TimeoutError):
        return "it did not answer in time"
    if isinstance(error, UnicodeError | OverflowError):
        return "its address cannot work"
    silent = isinstance(error, redis.ConnectionError)
    nothing_said = "the connection was lost" if silent else type(error).__name__
    said = reason(error) if isinstance(error, redis.ResponseError) else str(error)
    return masked(server, said.rstrip(".")) or nothing_said


class _Fleet:
    """The clients of one value of the setting."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._text = ""
        self._servers: dict[str, Server] = {}

    def of(self, text: str) -> dict[str, Server]:
        with self._lock:
            if text != self._text:
                made = {name: _made(name, url) for name, url in parse(text).items()}
                self._close()
                self._text, self._servers = text, made
            return self._servers

    def forget(self) -> None:
        with self._lock:
            self._close()
            self._text, self._servers = "", {}

    def _close(self) -> None:
        for server in self._servers.values():
            server.close()


def _switched_off(name: str) -> str:
    return f"{name} is set to read only (read_only=1 in EMQ_SERVERS)."


def _made(name: str, url: str) -> Server:
    try:
        return Server(name, url)
    except ValueError as error:
        raise UnreadableSetting(f"EMQ_SERVERS: {name}: {error}") from None


_fleet = _Fleet()
