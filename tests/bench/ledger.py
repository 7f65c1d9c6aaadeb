"""What the stall ledger costs with a million endings: what is read for a page, the page itself, and
the bytes of a row."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import blake2s
from pathlib import Path

import redis

from tests.bench.figures import Figure, alternating_ms
from tests.bench.pages import django_client, get, insert
from tests.bench.scripts import job_ids

START_MS = 1_790_000_000_000
ROWS = 50
PLACES, LANES, ERRORS = 100, 1_000, 500
# So many leases of a job ended, each so long after the one before, of whatever job.
EACH, STEP_MS = 3, 1_000
# The first hundred are of a queue, a lane, a kind and a source that are as rare as that.
RARE = 100
BOUND_MS, PAGE_MS, ROW_BYTES = 50, 150, 200
PAGES = {
    "newest": {},
    "a queue": {"server": "bench", "queue": "q007"},
    "a rare queue": {"server": "bench", "queue": "rare"},
    "a server": {"server": "bench"},
    "a lane": {"lane": "lane-7"},
    "a rare lane": {"lane": "rare"},
    "a job": {"job": "{job}"},
    "a kind": {"kind": "reaped"},
    "a rare kind": {"kind": "operator"},
    "a source": {"source": "observer"},
    "a rare source": {"source": "script"},
    "a time range": {"from": START_MS + 10**8, "to": START_MS + 2 * 10**8},
    "a kind of a queue in a range": {
        "server": "bench",
        "queue": "q007",
        "kind": "dead",
        "from": START_MS + 10**8,
        "to": START_MS + 2 * 10**8,
    },
    "a queue that never had that kind": {"server": "bench", "queue": "rare", "kind": "recovered"},
    "a text": {"q": "smtp timeout 7"},
    "a text that is nowhere": {"q": "nowhere"},
    "a text that is nowhere, of a queue": {"server": "bench", "queue": "q007", "q": "nowhere"},
}


def ledger(client: redis.Redis, port: int, size: int = 1_000_000) -> Iterator[Figure]:
    """The bytes of a row; the first page of each filter, as it is read, and as a whole page."""
    browser = django_client(port)
    client.flushdb()
    ids = job_ids(-(-size // EACH))
    empty = _disk()
    _seed(ids, size)
    yield Figure(
        f"ledger of {size:,}, bytes a row", (_disk() - empty) / size, "B", ROW_BYTES, "<= 200 B"
    )
    yield from _reads(ids[7])
    yield from _pages(browser, ids[7])


def _disk() -> int:
    """The bytes of the database, were it written anew."""
    from django.db import connection

    with tempfile.TemporaryDirectory() as folder, connection.cursor() as cursor:
        file = Path(folder) / "copy"
        cursor.execute("VACUUM INTO %s", [str(file)])
        return file.stat().st_size


def _reads(job_id: str) -> Iterator[Figure]:
    reads = [_read(_filter(asked, job_id)) for asked in PAGES.values()]
    *took, floor = alternating_ms(*reads, _floor, rounds=11)
    for name, ms in zip(PAGES, took, strict=True):
        yield Figure(f"  {name}", ms, "ms", floor, _bound(name))


def _bound(name: str) -> str:
    return "bounded, says how far" if "text" in name else f"<= {BOUND_MS} ms"


def _floor() -> object:
    """As many endings as a page has, by their keys."""
    from echomq_admin.ledger.endings.models import Ending

    return list(Ending.objects.order_by("-pk").values_list()[:ROWS])


def _filter(asked: dict[str, object], job_id: str) -> object:
    from echomq_admin.ledger.endings.models import EndingKind, Source
    from echomq_admin.ledger.endings.queries import Filter

    names = {"job": "job_id", "from": "since_ms", "to": "until_ms", "q": "text"}
    means = {
        "job": lambda _: job_id,
        "kind": lambda word: EndingKind[word.upper()],
        "source": lambda word: Source[word.upper()],
    }
    return Filter(
        **{
            names.get(name, name): means.get(name, lambda same: same)(value)
            for name, value in asked.items()
        }
    )


def _read(wanted: object) -> Callable[[], object]:
    from echomq_admin.ledger.endings.queries import page

    return lambda: page(wanted, ROWS)


def _pages(browser: object, job_id: str) -> Iterator[Figure]:
    from django.http import QueryDict

    def address(asked: dict[str, object]) -> str:
        query = QueryDict(mutable=True)
        query.update({name: job_id if name == "job" else asked[name] for name in asked})
        return f"/stalls?{query.urlencode()}"

    addresses = {f"page of {name}": address(asked) for name, asked in PAGES.items()}
    addresses["bars and tops of all"] = "/stalls/shape"
    gets = [get(browser, path) for path in addresses.values()]
    *took, frame = alternating_ms(*gets, get(browser, "/frame/"), rounds=7)
    for name, ms in zip(addresses, took, strict=True):
        bound = f"<= {PAGE_MS} ms" if name.startswith("page") else "loaded beside the page"
        yield Figure(f"  {name}", ms, "ms", frame, bound)


def _seed(ids: list[str], size: int) -> None:
    from django.db import connection, transaction

    from echomq_admin.ledger.endings.models import Ending, ErrorText, Lane, Place, Tally

    with transaction.atomic(), connection.cursor() as cursor:
        for model in (Tally, Ending, Place, Lane, ErrorText):
            model.objects.all().delete()
        insert(cursor, Place, _places())
        insert(cursor, Lane, _lanes())
        insert(cursor, ErrorText, _errors())
        insert(cursor, Ending, (_ending(at, ids) for at in range(size)))
        insert(cursor, Tally, _tallies(size))


def _places() -> Iterator[dict[str, object]]:
    for at in range(PLACES + 1):
        name = b"rare" if at == PLACES else b"q%03d" % at
        yield {"id": at + 1, "server": "bench", "queue": name, "deaths": 0}


def _lanes() -> Iterator[dict[str, object]]:
    for at in range(LANES + 1):
        name = b"rare" if at == LANES else b"lane-%d" % at
        yield {"id": at + 1, "key": _digest(name), "name": name, "last_ms": START_MS}


def _errors() -> Iterator[dict[str, object]]:
    for at in range(ERRORS):
        text = b"smtp timeout %d after 30000 ms while talking to mx.example.net" % at
        key = _digest(b"%d:" % len(text) + text)
        yield {"id": at + 1, "key": key, "text": text, "size": len(text), "last_ms": START_MS}


def _digest(raw: bytes) -> bytes:
    return blake2s(raw, digest_size=16).digest()


def _ending(at: int, ids: list[str]) -> dict[str, object]:
    is_rare = at < RARE
    ended_ms = START_MS + STEP_MS * at
    kind = _kind(at)
    return {
        "id": at + 1,
        "job": ids[at // EACH].encode(),
        "place_id": _place(at),
        "life": 0,
        "attempts": at % EACH + 1,
        "n": 0,
        "kind": kind,
        "source": 1 if is_rare else 2 + (at % 50 == 0),
        "ended_ms": ended_ms,
        "within_ms": 200,
        "deadline_ms": ended_ms - 400,
        "stalled": 1 + at % 2,
        "renewals": at % 5,
        "lane_id": LANES + 1 if is_rare else at % LANES + 1 if at % 2 else None,
        "error_id": at // EACH % ERRORS + 1 if kind == 4 else None,
        "entry": at if is_rare else None,
    }


def _place(at: int) -> int:
    """Of all leases of a job the same."""
    return PLACES + 1 if at < RARE else at // EACH % PLACES + 1


def _kind(at: int) -> int:
    return 5 if at < RARE else (1, 2, 3, 4)[at // 7 % 4]


def _tallies(size: int) -> Iterator[dict[str, object]]:
    from echomq_admin.ledger.endings.models import SLOT_MS

    cells = Counter(
        ((START_MS + STEP_MS * at) // SLOT_MS, _place(at), _kind(at)) for at in range(size)
    )
    for (slot, place, kind), count in sorted(cells.items()):
        yield {"slot": slot, "place_id": place, "kind": kind, "count": count}
