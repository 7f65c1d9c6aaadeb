"""The tools above a list: open by id, go to a time, choose columns."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from echomq_admin.console import times
from echomq_admin.console.columns import Columns
from echomq_admin.console.forms import PageLook
from echomq_admin.console.places import Place
from echomq_admin.console.tables import LaneTable, ListTable
from echomq_admin.emq import ids
from echomq_admin.emq.audit_pages import AuditPage
from echomq_admin.emq.reads import ActivePage, At, JobPage
from echomq_admin.fleet import clocks, moments

_BY_SCORE = (
    "This list cannot be opened at a time: it is in the order of its scores, because scores that "
    "should be equal are not."
)
_TIMELESS = "This list cannot be opened at a time: no id of it tells when it was minted."
_NONE_SO_OLD = "No entry is that old: these are the oldest."
_NO_ZONE = "No zone is called “{}” here: write the offset, as in 2026-11-29 13:00+05:30."

_NO_TIME = {"at": "", "cursor": "", "in": "", "zone": ""}


@dataclass(frozen=True)
class Jump:
    """The instant that an address asks for. `error` says why there is none; `settled` is a text
    for the address that goes on meaning the same instant, when the typed one does not."""

    at: At | None = None
    error: str = ""
    settled: str = ""


@dataclass(frozen=True)
class Tools:
    """What the forms above a list carry. `fields` keep the look while a time is typed; `said`
    tells where the page was opened; `without` is the look without a time; `namespaces` are
    (name, chosen), a choice when several. What has no `told_by` opens at no time, and without
    `columns` there are none to choose."""

    told_by: str
    hint: str
    at: str
    error: str
    said: SafeString | str
    fields: tuple[tuple[str, str], ...]
    without: str
    namespaces: tuple[tuple[str, bool], ...]
    columns: Columns | None
    tab: str
    here: str


def jump(look: PageLook, place: Place, ahead: bool) -> Jump:
    """Read the time that was typed, on the server's clock and in the zone that it was typed in; a
    time of day is the next one, or unless `ahead` the last."""
    if not look.at:
        return Jump()
    now_ms = place.now_ms + place.look.age_s * 1_000
    zone = clocks.named_zone(look.zone) if look.zone else None
    if look.zone and zone is None:
        return Jump(error=_NO_ZONE.format(look.zone))
    try:
        moment = moments.read(look.at, now_ms, zone, ahead)
    except ValueError as error:
        return Jump(error=str(error))
    at = At(moment.ms, look.namespace) if look.namespace else At(moment.ms)
    return Jump(at, settled=str(moment) if moment.moves else "")


def tools(
    request: HttpRequest,
    look: PageLook,
    found: JobPage | ActivePage,
    asked: Jump,
    table: type[ListTable],
    columns: Columns,
) -> Tools:
    """The tools above what was found."""
    namespaces = _namespaces(found)
    error = asked.error
    if asked.at and not found.at and not look.cursor and found.total:
        error = _BY_SCORE if _is_by_score(found) else _TIMELESS
    at = found.at.namespace if found.at and namespaces else look.namespace
    return Tools(
        told_by=table.told_by,
        hint="in 2 h, or 13:00" if table.ahead else "2 h ago, or 13:00",
        at=look.at,
        error=error,
        said=_said(found, table) if found.at and found.total else "",
        fields=tuple(look.values(**_NO_TIME).items()),
        without=look.query(**_NO_TIME),
        namespaces=tuple((name, name == (at or namespaces[0])) for name in namespaces),
        columns=columns,
        tab=table.tab,
        here=request.get_full_path(),
    )


def lane_tools(request: HttpRequest, columns: Columns) -> Tools:
    """The tools above lanes, which are in no order of time."""
    here = request.get_full_path()
    return Tools("", "", "", "", "", (), "", (), columns, LaneTable.tab, here)


def entry_tools(request: HttpRequest, look: PageLook, asked: Jump, found: AuditPage) -> Tools:
    """The tools above entries of an audit, which open at an instant of the server's clock."""
    said: SafeString | str = ""
    if found.entries and found.is_oldest:
        said = _NONE_SO_OLD
    elif asked.at and not look.cursor and found.entries:
        said = format_html("opened at the entries up to {}", times.dated(asked.at.ms))
    return Tools(
        told_by="Written",
        hint="2 h ago, or 13:00",
        at=look.at,
        error=asked.error,
        said=said,
        fields=tuple(look.values(**_NO_TIME).items()),
        without=look.query(**_NO_TIME),
        namespaces=(),
        columns=None,
        tab="",
        here=request.get_full_path(),
    )


def _is_by_score(found: JobPage | ActivePage) -> bool:
    return isinstance(found, JobPage) and found.ordered_by == "score"


def _namespaces(found: JobPage | ActivePage) -> list[str]:
    """The namespaces that this page knows of where ids tell the time, the usual one first."""
    if not isinstance(found, JobPage) or found.ordered_by != "id":
        return []
    branded = filter(None, (ids.parse(job.job_id) for job in found.jobs))
    seen = {*found.namespaces, *(one.namespace for one in branded)}
    return sorted(seen, key=lambda name: (name != At(0).namespace, name))


def _said(found: JobPage | ActivePage, table: type[ListTable]) -> SafeString:
    """Where the page was opened, and by what."""
    assert found.at is not None
    opened = format_html("{} {}", table.opened, times.dated(found.at.ms))
    if isinstance(found, ActivePage) or found.ordered_by != "id":
        return opened
    if found.namespaces == (found.at.namespace,):
        return opened
    by = "{}, by {} ids; ids of other kinds stand apart"
    return format_html(by, opened, found.at.namespace)
