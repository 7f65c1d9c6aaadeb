"""Filters as an address carries them and a person types them: names of the wire, times, choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from django.http import HttpRequest, QueryDict

from echomq_admin.console.forms import LONGEST_AT, text_of
from echomq_admin.console.links import LONGEST_ID
from echomq_admin.fleet import clocks, moments
from echomq_admin.fleet.moments import Moment
from echomq_admin.fleet.names import from_url, to_url

LONGEST_TEXT = 200
_LENGTH = re.compile(r"[0-9.]+ ?[a-z]+", re.I)
_NO_ZONE = "No zone is called “{}” here: write the offset, as in 2026-11-29 13:00+05:30."


@dataclass(frozen=True)
class Times:
    """From when to when. `since` and `until` are as typed, in the zone of the address or the
    console's, the others what they mean, `None` where nothing is typed; `errors` maps the names of
    the fields to sentences. `settled` are those that would mean another instant later, as texts
    that always mean the same; but a length alone, as `1h`, goes on meaning so long ago."""

    since: str = ""
    until: str = ""
    since_ms: int | None = None
    until_ms: int | None = None
    errors: dict[str, str] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, query: QueryDict, now_ms: float) -> Times:
        """From the fields `from`, `to` and `zone`."""
        texts = {name: typed_in(query, name, LONGEST_AT) for name in ("from", "to")}
        zone = typed_in(query, "zone", LONGEST_AT)
        known: dict[str, Moment] = {}
        errors: dict[str, str] = {}
        for name, text in texts.items():
            try:
                known |= {name: _moment(text, zone, now_ms)} if text else {}
            except ValueError as error:
                errors[name] = str(error)
        if len(known) == 2 and known["to"].ms < known["from"].ms:
            errors["to"] = "To is before From."
        times = (known[name].ms if name in known else None for name in texts)
        settled = {
            name: str(moment)
            for name, moment in known.items()
            if moment.moves and not _LENGTH.fullmatch(texts[name])
        }
        return cls(*texts.values(), *times, errors, settled)


@dataclass(frozen=True)
class Choice:
    """One value that a field offers."""

    value: str
    label: str
    is_now: bool


def choices(offered: Iterable[str], now: str, called: Callable[[str], str] = str) -> list[Choice]:
    """The values that are offered, and the one of the address where it is none of these."""
    known = list(offered)
    known = known if not now or now in known else [*known, now]
    return [Choice(value, called(value), value == now) for value in known]


def typed_in(query: QueryDict, name: str, most: int = LONGEST_TEXT) -> str:
    """What is typed in a field, without blanks around it, as `text_of` reads it."""
    return text_of(query, name)[:most].strip()


def typed(name: str | None) -> str:
    """A name of the wire as it stands in a field: plain where it can be typed so, else in its
    `~` form."""
    if name is None:
        return ""
    is_plain = name.isprintable() and name == name.strip() and not name.startswith("~")
    return name if is_plain and name else to_url(name)


def name_in(request: HttpRequest, field: str) -> str | None:
    """A name of the wire, plain or in its `~` form, byte by byte; `None` when none is given, or one
    that is `too_long`."""
    query = parse_qs(request.META.get("QUERY_STRING", ""), errors="surrogateescape")
    text = query.get(field, [""])[0].strip()
    if not text or len(text) > LONGEST_ID:
        return None
    try:
        return from_url(text)
    except ValueError:
        return text


def too_long(query: QueryDict, names: Mapping[str, str | None]) -> dict[str, str]:
    """Sentences on those names, by their fields, that were given and are too long to be read."""
    return {
        field: f"The {field} is longer than the {LONGEST_ID:,} characters that can be looked for."
        for field, name in names.items()
        if name is None and query.get(field, "").strip()
    }


def _moment(text: str, zone_name: str, now_ms: float) -> Moment:
    """Raises `ValueError` with a sentence."""
    zone = clocks.named_zone(zone_name) if zone_name else None
    if zone_name and zone is None:
        raise ValueError(_NO_ZONE.format(zone_name))
    return moments.read(text, now_ms, zone, ahead=False)
