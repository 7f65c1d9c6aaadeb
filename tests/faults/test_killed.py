"""The web process is killed 200 times in the middle of what people do; the record stays true."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.startup.door import listen
from tests.demo.running import ROOT, environment
from tests.emq.keys import Keyspace, dump
from tests.emq.promises import Watch
from tests.faults import agreement, busy
from tests.faults.nursery import TWINS
from tests.faults.people import BASE, JOBS, QUEUE, Person, Tally
from tests.waiting import wait_for

KILLS = 200
# However busy the machine is, the server is not taken for one out of reach.
PATIENT = "connect_ms=30000&read_ms=30000"
VERBS = {b"requeue", b"return_to_dead", b"promote_now", b"bury", b"remove", b"restore"}
NAMES = ("ann", "bo", "cy", "di")
# Kills that end a process in the middle of a form are about the half; so many there must be.
FEWEST_HITS = KILLS // 4


@dataclass
class House:
    """A console with a database of its own, over an emptied server."""

    data: Path
    env: dict[str, str]
    port: int
    nursery: subprocess.Popen[str]
    alive: set[int] = field(default_factory=set)
    hits: int = 0

    @property
    def database(self) -> Path:
        return self.data / "console.sqlite3"

    def birth(self) -> None:
        """Wait for the next web process."""
        line = self.nursery.stdout.readline()
        assert line.strip().isdecimal(), (self.data / "log").read_text()[-5_000:]
        self.alive.add(int(line))

    def worker(self) -> int | None:
        """A web process that is at a form."""
        return next((pid for pid in self.alive if busy.forms_at(self.data, pid)), None)

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self.alive.remove(pid)
        # The next one is born when this one has ended.
        self.birth()
        self.hits += busy.forms_at(self.data, pid) > 0


@pytest.fixture
def house(tmp_path: Path, server_url: str) -> Iterator[House]:
    env = environment(tmp_path, EMQ_SERVERS=f"main={server_url}?{PATIENT}")
    with contextlib.closing(listen("127.0.0.1", 0)) as door, open(tmp_path / "log", "wb") as log:
        nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery", str(door.fileno()), tmp_path, *NAMES],
            cwd=ROOT,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=log,
            pass_fds=[door.fileno()],
        )
        try:
            house = House(tmp_path, env, door.getsockname()[1], nursery)
            for _ in range(TWINS):
                house.birth()
            yield house
        finally:
            nursery.kill()
            nursery.wait()
            nursery.stdout.close()


def seed(store: redis.Redis) -> Keyspace:
    """Jobs that wait, in and out of lanes, that are scheduled, and dead ones with an error."""
    emq = EchoMQ(store)
    for number in range(JOBS):
        job_id = f"JOB{number:011}"
        payload = f'{{"n": {number}}}'.encode()
        if number % 3 == 0:
            emq.enqueue(QUEUE, job_id, payload, None if number % 2 else f"lane{number % 4}")
        elif number % 3 == 1:
            emq.schedule(QUEUE, job_id, payload, in_ms=10**9)
        else:
            emq.enqueue(QUEUE, job_id, payload, None if number % 2 else f"lane{number % 4}")
            emq.bury(QUEUE, [job_id], f"error {number}")
    return dump(store)


def live_and_die(house: House, store: redis.Redis, people: list[Person]) -> None:
    """Kill web processes while people act, and halfway through the agent too, which has copied
    beside them. It is over when everything that people do has been done."""
    threads = [threading.Thread(target=person.live, daemon=True) for person in people]
    for thread in threads:
        thread.start()
    with agent(house) as process:
        kill(house, KILLS // 2)
        process.kill()
    kill(house, KILLS - KILLS // 2)
    wait_for(lambda: verbs(agreement.stream(store)) == VERBS, 60)
    for person in people:
        person.is_leaving.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def kill(house: House, times: int) -> None:
    """Kill a web process that is at a form, again and again, some in the middle of it, some when
    others may have been begun: within a few times as long as the last form took."""
    dice, pause = random.Random(times), threading.Event()
    for _ in range(times):
        pid = wait_for(house.worker, 60, every_s=0.001)
        pause.wait(dice.uniform(0, 3 * busy.took_s(house.data)))
        house.kill(pid)


def verbs(told: agreement.Stream) -> set[bytes]:
    return {entry[b"op"] for _, entry in told}


@contextlib.contextmanager
def agent(house: House) -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "manage.py", "agent"]
    with open(house.data / "agent.log", "wb") as log:
        process = subprocess.Popen(argv, cwd=ROOT, env=house.env, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def people(client, house) -> list[Person]:
    """Everybody, signed in."""
    tally = Tally()
    made = [Person(name, house.port, client, tally, seed) for seed, name in enumerate(NAMES)]
    for person in made:
        person.sign_in()
    return made


@pytest.mark.timeout(900)
def test_jobs_stream_and_trail_agree_after_200_kills(client, house, people):
    start = seed(client)
    live_and_die(house, client, people)
    tally = people[0].tally
    assert tally.strange == []
    assert house.hits >= FEWEST_HITS
    assert tally.cuts >= house.hits

    told = agreement.stream(client)
    assert verbs(told) == VERBS
    story = agreement.Story(agreement.where(start), told)
    _assert_whole(client, start, story.there)
    assert agreement.twice(told) == []

    agreement.grow_old(house.database)
    with agent(house):
        wait_for(lambda: len(agreement.trail(house.database)) >= len(told), 60)
        wait_for(lambda: not agreement.under_way(house.database), 60)
    assert agreement.is_sound(house.database)
    reasons = {person.name: person.reason for person in people}
    assert agreement.trail(house.database) == agreement.as_trail(told, reasons)
    assert agreement.trash(house.database) == Counter(story.gone.keys())

    people[0].restore(sorted(job.decode() for job in story.gone))
    _assert_whole(client, start, story.there | story.gone)


def _assert_whole(store: redis.Redis, start: Keyspace, where: Mapping[bytes, str]) -> None:
    """Each job is in the one place where it may be, with the payload that it had, and the lanes
    are served as they must be."""
    watch, keys = Watch(), dump(store)
    watch.by_hand(start)
    watch.after_step(keys, None, 0)
    assert agreement.where(keys) == where
    rows = {BASE + b"job:" + job for job in where}
    assert {key for key in keys if key.startswith(BASE + b"job:")} == rows
    for row in rows:
        assert keys[row][b"payload"] == start[row][b"payload"]
