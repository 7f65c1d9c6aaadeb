"""A sweep held against its preview: what went as shown, what did not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import redis

from echomq_admin.console.words import LOST
from echomq_admin.emq.keyspace import Keyspace
from echomq_admin.emq.reads import server_now_ms
from echomq_admin.fleet.names import brief

_SENT = {"recovered": "recovered", "dead": "sent to dead", **LOST}
LISTED = 1_000


def differences(
    seen: Mapping[str, str], done: Mapping[str, str], fates: Mapping[str, str]
) -> list[str]:
    """Sentences for every difference between a preview and its result.

    `seen` and `done` map job ids to verdicts; `fates` says for the ids that were seen and not
    swept what became of them (see `whereabouts`).
    """
    said = [_count(count, word) for word, count in Counter(fates.values()).items()]
    late = sum(1 for job_id in done if job_id not in seen)
    if late:
        said.append(f"{late:,} lapsed after the preview.")
    moved = Counter(
        (seen[job_id], verdict)
        for job_id, verdict in done.items()
        if job_id in seen and seen[job_id] != verdict
    )
    for (old, new), count in moved.items():
        said.append(
            f"{_were(count)} {_verdict(new)}, not {_verdict(old)} as previewed: "
            "the job had changed meanwhile."
        )
    return said


def whereabouts(client: redis.Redis, queue: str, job_ids: Sequence[str]) -> dict[str, str]:
    """What became of leases that a preview showed and the sweep did not take. Two round trips."""
    if not job_ids:
        return {}
    keys = Keyspace(queue)
    now = server_now_ms(client)
    with client.pipeline(transaction=False) as pipeline:
        pipeline.zmscore(keys.active, list(job_ids))
        for job_id in job_ids:
            pipeline.exists(keys.job(job_id))
        deadlines, *rows = pipeline.execute()
    return {
        job_id: _fate(deadline, bool(row), now)
        for job_id, deadline, row in zip(job_ids, deadlines, rows, strict=True)
    }


def _fate(deadline: float | None, has_row: bool, now: int) -> str:
    if deadline is None:
        return "ended" if has_row else "gone"
    return "renewed" if deadline > now else "left"


def _count(count: int, word: str) -> str:
    return {
        "renewed": f"{_were(count)} renewed meanwhile.",
        "ended": f"{_were(count)} taken back meanwhile by a worker or by another sweep.",
        "gone": f"{_were(count)} completed or removed meanwhile.",
        "left": f"{_were(count)} left: the sweep's limit was reached before.",
        "unknown": f"{_were(count)} not swept: what became of it could not be read.",
    }[word]


def _were(count: int) -> str:
    return f"{count:,} was" if count == 1 else f"{count:,} were"


def _verdict(word: str) -> str:
    return _SENT.get(word, word)


def comparison(
    seen: Mapping[str, str], done: Mapping[str, str], fates: Mapping[str, str]
) -> list[tuple[str, str, str, bool]]:
    """A preview and its result job by job: name, previewed, result, whether they differ.

    The order is that of the preview; what lapsed after it comes last. At most `LISTED` jobs.
    """
    found = []
    for job_id in list(dict.fromkeys([*seen, *done]))[:LISTED]:
        before = _verdict(seen[job_id]) if job_id in seen else "not yet lapsed"
        after = _verdict(done[job_id]) if job_id in done else _NOT_SWEPT[fates[job_id]]
        found.append((brief(job_id), before, after, before != after))
    return found


_NOT_SWEPT = {
    "renewed": "renewed, left to its worker",
    "ended": "taken back before",
    "gone": "completed or removed before",
    "left": "left, the limit was reached",
    "unknown": "not swept, the reason could not be read",
}
