"""How the endings are looked at: a filter as an address carries it, and as a person typed it."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from echomq_admin.console.forms import SIZES, query_of, rows_of
from echomq_admin.console.sifting import Times, name_in, too_long, typed_in
from echomq_admin.fleet.moments import Moment
from echomq_admin.fleet.names import brief, to_url
from echomq_admin.ledger.endings.models import EndingKind, Source
from echomq_admin.ledger.endings.sieve import Filter
from echomq_admin.ledger.endings.wording import KINDS, SOURCES


@dataclass(frozen=True)
class StallsLook:
    """How the endings are asked for; `times` are as typed, `errors` maps the names of fields that
    cannot be meant to sentences."""

    wanted: Filter
    rows: int = SIZES[0]
    cursor: str = ""
    times: Times = field(default_factory=Times)
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, request: HttpRequest, now_ms: float) -> StallsLook:
        """From an address; whatever is out of range falls back, never fails."""
        query = request.GET
        times = Times.read(query, now_ms)
        names = {name: name_in(request, name) for name in ("queue", "lane", "job")}
        wanted = Filter(
            server=typed_in(query, "server"),
            queue=names["queue"],
            lane=names["lane"],
            job_id=names["job"],
            kind=KINDS.get(query.get("kind", "")),
            source=SOURCES.get(query.get("source", "")),
            since_ms=times.since_ms,
            until_ms=times.until_ms,
            text=typed_in(query, "q"),
        )
        errors = times.errors | _unknown(query) | too_long(query, names)
        return cls(wanted, rows_of(query), query.get("cursor", ""), times, errors)

    @property
    def is_sifted(self) -> bool:
        """Whether the filter leaves anything out."""
        return self.wanted != Filter() or bool(self.times.since or self.times.until)

    @property
    def narrows(self) -> bool:
        """Whether one of the fields is in use that the form keeps folded."""
        return any(getattr(self.wanted, name) is not None for name in ("lane", "job_id", "source"))

    def values(self, **changes: str) -> dict[str, str]:
        """The fields of this look with other values; an empty one is left out."""
        wanted = self.wanted
        values = {
            "server": wanted.server,
            "kind": "" if wanted.kind is None else EndingKind(wanted.kind).name.lower(),
            "from": self.times.since,
            "to": self.times.until,
            "q": wanted.text,
            "queue": _name(wanted.queue),
            "lane": _name(wanted.lane),
            "job": _name(wanted.job_id),
            "source": "" if wanted.source is None else Source(wanted.source).name.lower(),
            "rows": "" if self.rows == SIZES[0] else str(self.rows),
            "cursor": self.cursor,
        }
        return {name: value for name, value in {**values, **changes}.items() if value}

    def query(self, **changes: str) -> str:
        """The query string of `values`."""
        return query_of(self.values(**changes))

    def href(self, **changes: str) -> str:
        """The address of the newest page of this look with other values."""
        return f"{reverse('stalls')}?{self.query(cursor='', **changes)}"

    def between(self, from_ms: int, to_ms: int) -> str:
        """The address of the same between two instants."""
        return self.href(**{"from": str(Moment(from_ms)), "to": str(Moment(to_ms))})


def _unknown(query: QueryDict) -> dict[str, str]:
    """What is wrong with the words of an address for a kind or a source."""
    return {
        name: f"“{brief(query[name], 40)}” is no {what}: the words are {', '.join(known)}."
        for name, what, known in (("kind", "kind of ending", KINDS), ("source", "source", SOURCES))
        if query.get(name) and query[name] not in known
    }


def _name(name: str | None) -> str:
    return "" if name is None else to_url(name)
