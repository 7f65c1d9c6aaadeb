"""How much memory the web process holds after a thousand pages, over HTTP as people load them."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import re
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import redis

from tests.bench.figures import Figure
from tests.bench.scripts import job_ids
from tests.demo.running import Running, up
from tests.waiting import wait_for

QUEUES, LANES, JOBS, VIEWERS = 1_000, 10, 1_000, 4
BOUND_MB = 90.0
_WEB = b"echomq_admin.startup.web"
_TABS = ("pending", "active", "scheduled", "dead", "lanes", "audit")


def memory(client: redis.Redis, port: int, size: int = 1_000) -> Iterator[Figure]:
    """Resident memory after `size` pages: overview, each tab and a job of 60 kB in turn."""
    paths = list(itertools.islice(_paths(_seed(client)), size))
    with tempfile.TemporaryDirectory(prefix="echomq-bench-") as folder:
        data = Path(folder) / "data"
        with up(data, EMQ_SERVERS=f"bench=redis://127.0.0.1:{port}/0") as console:
            wait_for(lambda: _passes(data), 120, "no pass of discovery has ended")
            viewer, process = _Viewer(console), _web_process(data)
            started = _resident_mb(process)
            viewer.load(paths[:100])
            warm = _resident_mb(process)
            viewer.load(paths[100:])
            after = _resident_mb(process)
    yield Figure("web process, no page yet", started, "MB", BOUND_MB, "ratio < 1")
    yield Figure(f"web process, {size:,} pages", after, "MB", BOUND_MB, "ratio < 1")
    yield Figure("the same, over 100 pages", after, "MB", warm, "ratio <= 1.1")


def _seed(client: redis.Redis) -> list[str]:
    """Queues of ten lanes, the first of them with dead jobs; answers the ids of those."""
    ids = job_ids(JOBS + QUEUES * LANES)
    dead, waiting = ids[:JOBS], iter(ids[JOBS:])
    pipe = client.pipeline(transaction=False)
    for number in range(QUEUES):
        for lane in range(LANES):
            pipe.zadd(f"emq:{{q{number:04}}}:g:lane-{lane}:pending", {next(waiting): 0})
            pipe.rpush(f"emq:{{q{number:04}}}:ring", f"lane-{lane}")
    payload = json.dumps({"lines": [{"sku": f"A-{n}", "count": n} for n in range(2_000)]})
    for job_id in dead:
        row = {"state": "dead", "attempts": 3, "payload": payload, "last_error": "timeout " * 9}
        pipe.zadd("emq:{q0000}:dead", {job_id: 0})
        pipe.hset(f"emq:{{q0000}}:job:{job_id}", mapping=row)
    pipe.execute()
    return dead


def _paths(dead: list[str]) -> Iterator[str]:
    """Ten a round, for as many rounds as there are dead jobs."""
    for number, job_id in enumerate(dead):
        queue = f"/q/bench/q{number % QUEUES:04}"
        yield "/"
        yield f"/?page={number % 10 + 1}"
        yield from (f"{queue}/{tab}" for tab in _TABS)
        yield "/q/bench/q0000/dead"
        yield f"/q/bench/q0000/job/{job_id}"


class _Viewer:
    """Signed in, with a connection of its own for each of some threads."""

    def __init__(self, console: Running) -> None:
        self._address = console.address
        self._cookie = _session(console)

    def load(self, paths: list[str]) -> None:
        """Load every page, several at a time; a page that does not answer is an error."""
        ahead = iter(paths)
        with ThreadPoolExecutor(VIEWERS) as pool:
            all(pool.map(self._share, [ahead] * VIEWERS))

    def _share(self, paths: Iterator[str]) -> None:
        with contextlib.closing(http.client.HTTPConnection(self._address)) as connection:
            for path in paths:
                connection.request("GET", path, headers={"Cookie": self._cookie})
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    raise AssertionError(f"{path} answered {answer.status}")


def _session(console: Running) -> str:
    """The cookie of a browser that has signed in as the first account."""
    with contextlib.closing(http.client.HTTPConnection(console.address)) as connection:
        connection.request("GET", "/login/")
        answer = connection.getresponse()
        token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', answer.read())[1]
        cookies = _cookies(answer)
        form = {"username": "admin", "password": console.password, "csrfmiddlewaretoken": token}
        headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/login/", urllib.parse.urlencode(form), headers)
        answer = connection.getresponse()
        answer.read()
        return _cookies(answer)


def _cookies(answer: http.client.HTTPResponse) -> str:
    return "; ".join(line.split(";")[0] for line in answer.headers.get_all("Set-Cookie") or ())


def _passes(data: Path) -> int:
    with contextlib.closing(sqlite3.connect(data / "console.sqlite3")) as base:
        return int(base.execute("SELECT count(*) FROM fleet_pass").fetchone()[0])


def _web_process(data: Path) -> Path:
    """Where the kernel tells about the web server that works on this data."""
    marker = f"EMQ_DATA={data}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            is_web = _WEB in (process / "cmdline").read_bytes().split(b"\0")
            if is_web and marker in (process / "environ").read_bytes().split(b"\0"):
                return process
    raise AssertionError("there is no web server")


def _resident_mb(process: Path) -> float:
    kib = re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())[1]
    return int(kib) * 1024 / 1_000_000
