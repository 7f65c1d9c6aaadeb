"""What really happened, from what every process wrote down itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.person import read

# How a lease ended that did not end well. The other kinds of `Ended` are no endings of the ledger:
# `completed`, `retried`, and `superseded`: a revived lease whose job was claimed meanwhile.
RECOVERED, DEAD, REAPED, FAILED, OPERATOR = "recovered", "dead", "reaped", "failed", "operator"
KINDS = (RECOVERED, DEAD, REAPED, FAILED, OPERATOR)
STALLS, DEATHS = (RECOVERED, DEAD), (DEAD, FAILED)
# How far the looks of the observer are apart at most, when it keeps up.
BEAT_MS = 1_000
# What a deed of the operator does to a lease in flight, by verb and outcome.
OPERATED = {
    ("sweep", "recovered"): RECOVERED,
    ("sweep", "dead"): DEAD,
    ("recover_now", "recovered"): RECOVERED,
    ("recover_now", "dead"): DEAD,
    ("reap", "recovered"): REAPED,
    ("bury", "buried"): OPERATOR,
    ("remove", "removed"): OPERATOR,
}

Job = tuple[str, str]


@dataclass(frozen=True)
class Ended:
    """The end of a lease, at `t` ms of the server's clock. `life` counts how often the job began
    anew, `n` how often this lease was revived before. `stalled`, `deadline`, `lane` and `error` are
    `None` when there is none, or the deed does not say."""

    queue: str
    job: str
    attempts: int
    t: int
    kind: str
    by: str
    life: int = 0
    n: int = 0
    stalled: int | None = None
    deadline: int | None = None
    lane: str | None = None
    error: str | None = None

    @property
    def lease(self) -> tuple[str, str, int]:
        return self.queue, self.job, self.attempts


class Truth:
    """`endings` and `closed` are the leases that ended badly, and well; `deaths` counts for each
    queue what raised its count of failures. `ghosts` are the lives of jobs of which a claim made
    the row: they know nothing of the lane that the id was claimed from."""

    def __init__(self, deeds: Iterable[dict[str, Any]]) -> None:
        self.endings: list[Ended] = []
        self.closed: list[Ended] = []
        self.deaths: Counter[str] = Counter()
        self._gone: defaultdict[Job, list[int]] = defaultdict(list)
        self.ghosts: set[tuple[str, str, int]] = set()
        self._lives: Counter[Job] = Counter()
        self._last: dict[Job, int] = {}
        self._revived: Counter[tuple[str, str, int, int]] = Counter()
        for deed in sorted(deeds, key=lambda deed: (deed["t"], deed.get("order", 10**12))):
            self._take(deed)

    def is_traceless(self, ended: Ended, within_ms: int = BEAT_MS) -> bool:
        """Whether the row of the job was gone within a beat, or so long, so that nobody who looks
        at rows could tell how the lease had ended."""
        gone = self._gone[ended.queue, ended.job]
        return any(0 <= t - ended.t <= within_ms for t in gone)

    @property
    def counts(self) -> Counter[str]:
        return Counter(ended.kind for ended in self.endings)

    @property
    def revived(self) -> int:
        return sum(self._revived.values())

    def _take(self, deed: dict[str, Any]) -> None:
        if "entry" in deed:
            self._operated(deed)
        else:
            taken = _FOREIGN.get(deed["did"])
            if taken:
                taken(self, deed)

    def _enqueued(self, deed: dict[str, Any]) -> None:
        self._begin((deed["queue"], deed["id"]), 0)

    def _begin(self, job: Job, attempts: int) -> None:
        """A new life, unless it is the first that is heard of the job."""
        self._lives[job] += job in self._last
        self._last[job] = attempts

    def _claimed(self, deed: dict[str, Any]) -> None:
        job, attempts = (deed["queue"], deed["id"]), deed["attempts"]
        if deed.get("before"):
            self._close(deed, "superseded", self._last[job])
        if attempts <= self._last.get(job, -1):
            # An id without a row, of which the claim made one.
            self._begin(job, attempts)
            self.ghosts.add((*job, self._lives[job]))
        self._last[job] = attempts

    def _completed(self, deed: dict[str, Any]) -> None:
        self._close(deed, "completed", deed["attempts"])
        self._gone[deed["queue"], deed["id"]].append(deed["t"])

    def _retried(self, deed: dict[str, Any]) -> None:
        is_dead = deed["became"] == "dead"
        self.deaths[deed["queue"]] += is_dead
        if is_dead and deed.get("before"):
            told = {"lane": deed.get("group") or None, "error": deed["error"]}
            self._end(deed, deed["id"], FAILED, deed["attempts"], **told)
        else:
            self._close(deed, "retried", deed["attempts"])

    def _extended(self, deed: dict[str, Any]) -> None:
        if not deed.get("before"):
            job = deed["queue"], deed["id"]
            self._revived[*job, self._lives[job], deed["attempts"]] += 1

    def _reaped(self, deed: dict[str, Any]) -> None:
        for job, attempts, deadline, lane in deed["jobs"]:
            self._end(deed, job, REAPED, attempts, deadline=deadline, lane=lane or None)

    def _swept(self, deed: dict[str, Any]) -> None:
        for job, attempts, deadline, lane, outcome, stalled in deed["jobs"]:
            told = {"stalled": stalled, "deadline": deadline, "lane": lane or None}
            self._end(deed, job, outcome, attempts, **told)
            self.deaths[deed["queue"]] += outcome == DEAD

    def _operated(self, deed: dict[str, Any]) -> None:
        for job in deed["jobs"]:
            if job["outcome"] == "removed":
                self._gone[deed["queue"], job["id"]].append(deed["t"])
            kind = OPERATED.get((deed["did"], job["outcome"]))
            if kind and "deadline" in job:
                told = {"deadline": int(job["deadline"]), "lane": job.get("group")}
                told["stalled"] = job["stalled"] if kind in STALLS else None
                self._end(deed, job["id"], kind, job["attempts"], **told)
                self.deaths[deed["queue"]] += kind == DEAD

    def _end(
        self,
        deed: dict[str, Any],
        job_id: str,
        kind: str,
        attempts: int,
        **told: Any,
    ) -> None:
        job = deed["queue"], job_id
        life = self._lives[job]
        n = self._revived[*job, life, attempts]
        ended = Ended(*job, attempts, deed["t"], kind, deed["by"], life, n, **told)
        (self.endings if kind in KINDS else self.closed).append(ended)

    def _close(self, deed: dict[str, Any], kind: str, attempts: int) -> None:
        self._end(deed, deed["id"], kind, attempts)


_FOREIGN: dict[str, Callable[[Truth, dict[str, Any]], None]] = {
    "enqueue": Truth._enqueued,
    "claim": Truth._claimed,
    "claim_lane": Truth._claimed,
    "complete": Truth._completed,
    "retry": Truth._retried,
    "extend": Truth._extended,
    "reap": Truth._reaped,
    "reap_group": Truth._reaped,
    "sweep": Truth._swept,
}


_HIDDEN = {"queue", "id", "payload", "promoted", "jobs", "order", "entry"}


def story(folder: Path, queue: str, job: str) -> Iterator[str]:
    """What everybody did with a job, a line a deed."""
    deeds = [deed for path in folder.glob("*.jsonl") for deed in read(path)]
    for deed in sorted(deeds, key=lambda deed: deed["t"]):
        jobs = [each if isinstance(each, list) else list(each.values()) for each in _jobs(deed)]
        mine = [each for each in jobs if each[0] == job]
        if deed["queue"] == queue and mine:
            told = {name: value for name, value in deed.items() if name not in _HIDDEN}
            yield f"{told} {mine}"


def _jobs(deed: dict[str, Any]) -> list[Any]:
    return [*deed.get("jobs", ()), [deed.get("id")], *([one] for one in deed.get("promoted", ()))]


def told(folder: Path) -> Truth:
    """The truth of everybody who wrote theirs into a folder."""
    return Truth(deed for path in folder.glob("*.jsonl") for deed in read(path))
