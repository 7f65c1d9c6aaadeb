"""An operator: `python -m tests.chaos.person NAME PORT FOLDER [DEATHS]`, until SIGTERM.

Acts through the door of the console, on what it reads from the server itself. Its truth is what
the scripts wrote for it into the audit streams, read from there by itself. The first DEATHS times
that something was moved, the process is killed before anybody copies that.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import msgpack
import redis

from tests.chaos.hands import LIMIT, MAX_STALLED, QUEUES, be_a_child, is_told_to_stop
from tests.chaos.wire import AWAY, client

SERVER = "main"
# So long lies between a decision and the deed.
_THINKS_S = 0.6
FIELDS = ("id", "outcome", "attempts", "stalled", "deadline", "group", "error", "is_cut")


@dataclass(frozen=True)
class Seen:
    """A job as it was seen in a set."""

    queue: str
    where: str
    job: str
    attempts: int
    score: float


class Person:
    def __init__(self, name: str, store: redis.Redis, folder: Path, deaths: int) -> None:
        self.name, self._store, self._path = name, store, folder / f"{name}.jsonl"
        self._seen = dict.fromkeys(QUEUES, "0-0")
        for line in read(self._path):
            self._seen[line["queue"]] = line["entry"]
        # Dice go on where the last life of this process ended.
        self._dice = random.Random(f"{name} {self._seen}")
        self._decided: list[tuple[float, str, Seen, dict[str, object]]] = []
        self._died, self._deaths = folder / f"{name}.deaths", deaths

    def live(self) -> None:
        acts = [self._requeue, self._sweep, self._reap, self._bury, self._remove]
        acts += [self._recover_now, *[self._remove_active] * 2, *[self._bury_active] * 2]
        while not is_told_to_stop(self._dice.uniform(0.05, 0.3)):
            try:
                self.note()
                self._dice.choice(acts)()
                self._do_decided()
                self.note()
            except AWAY:
                continue

    def note(self) -> bool:
        """Write down what the streams say of this person that is not written down; whether any."""
        lines = [line for queue in QUEUES for line in self._news(queue)]
        with open(self._path, "a", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")
        self._seen |= {line["queue"]: line["entry"] for line in lines}
        return bool(lines)

    def die_between(self) -> None:
        """Between the script and the copy, as often as this process is to die there."""
        if self._count_of_deaths() < self._deaths and self.note():
            with open(self._died, "a", encoding="utf-8") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)

    def _count_of_deaths(self) -> int:
        return len(self._died.read_text()) if self._died.exists() else 0

    def _news(self, queue: str) -> Iterator[dict[str, Any]]:
        key = f"emqadmin:{{{queue}}}:audit"
        for entry, fields in self._store.xrange(key, f"({self._seen[queue]}"):
            assert fields[b"actor"].decode() == self.name
            yield {
                "by": self.name,
                "did": fields[b"op"].decode(),
                "queue": queue,
                "entry": entry.decode(),
                "t": int(fields[b"t"]),
                "jobs": [_told(job) for job in msgpack.unpackb(fields[b"jobs"], raw=False)],
            }

    def _requeue(self) -> None:
        """At once, also what has died just now."""
        seen, resets = self._some("dead"), self._dice.random() < 0.7
        if seen:
            self._do("requeue", seen.queue, {seen.job: seen.attempts}, reset_stalls=resets)

    def _bury(self) -> None:
        self._look("bury", "pending", reason="poison")

    def _bury_active(self) -> None:
        self._look("bury", "active", reason="poison")

    def _remove(self) -> None:
        self._look("remove", self._dice.choice(["dead", "pending", "schedule"]))

    def _remove_active(self) -> None:
        self._look("remove", "active", force=True)

    def _recover_now(self) -> None:
        self._look("recover_now", "active", max_stalled=MAX_STALLED)

    def _sweep(self) -> None:
        self._do("sweep", self._dice.choice(QUEUES), max_stalled=MAX_STALLED, limit=LIMIT)

    def _reap(self) -> None:
        self._do("reap", self._dice.choice(QUEUES), limit=LIMIT)

    def _look(self, verb: str, where: str, **args: object) -> None:
        """Decide now what to do in a while, as a person does."""
        seen = self._some(where)
        if seen:
            self._decided.append((time.monotonic(), verb, seen, args))

    def _do_decided(self) -> None:
        """Do what was decided long enough ago, where all is still as it was seen."""
        while self._decided and time.monotonic() - self._decided[0][0] > _THINKS_S:
            _, verb, seen, args = self._decided.pop(0)
            if self._see(seen.queue, seen.where, seen.job) == seen:
                self._do(verb, seen.queue, {seen.job: seen.attempts}, **args)

    def _some(self, where: str) -> Seen | None:
        """A job of one of the sets of a queue, when there is one."""
        queue = self._dice.choice(QUEUES)
        for job in self._store.zrandmember(f"emq:{{{queue}}}:{where}", 1):
            return self._see(queue, where, job.decode())
        return None

    def _see(self, queue: str, where: str, job: str) -> Seen | None:
        base = f"emq:{{{queue}}}:"
        score = self._store.zscore(base + where, job)
        attempts = self._store.hget(f"{base}job:{job}", "attempts")
        if score is None or attempts is None:
            return None
        return Seen(queue, where, job, int(attempts), score)

    def _do(
        self, verb: str, queue: str, tokens: dict[str, int] | None = None, **args: object
    ) -> None:
        from django.contrib.auth.models import User

        from echomq_admin.operations.services import Call, Refused, perform

        tokens = tokens or {}
        try:
            perform(
                User.objects.get(username=self.name),
                Call(verb, SERVER, queue, tuple(tokens), tokens, args),
            )
        except Refused as refused:
            sys.stderr.write(f"{verb}: {refused.sentence}\n")


def read(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a truth."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _told(job: list[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(FIELDS, job, strict=True) if value is not False}


def main(name: str, port: int, folder: Path, deaths: int = 0) -> None:
    be_a_child()
    django.setup()
    from echomq_admin.operations import recording

    with client(port) as store:
        person = Person(name, store, folder, deaths)
        settled = recording.settled

        def settle(*args: object) -> None:
            person.die_between()
            settled(*args)

        recording.settled = settle
        person.live()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), *map(int, sys.argv[4:]))
