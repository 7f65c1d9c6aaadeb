"""The whole run: a server, the fleet that is foreign to the console, its operator, and agents."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import redis

from tests.chaos import book
from tests.chaos.hands import LANES, QUEUES
from tests.chaos.truth import Truth, told
from tests.chaos.wire import AWAY, Wire, client
from tests.demo.running import ROOT, environment
from tests.waiting import wait_for

# How long the fleet works: as `make chaos` says, and short beside other tests.
LOAD_S = float(os.environ.get("CHAOS_S", "12"))
LEAST = {"recovered": 10, "dead": 4, "reaped": 8, "failed": 3, "operator": 3}
# However busy the machine is.
PATIENCE_S = 90.0
FLEET = {
    "producer": "producer",
    "fast": "fast",
    "slow": "slow",
    "dying": "dying",
    "failing": "failing",
    "sweeper-1": "sweeper",
    "sweeper-2": "sweeper",
    "reaper": "reaper",
}
FIRST = ("producer", "failing", "reaper")
CLEANERS = ("sweeper-1", "sweeper-2", "reaper")
OPERATOR = "operator"


@dataclass
class Town:
    """Everybody's processes by their names, the agents among them. What they say goes to a file of
    each name in `data`, the truth into `data/truth`."""

    data: Path
    port: int
    store: redis.Redis
    deaths: int = 0
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    ended_ms: int = 0

    @property
    def env(self) -> dict[str, str]:
        address = f"main=redis://127.0.0.1:{self.port}/0"
        return environment(self.data, EMQ_SERVERS=address)

    @property
    def database(self) -> Path:
        return self.data / "console.sqlite3"

    def truth(self) -> Truth:
        return told(self.data / "truth")

    def build(self) -> None:
        """The database, and a job in each queue, so that both can be discovered."""
        (self.data / "truth").mkdir()
        self.run("tests.chaos.house", "make", OPERATOR)
        first = Wire(self.store, "first", self.data / "truth")
        for queue in QUEUES:
            first.do("enqueue", queue, "JOBfirst", "{}", LANES[0])
        first.close()

    def run(self, module: str, *args: str) -> str:
        argv = [sys.executable, "-m", module, *args]
        done = subprocess.run(
            argv, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2_000:]
        return done.stdout

    def start(self, name: str, *argv: str) -> None:
        with open(self.data / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, *argv], cwd=ROOT, env=self.env, stdout=log, stderr=log
            )

    def start_agent(self, name: str = "agent") -> None:
        self.start(name, "manage.py", "agent")

    def start_fleet(self) -> float:
        """First those of whom the observer learns how long a failed job waits, then all; when it
        began, by the monotonic clock."""
        began_s = time.monotonic()
        self._start_hands(*FIRST)
        self.until(self._is_learned, "too few fail")
        self._start_hands(*(name for name in FLEET if name not in FIRST))
        self.start_operator()
        return began_s

    def _start_hands(self, *names: str) -> None:
        where = (str(self.port), str(self.data / "truth"))
        for name in names:
            self.start(name, "-m", "tests.chaos.hands", FLEET[name], name, *where)

    def _is_learned(self) -> bool:
        learned = "SELECT count(*) FROM ledger_watched WHERE backoff_ms IS NOT NULL"
        return book.rows(self.database, learned) == [(len(QUEUES),)]

    def start_operator(self) -> None:
        where = (str(self.port), str(self.data / "truth"), str(self.deaths))
        self.start(OPERATOR, "-m", "tests.chaos.person", OPERATOR, *where)

    def tend(self) -> None:
        """Start the operator again when it was killed; anybody else must be alive."""
        for name, process in list(self.processes.items()):
            if process.poll() is None:
                continue
            assert name == OPERATOR, (self.data / f"{name}.log").read_text()[-2_000:]
            assert process.returncode == -signal.SIGKILL, self.said(OPERATOR)
            self.start_operator()

    def said(self, name: str) -> str:
        return (self.data / f"{name}.log").read_text()[-3_000:]

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait for something while everybody lives."""

        def is_so() -> object:
            self.tend()
            return condition()

        wait_for(is_so, PATIENCE_S, what, every_s=0.1)

    def until_ended(self, more: int) -> None:
        """Wait until so many leases more have ended."""
        before = len(self.truth().endings)
        self.until(lambda: len(self.truth().endings) >= before + more, "no more leases end")

    def until_watched(self) -> None:
        counted = "SELECT count(*) FROM ledger_watched"
        self.until(lambda: book.rows(self.database, counted) == [(len(QUEUES),)], "not watched")

    def until_late(self, since_s: float) -> None:
        """Wait until the fleet has worked for `LOAD_S`, and has done enough of everything."""
        self.until(lambda: time.monotonic() - since_s > LOAD_S, "the load did not end")
        self.until(self._is_enough, "too little happens")

    def _is_enough(self) -> bool:
        counts = self.truth().counts
        return all(counts[kind] >= least for kind, least in LEAST.items())

    def stop(self, *names: str) -> None:
        """End processes in good order: what they were at, they finish."""
        for name in names:
            self.processes[name].terminate()
        for name in names:
            code = self.processes.pop(name).wait(PATIENCE_S)
            # The operator may be at its death, or at its birth.
            is_killed = name == OPERATOR and code in (-signal.SIGKILL, -signal.SIGTERM)
            assert code == 0 or is_killed, self.said(name)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait(PATIENCE_S)

    def end(self) -> None:
        """Everybody goes home, the cleaners when no lease is left."""
        self.until(lambda: self.deaths <= self._deaths_so_far(), "the operator did not die")
        self.stop(*(name for name in FLEET if name not in CLEANERS), OPERATOR)
        self.until(lambda: not any(self._in_flight()), "leases stay")
        self.stop(*CLEANERS)
        seconds, micros = self.store.time()
        self.ended_ms = seconds * 1000 + micros // 1000

    def _deaths_so_far(self) -> int:
        died = self.data / "truth" / f"{OPERATOR}.deaths"
        return len(died.read_text()) if died.exists() else 0

    def _in_flight(self) -> list[int]:
        return [self.store.zcard(f"emq:{{{queue}}}:active") for queue in QUEUES]

    def until_told(self) -> None:
        """Wait until the agent has looked at everything that happened: at the active sets, at the
        dead jobs and at the audit."""
        looked = (
            f"SELECT count(*) FROM ledger_watched WHERE seen_ms >= {self.ended_ms} "
            f"AND passed_ms >= {self.ended_ms}"
        )
        self.until(lambda: book.rows(self.database, looked) == [(len(QUEUES),)], "not looked at")
        self.until(self._is_copied, "not copied")

    def _is_copied(self) -> bool:
        copied = "SELECT queue, last_id FROM ledger_copied"
        marks = {bytes(queue).decode(): mark for queue, mark in book.rows(self.database, copied)}
        return all(marks.get(queue, "0-0") == self._last_entry(queue) for queue in QUEUES)

    def _last_entry(self, queue: str) -> str:
        last = self.store.xrevrange(f"emqadmin:{{{queue}}}:audit", count=1)
        return last[0][0].decode() if last else "0-0"

    def stated(self) -> dict[str, int | None]:
        return json.loads(self.run("tests.chaos.house", "stated"))

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)


@contextlib.contextmanager
def town(data: Path, port: int, deaths: int = 0) -> Iterator[Town]:
    """One in which an agent watches both queues. `deaths`: how often the operator is killed between
    its script and the copy."""
    data.mkdir(exist_ok=True)
    with client(port) as store:
        here = Town(data, port, store, deaths)
        try:
            here.build()
            here.start_agent()
            here.until_watched()
            yield here
        finally:
            here.close()


def is_up(store: redis.Redis) -> bool:
    try:
        return bool(store.ping())
    except AWAY:
        return False
