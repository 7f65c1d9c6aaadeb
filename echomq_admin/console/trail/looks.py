"""How the trail is looked at: a filter as an address carries it, and as a person typed it."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import HttpRequest

from echomq_admin.console.forms import SIZES, query_of, rows_of
from echomq_admin.console.sifting import Times, name_in, too_long, typed_in
from echomq_admin.fleet.names import to_url
from echomq_admin.ledger.models import Kind
from echomq_admin.ledger.trail import Filter

# The names of the fields, in the order of the form, by the fields of a filter.
NAMES = {
    "actor": "who",
    "op": "what",
    "kind": "kind",
    "server": "server",
    "op_id": "op_id",
    "text": "q",
}


@dataclass(frozen=True)
class TrailLook:
    """How the trail is asked for. `since` and `until` are as typed, in the `zone` of that name or
    the console's; `errors` maps their names to sentences. `settled` are those that would mean
    another instant later, as texts that always mean the same."""

    wanted: Filter
    rows: int = SIZES[0]
    cursor: str = ""
    since: str = ""
    until: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, request: HttpRequest, now_ms: float) -> TrailLook:
        """From an address; whatever is out of range falls back, never fails."""
        query = request.GET
        words = {name: typed_in(query, field) for name, field in NAMES.items()}
        words["kind"] = words["kind"] if words["kind"] in Kind.values else ""
        names = {name: name_in(request, name) for name in ("queue", "job")}
        times = Times.read(query, now_ms)
        bounds = {"since_ms": times.since_ms, "until_ms": times.until_ms}
        return cls(
            Filter(**words, queue=names["queue"], job_id=names["job"], **bounds),
            rows_of(query),
            query.get("cursor", ""),
            times.since,
            times.until,
            times.errors | too_long(query, names),
            times.settled,
        )

    @property
    def is_sifted(self) -> bool:
        """Whether the filter leaves anything out."""
        return self.wanted != Filter() or bool(self.since or self.until)

    @property
    def narrows(self) -> bool:
        """Whether one of the fields is in use that the form keeps folded."""
        wanted = self.wanted
        rare = (wanted.kind, wanted.server, wanted.op_id, wanted.queue, wanted.job_id)
        return any(value not in ("", None) for value in rare)

    def values(self, **changes: str) -> dict[str, str]:
        """The fields of this look with other values; an empty one is left out."""
        wanted = self.wanted
        values = {field: getattr(wanted, name) for name, field in NAMES.items()} | {
            "queue": "" if wanted.queue is None else to_url(wanted.queue),
            "job": "" if wanted.job_id is None else to_url(wanted.job_id),
            "from": self.since,
            "to": self.until,
            "rows": "" if self.rows == SIZES[0] else str(self.rows),
            "cursor": self.cursor,
        }
        return {name: value for name, value in {**values, **changes}.items() if value}

    def query(self, **changes: str) -> str:
        """The query string of `values`."""
        return query_of(self.values(**changes))
