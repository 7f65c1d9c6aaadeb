"""The rows of some jobs of a queue, read to be changed, and written again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from echomq_admin.ledger.endings.models import DEATHS, Ending, Place
from echomq_admin.ledger.endings.seating import Lease

# Of jobs with more rows than so many each on average, or so many in all, the newest are read.
_MOST_EACH, _MOST_ROWS = 20, 1_000
_NEWEST = 200
_FIELDS = (
    "job", "attempts", "kind", "source", "ended_ms", "within_ms", "deadline_ms", "stalled",
    "renewals", "lane_id", "error_id", "entry", "life", "n", "pk",
)  # fmt: skip
_KEY = ("job", "place", "life", "attempts", "n")
_TOLD = (
    "kind", "source", "ended_ms", "within_ms", "deadline_ms", "stalled", "renewals", "lane",
    "error", "entry",
)  # fmt: skip


@dataclass
class Leaf:
    """The rows of one job. `changed` are those to be written, each once."""

    rows: list[Lease] = field(default_factory=list)
    changed: list[Lease] = field(default_factory=list)

    def has_death(self, attempts: int) -> bool:
        return any(row.kind in DEATHS for row in self.rows if row.attempts == attempts)

    def add(self, lease: Lease) -> None:
        self.rows.append(lease)
        self.changed.append(lease)

    def touch(self, row: Lease) -> None:
        if not any(other is row for other in self.changed):
            self.changed.append(row)

    def move(self, row: Lease, life: int, n: int) -> bool:
        """Seat a row elsewhere, where no other sits; whether it did."""
        if (row.life, row.n) == (life, n):
            return False
        row.life, row.n = life, n
        if row.pk is not None:
            Ending.objects.filter(pk=row.pk).update(life=life, n=n)
        return True


def pages(place: Place, told: Iterable[Lease]) -> dict[bytes, Leaf]:
    """By job: every row that a lease that is told could be, or could have beside it."""
    wanted: dict[bytes, set[int]] = {}
    for lease in told:
        wanted.setdefault(lease.job, set()).add(lease.attempts)
    found = {job: Leaf() for job in wanted}
    for row in _rows(Ending.objects.filter(place=place), wanted):
        found[row.job].rows.append(row)
    return found


def _rows(mine: QuerySet[Ending], wanted: dict[bytes, set[int]]) -> Sequence[Lease]:
    most = _MOST_ROWS + _MOST_EACH * len(wanted)
    rows = list(_leases(mine.filter(job__in=list(wanted))[: most + 1]))
    if len(rows) <= most:
        return rows
    return [
        row for job, attempts in wanted.items() for row in _near(mine.filter(job=job), attempts)
    ]


def _near(of_job: QuerySet[Ending], attempts: set[int]) -> Iterable[Lease]:
    """The newest rows of a job with many, and in their lives those of the same attempts."""
    newest = list(_leases(of_job.order_by("-life", "-attempts", "-n")[:_NEWEST]))
    since = min((row.life for row in newest), default=0)
    rows = {row.pk: row for row in newest}
    for each in attempts:
        peers = of_job.filter(life__gte=since, attempts=each).order_by("-life", "-n")
        rows |= {row.pk: row for row in _leases(peers[:_NEWEST])}
    return rows.values()


def _leases(rows: QuerySet[Ending]) -> Iterator[Lease]:
    for job, *rest in rows.values_list(*_FIELDS):
        yield Lease(bytes(job), *rest)


def write(place: Place, rows: Sequence[Lease]) -> None:
    """Write rows that are new or changed. Needs the lock of the place."""
    Ending.objects.bulk_create(
        [_ending(place, row) for row in rows],
        update_conflicts=True,
        unique_fields=list(_KEY),
        update_fields=list(_TOLD),
    )


def _ending(place: Place, row: Lease) -> Ending:
    fields = {name: getattr(row, name) for name in _FIELDS if name != "pk"}
    return Ending(place=place, **fields)
