"""One round trip of many commands, each with its own answer or its own fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import redis
from redis.exceptions import AskError, ClusterDownError, MasterDownError, ResponseError

_INTEGER = re.compile(rb"(?:0|-?[1-9][0-9]*)\Z")
_LONGEST_INTEGER, _MOST = 17, 2**53 - 1
_SERVER_TROUBLE = (ClusterDownError, MasterDownError)
# So many commands travel together at most: a tenth of a second, so that an answer is not long.
_AT_ONCE = 10_000
# Whose right is missing is nobody's business: the name may be a part of the address.
_NO_RIGHT = re.compile(
    r"(?:NOPERM )?(?:this )?user\b.*? has no permissions to run the '([^']*)' command",
    re.IGNORECASE,
)

_WRONG_TYPE = "the key holds another type"
_KINDS = {b"zset": "sorted set"}


class Answer:
    """What one command of a `Batch` came back with, once the batch has run."""

    __slots__ = ("fault", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.fault: str | None = None

    def take(self, reply: Any) -> None:
        if isinstance(reply, ResponseError):
            self.fault = reason(reply)
        else:
            self.value = reply

    @property
    def is_mistyped(self) -> bool:
        """Whether the server refused because the key holds another type."""
        return self.fault == _WRONG_TYPE


class Batch:
    """Commands that travel together, in no transaction.

    A command that the server refuses (a key of the wrong type, no permission) faults its own
    answer; trouble with the server or the connection is raised by `run`. `heard` is called
    whenever the server has answered.
    """

    def __init__(self, client: redis.Redis, heard: Callable[[], None] | None = None) -> None:
        self._client, self._heard = client, heard
        self._trips: list[tuple[Any, list[Answer]]] = []

    def ask(self, method: str, *args: Any, **options: Any) -> Answer:
        """Add a command by the name of redis-py's method for it."""
        if not self._trips or len(self._trips[-1][1]) == _AT_ONCE:
            self._trips.append((self._client.pipeline(transaction=False), []))
        pipe, answers = self._trips[-1]
        getattr(pipe, method)(*args, **options)
        answer = Answer()
        answers.append(answer)
        return answer

    def run(self) -> None:
        """Make the round trip; none when nothing was asked, several for very many commands."""
        for pipe, answers in self._trips:
            self._take(answers, pipe.execute(raise_on_error=False))
            if self._heard:
                self._heard()
        self._trips.clear()

    def _take(self, answers: list[Answer], replies: list[Any]) -> None:
        for answer, reply in zip(answers, replies, strict=True):
            if isinstance(reply, _SERVER_TROUBLE) or (
                isinstance(reply, Exception) and not isinstance(reply, ResponseError)
            ):
                raise reply
            answer.take(reply)


def reason(error: ResponseError) -> str:
    """A refusal in a few words, which do not name the user."""
    if isinstance(error, AskError):
        return "the key lies on another node of the cluster"
    text = _NO_RIGHT.sub(r"no permission to run \1", str(error))
    return _WRONG_TYPE if text.startswith("WRONGTYPE") else text


def mistyped(key: bytes, found: bytes, wanted: bytes) -> str:
    """`pending is a string, not a sorted set`, of a key whose TYPE is not the one wanted."""
    name = key.rpartition(b"}:")[2].decode()
    return f"{name} is a {_kind(found)}, not a {_kind(wanted)}"


def _kind(name: bytes) -> str:
    return _KINDS.get(name) or name.decode()


def now_ms(time: Answer) -> int:
    """Unix ms of an answered TIME. Raises `ResponseError` when the server refused it."""
    if time.fault:
        raise ResponseError(time.fault)
    seconds, micros = time.value
    return int(seconds) * 1000 + int(micros) // 1000


def integer(raw: bytes | None) -> int | None:
    """A stored counter as the scripts read one: canonical and exact in a double.

    Absent is 0, anything else `None`.
    """
    if raw is None:
        return 0
    if len(raw) > _LONGEST_INTEGER or not _INTEGER.match(raw):
        return None
    number = int(raw)
    return number if abs(number) <= _MOST else None
