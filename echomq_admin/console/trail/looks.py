"""How the trail is looked at: a filter as an address carries it, and as a person typed it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs

from django.http import HttpRequest

from echomq_admin.console.forms import LONGEST_AT, SIZES, query_of, rows_of
from echomq_admin.console.links import LONGEST_ID
from echomq_admin.fleet import clocks, moments
from echomq_admin.fleet.moments import Moment
from echomq_admin.fleet.names import from_url, to_url
from echomq_admin.ledger.models import Kind
from echomq_admin.ledger.trail import Filter

LONGEST_TEXT = 200
# The names of the fields, in the order of the form, by the fields of a filter.
NAMES = {
    "actor": "who",
    "op": "what",
    "kind": "kind",
    "server": "server",
    "op_id": "op_id",
    "text": "q",
}
_NO_ZONE = "No zone is called “{}” here: write the offset, as in 2026-11-29 13:00+05:30."


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
        words = {name: query.get(field, "")[:LONGEST_TEXT].strip() for name, field in NAMES.items()}
        words["kind"] = words["kind"] if words["kind"] in Kind.values else ""
        names = {"queue": _name(request, "queue"), "job_id": _name(request, "job")}
        look = cls(
            Filter(**words, **names),
            rows_of(query),
            query.get("cursor", ""),
            query.get("from", "")[:LONGEST_AT].strip(),
            query.get("to", "")[:LONGEST_AT].strip(),
        )
        return look._timed(query.get("zone", "")[:LONGEST_AT].strip(), now_ms)

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

    def _timed(self, zone_name: str, now_ms: float) -> TrailLook:
        """With the times read that were typed."""
        look = self
        for name, text, bound in (("from", self.since, "since_ms"), ("to", self.until, "until_ms")):
            if not text:
                continue
            try:
                moment = _moment(text, zone_name, now_ms)
            except ValueError as error:
                look = replace(look, errors={**look.errors, name: str(error)})
                continue
            settled = {name: str(moment)} if moment.moves else {}
            wanted = replace(look.wanted, **{bound: moment.ms})
            look = replace(look, wanted=wanted, settled={**look.settled, **settled})
        return look


def typed(name: str | None) -> str:
    """A name of the wire as it stands in a field: plain where it can be typed so, else in its
    `~` form."""
    if name is None:
        return ""
    is_plain = name.isprintable() and name == name.strip() and not name.startswith("~")
    return name if is_plain and name else to_url(name)


def _moment(text: str, zone_name: str, now_ms: float) -> Moment:
    """Raises `ValueError` with a sentence."""
    zone = clocks.named_zone(zone_name) if zone_name else None
    if zone_name and zone is None:
        raise ValueError(_NO_ZONE.format(zone_name))
    return moments.read(text, now_ms, zone, ahead=False)


def _name(request: HttpRequest, field: str) -> str | None:
    """A name of the wire, plain or in its `~` form, byte by byte; `None` when none is given."""
    query = parse_qs(request.META.get("QUERY_STRING", ""), errors="surrogateescape")
    text = query.get(field, [""])[0].strip()
    if not text or len(text) > LONGEST_ID:
        return None
    try:
        return from_url(text)
    except ValueError:
        return text
