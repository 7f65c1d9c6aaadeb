"""What the last actions of this session did, kept so that an answer can be a redirect.

The address of the page then names the call (`?did=`), so polls, reloads and the back button show
the same outcome, and a reload repeats nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from django.http import HttpRequest
from django.urls import reverse

from echomq_admin.console.places import Place
from echomq_admin.fleet.names import shown

_KEY = "outcomes"
_KEPT = 5
LISTED = 20


@dataclass(frozen=True)
class Outcome:
    """`level` is "done", "part" (some were refused) or "refused". `refusals` maps job id to its
    sentence; `result` is what a page of its own shows beside its preview; `at_ms` when it was done
    by the server's clock, 0 for unknown; `undo` the op_id of a call that can be undone, if any.
    `left_in` is where it left the one job that it moved: "waiting", "dead", "active", "gone", or
    empty for elsewhere. `ticks`: on a list, those refused are ticked again, as they were when it
    was pressed."""

    level: str
    sentence: str
    note: str = ""
    refusals: Mapping[str, str] = field(default_factory=dict)
    result: Mapping[str, object] = field(default_factory=dict)
    at_ms: int = 0
    undo: str = ""
    left_in: str = ""
    ticks: bool = True

    @property
    def told(self) -> list[tuple[str, str]]:
        """The refusals that the page spells out, with names for the eye."""
        return [(shown(job_id), why) for job_id, why in list(self.refusals.items())[:LISTED]]

    @property
    def unlisted(self) -> int:
        return max(0, len(self.refusals) - LISTED)


def keep(request: HttpRequest, op_id: str, outcome: Outcome) -> None:
    """Remember what a call did; only the newest few are kept."""
    kept = request.session.get(_KEY, {})
    kept.pop(op_id, None)
    kept[op_id] = asdict(outcome)
    request.session[_KEY] = dict(list(kept.items())[-_KEPT:])


def context(request: HttpRequest, place: Place, outcome: Outcome | None) -> dict:
    """What `_outcome.html` is given: the outcome, the way to a page without it, and for whom it is
    permitted the address that undoes the call."""
    undo = outcome.undo if outcome and place.may(request.user, "return_to_dead") else ""
    where = place.server.name, place.queue
    return {
        "outcome": outcome,
        "dismiss": dismissed(request),
        "undo_url": reverse("undo", args=[*where, undo]) if undo else "",
    }


def is_ended(request: HttpRequest, op_id: str) -> bool:
    """Whether this session was told how a call ended, other than by a refusal."""
    stored = request.session.get(_KEY, {}).get(op_id)
    return bool(stored) and stored["level"] != "refused"


def dismissed(request: HttpRequest) -> str:
    """The query of the same page without its outcome."""
    query = request.GET.copy()
    query.pop("did", None)
    return query.urlencode()


def kept(request: HttpRequest) -> Outcome | None:
    """The outcome that the address names, if this session still has it."""
    stored = request.session.get(_KEY, {}).get(request.GET.get("did", ""))
    return Outcome(**stored) if stored else None
