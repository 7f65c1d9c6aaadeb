"""A foreign process: `python -m tests.chaos.hands ROLE NAME PORT FOLDER`, until SIGTERM.

What it does is drawn from dice of its own name; when it does it depends on the machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import heapq
import itertools
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.chaos.wire import AWAY, Deed, Wire, client

QUEUES = ("orders", "mails")
LANES = ("acme", "bolt", "core")
# Three beats of the observer.
LEASE_MS = 3_000
MAX_STALLED, MAX_ATTEMPTS = 2, 3
LIMIT = 100
# How long a failed job waits at least.
BACKOFF_MS = 1_000


class Hand:
    """Takes its turns, each when it is due."""

    def __init__(self, wire: Wire, dice: random.Random) -> None:
        self.wire, self.dice = wire, dice
        self._turns: list[tuple[float, int, Callable[[], object]]] = []
        self._number = itertools.count()

    def begin(self) -> None:
        """Have the first turns."""

    def later(self, least_s: float, most_s: float, turn: Callable[[], object]) -> None:
        due_s = time.monotonic() + self.dice.uniform(least_s, most_s)
        heapq.heappush(self._turns, (due_s, next(self._number), turn))

    def again(self, least_s: float, most_s: float, turn: Callable[[], object]) -> None:
        """Take a turn now and then, for ever."""

        def take() -> None:
            with contextlib.suppress(*AWAY):
                turn()
            self.later(least_s, most_s, take)

        self.later(0, most_s, take)

    def live(self) -> None:
        self.begin()
        while not is_told_to_stop(self._turns[0][0] - time.monotonic()):
            heapq.heappop(self._turns)[2]()

    def claim(self) -> Deed | None:
        queue, verb = self.dice.choice(QUEUES), self.dice.choice(["claim", "claim", "claim_lane"])
        return self.wire.do(verb, queue, LEASE_MS)


class Fast(Hand):
    """Done in much less than a lease. A job that is done sooner than somebody looks leaves no trace
    of how its last lease ended."""

    def begin(self) -> None:
        self.again(0.2, 0.4, self._work)

    def _work(self) -> None:
        lease = self.claim()
        if lease:
            self.later(0.8, 1.4, lambda: self._complete(lease))

    def _complete(self, lease: Deed) -> None:
        self.wire.do("complete", lease["queue"], lease["id"], lease["attempts"])


class Slow(Hand):
    """Works longer than a lease and renews it; now and then too late."""

    most = 8

    def begin(self) -> None:
        self._held = 0
        self.again(0.2, 0.5, self._work)

    def _work(self) -> None:
        lease = self.claim() if self._held < self.most else None
        if lease is None:
            return
        self._held += 1
        if self.dice.random() < 0.5:
            self.later(LEASE_MS / 1000, LEASE_MS / 1000 + 0.7, lambda: self._late(lease))
        else:
            self._renew(lease, self.dice.randint(1, 6))

    def _renew(self, lease: Deed, left: int) -> None:
        if left == 0:
            self._end(lease)
        else:
            third_s = LEASE_MS / 3000
            self.later(third_s * 0.8, third_s, lambda: self._renewed(lease, left - 1))

    def _renewed(self, lease: Deed, left: int) -> None:
        if self.wire.do("extend", lease["queue"], lease["id"], lease["attempts"], LEASE_MS):
            self._renew(lease, left)
        else:
            self._held -= 1

    def _late(self, lease: Deed) -> None:
        """It renews what may have ended already, and works on or is silent."""
        if self.dice.random() < 0.5:
            self._renewed(lease, self.dice.randint(1, 3))
        else:
            self._held -= 1
            self.wire.do("extend", lease["queue"], lease["id"], lease["attempts"], LEASE_MS)

    def _end(self, lease: Deed) -> None:
        self._held -= 1
        self.wire.do("complete", lease["queue"], lease["id"], lease["attempts"])


class Dying(Hand):
    """Takes work and is never heard of again."""

    def begin(self) -> None:
        self.again(0.1, 0.2, self.claim)


class Failing(Hand):
    """Fails with the same text again and again, or with a new one, and waits before it is tried
    again."""

    texts = ("smtp timeout", "smtp timeout", "no such table: rooms")

    def begin(self) -> None:
        self.again(0.05, 0.2, self._work)

    def _work(self) -> None:
        lease = self.claim()
        if lease:
            self.later(0.3, 0.6, lambda: self._fail(lease))

    def _fail(self, lease: Deed) -> None:
        text = self.dice.choice([*self.texts, f"crash {self.dice.getrandbits(32):x}"])
        delay_ms = self.dice.randint(BACKOFF_MS, 2 * BACKOFF_MS)
        job = (lease["id"], lease["attempts"])
        self.wire.do("retry", lease["queue"], *job, delay_ms, MAX_ATTEMPTS, text)


class Sweeper(Hand):
    def begin(self) -> None:
        self.again(0.3, 1.2, self._sweep)

    def _sweep(self) -> None:
        self.wire.do("sweep", self.dice.choice(QUEUES), MAX_STALLED, LIMIT)


class Reaper(Hand):
    """What each consumer does on its beat."""

    def begin(self) -> None:
        self.again(0.2, 0.6, self._reap)
        self.again(0.1, 0.3, self._promote)

    def _reap(self) -> None:
        queue = self.dice.choice(QUEUES)
        if self.dice.random() < 0.25:
            self.wire.do("reap_group", queue, self.dice.choice(LANES), LIMIT)
        else:
            self.wire.do("reap", queue)

    def _promote(self) -> None:
        self.wire.do("promote", self.dice.choice(QUEUES), LIMIT)


class Producer(Hand):
    """Keeps some jobs waiting everywhere, and enqueues old ids again: those that are done begin a
    new life. Both queues know the same ids."""

    backlog = 6

    def begin(self) -> None:
        self._made = 0
        self.again(0.02, 0.06, self._enqueue)

    def _enqueue(self) -> None:
        queue, group = self.dice.choice(QUEUES), self.dice.choice([None, *LANES])
        waiting = "pending" if group is None else f"g:{group}:pending"
        if self.wire.store.zcard(f"emq:{{{queue}}}:{waiting}") >= self.backlog:
            return
        lane = () if group is None else (group,)
        self.wire.do("enqueue", queue, self._id(), '{"to": "olena"}', *lane)

    def _id(self) -> str:
        if self._made and self.dice.random() < 0.5:
            return f"JOB{self.dice.randrange(self._made):011}"
        self._made += 1
        return f"JOB{self._made:011}"


def be_a_child() -> None:
    """End with the parent, go behind the agent where the machine is busy, and be told to stop
    between two turns only."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    os.nice(5)
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)


def is_told_to_stop(within_s: float) -> bool:
    """Wait for so long, or until SIGTERM."""
    return signal.sigtimedwait({signal.SIGTERM}, max(0.0, within_s)) is not None


ROLES: dict[str, type[Hand]] = {
    "fast": Fast,
    "slow": Slow,
    "dying": Dying,
    "failing": Failing,
    "sweeper": Sweeper,
    "reaper": Reaper,
    "producer": Producer,
}


def main(role: str, name: str, port: int, folder: Path) -> None:
    be_a_child()
    with client(port) as store:
        wire = Wire(store, name, folder)
        ROLES[role](wire, random.Random(name)).live()
        wire.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
