"""What the job lists cost: commands, round trips and time, at a thousand and a million jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import redis

from echomq_admin.emq import ids
from tests.bench.figures import Figure, alternating_ms, calls
from tests.bench.pages import counted_trips, django_client
from tests.bench.scripts import ERROR, job_ids

SMALL = 1_000
ROWS = 1_000
LEASES = 20_000
LANE = "tenant"
# The name of a list, its key, whether its scores are times, and its address below the queue.
LISTS = (
    ("pending", "pending", False, "pending"),
    ("lane", f"g:{LANE}:pending", False, f"pending?lane={LANE}"),
    ("active", "active", True, "active"),
    ("scheduled", "schedule", True, "scheduled"),
    ("dead", "dead", False, "dead"),
)


def tabs(client: redis.Redis, port: int, size: int = 1_000_000) -> Iterator[Figure]:
    """Every list at 1,000 and at `size` jobs: what is read, and the whole page over its frame."""
    browser = django_client(port)
    for name, key, is_timed, path in LISTS:
        client.flushdb()
        _seed(client, "small", key, is_timed, SMALL)
        _seed(client, "large", key, is_timed, size)
        yield from _reads(client, name, size)
        yield from _pages(browser, name, path, size)
    client.flushdb()
    _seed(client, "leases", "active", True, LEASES)
    yield from _leases(browser)


def _seed(client: redis.Redis, queue: str, key: str, is_timed: bool, size: int) -> None:
    """A list with rows at its ends and around its middle. Times are 1 s apart, half past."""
    names, middle = job_ids(size), _middle(size)
    start = _start_ms(client, size)
    for at in range(0, size, 10_000):
        part = names[at : at + 10_000]
        scores = {name: start + 1_000 * (at + n) if is_timed else 0 for n, name in enumerate(part)}
        client.zadd(f"emq:{{{queue}}}:{key}", scores)
    pipe = client.pipeline(transaction=False)
    around = names[max(0, middle - ROWS) : middle + ROWS]
    for name in dict.fromkeys(names[:ROWS] + around + names[-ROWS:]):
        pipe.hset(f"emq:{{{queue}}}:job:{name}", mapping=_row(key))
    pipe.hset(f"emq:{{{queue}}}:meta", "concurrency", 1)
    pipe.execute()
    if client.zcard(f"emq:{{{queue}}}:{key}") != size:
        raise AssertionError("the seed is not as large as it says")


def _middle(size: int) -> int:
    """The place of the first id of its instant, about half way."""
    return size // 2 // 4096 * 4096


def _start_ms(client: redis.Redis, size: int) -> int:
    """The first of the times of a list, so that its middle is now."""
    seconds, _ = client.time()
    return seconds * 1_000 - size * 500


def _row(key: str) -> dict[str, bytes | str]:
    state = {"schedule": "scheduled", "active": "active", "dead": "dead"}.get(key, "pending")
    row: dict[str, bytes | str] = {"state": state, "attempts": "3", "payload": '{"to":"x"}'}
    return row | {"last_error": ERROR, "group": LANE, "stalled": "1"}


def _reads(client: redis.Redis, name: str, size: int) -> Iterator[Figure]:
    """The first page and a jump into the middle, without Django."""
    for what in ("first page", "jump"):
        counted, runs = [], []
        for queue, count in (("small", SMALL), ("large", size)):
            run = _read(client, name, queue, count if what == "jump" else None)
            run()
            before = calls(client)
            with counted_trips() as trips:
                run()
            counted.append((calls(client) - before, len(trips)))
            runs.append(run)
        (few, few_trips), (many, many_trips) = counted
        label = f"{name}, {what}"
        yield Figure(f"{label}, commands at {size:,}", many, "commands", few, "ratio = 1")
        yield Figure(f"{label}, round trips", many_trips, "trips", few_trips, "<= 3 trips")
        at_small, at_large = alternating_ms(*runs)
        yield Figure(f"{label}, read at {size:,}", at_large, "ms", at_small, "ratio <= 1.3")


def _read(client: redis.Redis, name: str, queue: str, size: int | None) -> Callable[[], object]:
    """The first page of a list, or with its `size` the page at its middle."""
    from echomq_admin.emq import reads

    at = None if size is None else reads.At(_middle_ms(client, name, size))
    if name in {"pending", "lane"}:
        group = LANE if name == "lane" else None
        return lambda: reads.pending_page(client, queue, group=group, at=at)
    read = {
        "active": reads.active_page,
        "scheduled": reads.scheduled_page,
        "dead": reads.dead_page,
    }[name]
    return lambda: read(client, queue, at=at)


def _middle_ms(client: redis.Redis, name: str, size: int) -> int:
    if name in {"active", "scheduled"}:
        return _start_ms(client, size) + 1_000 * _middle(size)
    minted = ids.minted_ms(job_ids(size)[_middle(size)]) or 0
    # Newest first, the jobs before that instant follow.
    return minted - 1 if name == "dead" else minted


def _pages(browser: object, name: str, path: str, size: int) -> Iterator[Figure]:
    join = "&" if "?" in path else "?"
    small, large = f"/q/bench/small/{path}", f"/q/bench/large/{path}"
    at_small, at_large, hundred, frame = alternating_ms(
        _get(browser, small),
        _get(browser, large),
        _get(browser, f"{large}{join}rows=100"),
        _get(browser, "/frame/"),
        rounds=21,
    )
    yield Figure(f"{name} page, whole, at {size:,}", at_large, "ms", at_small, "ratio <= 1.3")
    yield Figure(f"{name} page, 25 rows, whole HTML", at_large, "ms", frame, "ratio <= 8")
    yield Figure(f"{name} page, 100 rows, whole HTML", hundred, "ms", frame, "ratio <= 20")


def _leases(browser: object) -> Iterator[Figure]:
    run = _get(browser, "/q/bench/leases/active")
    took, frame = alternating_ms(run, _get(browser, "/frame/"), rounds=21)
    yield Figure(f"active page of {LEASES:,} leases", took, "ms", frame, "<= 60 ms")
    yield Figure(f"its HTML of {LEASES:,} leases", len(run()) / 1_000, "kB", 150, "ratio <= 1")


def _get(browser: object, path: str) -> Callable[[], bytes]:
    def run() -> bytes:
        answer = browser.get(path)
        if answer.status_code != 200:
            raise AssertionError(f"{path} answered {answer.status_code}")
        return answer.content

    return run
