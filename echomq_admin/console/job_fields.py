"""The fields of a row as the page of a job draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape

from django.http import QueryDict
from django.urls import reverse

from echomq_admin.console import job_words, payloads
from echomq_admin.console.bodies.body import Body, body
from echomq_admin.console.forms import natural
from echomq_admin.console.rows import dom_id
from echomq_admin.emq.fields import LONG_FIRST, Field
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.emq.rows import SHORT, Text
from echomq_admin.fleet.names import brief, from_url, to_url

# Fields up to this size stand in the list of fields, longer ones in a panel of their own.
INLINE = 200
# An address carries names of fields up to this length.
LONGEST_NAME = 1_000
# So much markup do all fields take that every poll brings anew: what is beyond it is told by its
# size. Fields that a page keeps take as much of their own as a body does.
WIDEST = 64_000
WIDEST_KEPT = 1_000_000
MOST_PANELS = 20
_TITLES = {b"payload": "Payload", b"last_error": "Last error", b"progress": "Progress"}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A short field of the list, shown whole; `kind` is a word for what is no plain text, `why`
    what a known field means. One that is not shown has a `raw_url`."""

    name: str
    text: str
    kind: str
    why: str
    raw_url: str = ""


@dataclass(frozen=True, slots=True)
class FieldPanel:
    """A field with a panel of its own. `body` is `None` when it was not read: the reader has it
    already (`is_kept`), or it is too long. `have` tells the next poll what this one brought."""

    title: str
    dom_id: str
    size: str
    body: Body | None
    is_kept: bool
    version: str
    have: str
    raw_url: str

    @property
    def copies_exactly(self) -> bool:
        """Whether its text as such can be copied, not only what is drawn of it."""
        return self.body is not None and not self.body.cut and self.body.kind in {"JSON", "text"}


def drawn(
    server: str, queue: str, job_id: str, fields: tuple[Field, ...]
) -> tuple[list[FieldPanel], list[FieldRow]]:
    """Payload, error, progress and some other fields that are too long for the list; the list."""
    sheet = _Sheet()
    for field in sorted(fields, key=_panel_order):
        sheet.add(field, raw_url(server, queue, job_id, field.name))
    return sheet.panels, [sheet.rows[field.name] for field in fields if field.name in sheet.rows]


def read_have(query: QueryDict) -> Mapping[bytes, int]:
    """The long fields that a polling page says it has, with their sizes."""
    have = {}
    for text in query.getlist("have"):
        size, _, name = text.partition(":")
        if natural(size) is not None and name:
            have[_name(name)] = int(size)
    return have


def raw_url(server: str, queue: str, job_id: str, name: bytes) -> str:
    """Where the whole field can be downloaded; empty when its name is too long for an address."""
    if len(name) > LONGEST_NAME:
        return ""
    query = QueryDict(mutable=True)
    query["field"] = to_url(from_wire(name))
    return f"{reverse('job_raw', args=[server, queue, job_id])}?{query.urlencode()}"


def _name(text: str) -> bytes:
    try:
        return to_wire(from_url(text))
    except ValueError:
        return b""


def _has_panel(field: Field) -> bool:
    return field.name in LONG_FIRST or field.value is None or field.size > INLINE


class _Sheet:
    """What is drawn of fields that are added one by one, until the page is full."""

    def __init__(self) -> None:
        self.panels: list[FieldPanel] = []
        self.rows: dict[bytes, FieldRow] = {}
        self._room = {False: WIDEST, True: WIDEST_KEPT}

    def add(self, field: Field, address: str) -> None:
        if not _has_panel(field):
            row = _row(field)
            is_shown = self._takes(len(escape(row.text)), is_kept=False)
            self.rows[field.name] = row if is_shown else _unshown(field, address)
            return
        panel, is_kept = _panel(field, address), _may_be_kept(field)
        is_shown = self._takes(len(panel.body.drawn) if panel.body else 0, is_kept)
        if len(self.panels) < MOST_PANELS and (is_shown or is_kept):
            self.panels.append(panel if is_shown else replace(panel, body=None))
        else:
            self.rows[field.name] = _unshown(field, address)

    def _takes(self, width: int, is_kept: bool) -> bool:
        if width > self._room[is_kept]:
            return False
        self._room[is_kept] -= width
        return True


def _panel_order(field: Field) -> int:
    return LONG_FIRST.index(field.name) if field.name in LONG_FIRST else len(LONG_FIRST)


def _panel(field: Field, address: str) -> FieldPanel:
    named = from_wire(field.name)
    return FieldPanel(
        title=_TITLES.get(field.name) or brief(named),
        dom_id=dom_id(named, "f"),
        size=payloads.size(field.size),
        body=None if field.value is None else body(field.value),
        is_kept=field.is_kept,
        version=str(field.size) if _may_be_kept(field) else "",
        have=f"{field.size}:{to_url(named)}" if _may_be_kept(field) else "",
        raw_url=address,
    )


def _may_be_kept(field: Field) -> bool:
    return field.size > SHORT and (field.is_kept or field.value is not None)


def _row(field: Field) -> FieldRow:
    sight = payloads.sight(Text(field.size, field.value))
    why = job_words.FIELDS.get(field.name, "")
    return FieldRow(brief(from_wire(field.name)), sight.full or sight.line, sight.kind, why)


def _unshown(field: Field, address: str) -> FieldRow:
    kind = f"{payloads.size(field.size)}, not shown here"
    why = job_words.FIELDS.get(field.name, "")
    return FieldRow(brief(from_wire(field.name)), "", kind, why, address)
