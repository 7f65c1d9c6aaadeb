"""A process of a foreign fleet: it has scripts of its own for the wire, and keeps its own truth."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

SCRIPT = (Path(__file__).parent / "foreign.lua").read_text()
# The server is away; LOADING counts as away too.
AWAY = (redis.ConnectionError, redis.TimeoutError)

Deed = dict[str, Any]


def client(port: int) -> redis.Redis:
    """One that sends nothing twice: whether a deed whose answer was lost was done is looked up."""
    return redis.Redis(port=port, retry=Retry(NoBackoff(), 0), socket_timeout=30)


class Wire:
    """Does one verb after the other, and writes down each that did something: one line of JSON in
    a file that is only ever appended to, with the script's answer and the server's time."""

    def __init__(self, store: redis.Redis, name: str, folder: Path) -> None:
        self.store, self.name = store, name
        self._script = store.register_script(SCRIPT)
        self._deeds = (f"{name}.{number}" for number in itertools.count())
        self._file = open(folder / f"{name}.jsonl", "a", encoding="utf-8")  # noqa: SIM115

    def do(self, verb: str, queue: str, *args: object) -> Deed | None:
        """What the verb did, `None` for nothing and when it refused."""
        deed = next(self._deeds)
        keys = [f"emq:{{{queue}}}:", f"chaos:{{{queue}}}:"]
        try:
            answer = self._script(keys, [verb, self.name, deed, *args])
        except AWAY:
            answer = self._looked_up(keys[1], deed)
        except redis.ResponseError as refusal:
            if not str(refusal).startswith(("EMQSTALE", "EMQKIND")):
                raise
            return None
        if not answer:
            return None
        done = {"by": self.name, "did": verb, "queue": queue, **json.loads(answer)}
        self.write(done)
        return done

    def write(self, line: Deed) -> None:
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _looked_up(self, base: str, deed: str) -> bytes | None:
        """The answer to a deed that was lost on its way; waits until the server is back."""
        pause = threading.Event()
        while True:
            try:
                last = self.store.hget(f"{base}last", self.name) or b""
            except AWAY:
                pause.wait(0.05)
                continue
            name, _, answer = last.partition(b" ")
            return answer if name.decode() == deed else None
