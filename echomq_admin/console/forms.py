"""What arrives in query strings and forms, read once and made safe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import NAMESPACE_OID, uuid4, uuid5

from django import forms
from django.core import signing
from django.http import QueryDict

from echomq_admin.console.words import SWEEP_STARTS_AT
from echomq_admin.fleet.names import from_url, to_url

SIZES = (25, 50, 100)
ORDERS = ("asc", "desc")
# The dead by the time of their death, the last one first.
DIED = "died"
LONGEST_AT = 200
_LONGEST_NUMBER = 15
_NAMESPACE = re.compile(r"[A-Z]{3}\Z")
_OP_ID = re.compile(r"[0-9a-f]{32}\Z")
_SEEN = "console.sweep.seen"
MOST_SEEN = 500_000


@dataclass(frozen=True)
class PageLook:
    """How a list of jobs is looked at. Whatever is out of range falls back, never fails.

    `order` is "asc", "desc", `DIED` or empty for the list's own; `at` the instant to open at, as
    typed; `zone` the name of the zone that it is meant in, empty for the console's; `namespace`
    that of the ids which tell the instant, empty for the usual one.
    """

    cursor: str = ""
    rows: int = SIZES[0]
    lane: str | None = None
    order: str = ""
    at: str = ""
    namespace: str = ""
    zone: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> PageLook:
        lane = query.get("lane", "")
        order, namespace = query.get("order", ""), query.get("in", "")
        try:
            group = from_url(lane) if lane else None
        except ValueError:
            group = None
        return cls(
            cursor=text_of(query, "cursor"),
            rows=rows_of(query),
            lane=group,
            order=order if order in (*ORDERS, DIED) else "",
            at=text_of(query, "at")[:LONGEST_AT].strip(),
            namespace=namespace if _NAMESPACE.match(namespace) else "",
            zone=text_of(query, "zone")[:LONGEST_AT].strip(),
        )

    def values(self, **changes: str) -> dict[str, str]:
        """The fields of this look with other values; an empty one is left out."""
        values = {
            "lane": "" if self.lane is None else to_url(self.lane),
            "order": self.order,
            "rows": "" if self.rows == SIZES[0] else str(self.rows),
            "at": self.at,
            "in": self.namespace,
            "zone": self.zone,
            "cursor": self.cursor,
        }
        return {name: value for name, value in {**values, **changes}.items() if value}

    def query(self, **changes: str) -> str:
        """The query string of `values`."""
        return query_of(self.values(**changes))


def text_of(query: QueryDict, name: str) -> str:
    """What an address has in a field that is no name of the wire. A NUL is replaced: neither HTML
    nor a text of the database may hold one."""
    return query.get(name, "").replace("\0", "\ufffd")


def natural(text: str) -> int | None:
    """A whole number from 0 on as an address carries it; `None` for what is none."""
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def rows_of(query: QueryDict) -> int:
    """The size of a page that an address asks for; the smallest for what is no size."""
    rows = query.get("rows", "")
    return int(rows) if rows in {str(size) for size in SIZES} else SIZES[0]


def query_of(values: Mapping[str, str]) -> str:
    """These fields as a query string, without the empty ones."""
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in values.items() if value})
    return query.urlencode()


@dataclass(frozen=True)
class Selection:
    """Jobs of a form, as the person saw them: ids in order, tokens and stall counts by id.

    `only` is true for the button of one row, which leaves the ticks aside.
    """

    job_ids: tuple[str, ...]
    tokens: dict[str, int]
    stalls: dict[str, int]
    only: bool

    @classmethod
    def read(cls, post: QueryDict) -> Selection:
        """Raises `ValueError` for a value that no page of the console wrote."""
        only = post.getlist("only")
        seen = [_seen(value) for value in only or post.getlist("job")]
        return cls(
            tuple(dict.fromkeys(job_id for job_id, _, _ in seen)),
            {job_id: attempts for job_id, attempts, _ in seen if attempts is not None},
            {job_id: stalled for job_id, _, stalled in seen if stalled is not None},
            bool(only),
        )

    def key(self, job_id: str) -> str:
        """The form value of a job, as the person saw it."""
        attempts, stalled = self.tokens.get(job_id, ""), self.stalls.get(job_id, "")
        return f"{attempts}:{stalled}:{to_url(job_id)}"


def _seen(value: str) -> tuple[str, int | None, int | None]:
    attempts, _, rest = value.partition(":")
    stalled, colon, name = rest.partition(":")
    if not colon:
        raise ValueError(f"{value!r} is no job of a form")
    return from_url(name), _whole(attempts), _whole(stalled)


def _whole(text: str) -> int | None:
    return int(text) if text else None


def new_op_id() -> str:
    """The name of a call that a form may make."""
    return uuid4().hex


def form_id(post: QueryDict) -> str:
    """The op_id that the console gave this form; empty for any other text."""
    given = post.get("op_id", "")
    return given if _OP_ID.match(given) else ""


def op_id(post: QueryDict, *what: object) -> str:
    """The name of the call that this form makes now.

    It is derived from the form's own op_id and from what is asked, so that a double click
    repeats a call while another button of the same form makes another.
    """
    base = form_id(post) or new_op_id()
    asked = "\0".join(repr(part) for part in what)
    return uuid5(NAMESPACE_OID, f"{base}\0{asked}").hex


class SweepForm(forms.Form):
    """The two numbers of a sweep. `limit` is what one call of the script may take."""

    max_stalled = forms.IntegerField(min_value=1, max_value=1_000, initial=SWEEP_STARTS_AT)
    limit = forms.IntegerField(min_value=1, max_value=1_000, initial=100)

    @classmethod
    def read(cls, query: QueryDict, max_stalled: int = SWEEP_STARTS_AT) -> SweepForm:
        """The form with its starting values where the query names none; `max_stalled` is one."""
        start = {name: field.initial for name, field in cls.base_fields.items()}
        start["max_stalled"] = max_stalled
        return cls({name: query.get(name, value) for name, value in start.items()})


def sign_seen(fates: dict[str, str]) -> str:
    """A preview (id to verdict) as a form carries it, so that a result can be held against it.

    Empty when the ids are too long for a form: then the result stands alone.
    """
    if sum(map(len, fates)) > MOST_SEEN:
        return ""
    return signing.dumps(list(fates.items()), salt=_SEEN, compress=True)


def read_seen(text: str) -> dict[str, str] | None:
    """The preview that the person saw, or `None` when the form carries none of ours."""
    try:
        return dict(signing.loads(text, salt=_SEEN))
    except signing.BadSignature:
        return None
