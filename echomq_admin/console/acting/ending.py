"""Ending lapsed leases: what an address or a form asks for, and what its preview signs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import cast

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import QueryDict

from echomq_admin.console import words
from echomq_admin.console.drawn import FateRow
from echomq_admin.console.forms import SweepForm, natural, op_id, query_of, sign_seen
from echomq_admin.console.places import Place
from echomq_admin.console.rows import fate_row
from echomq_admin.emq import reads
from echomq_admin.emq.reads import Fate, Preview
from echomq_admin.fleet.names import brief, from_url, to_url
from echomq_admin.operations import consent, looks
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.calls import Call

VERBS = tuple(verb for verb, action in ACTIONS.items() if action.address == "own")
_DEADLY = {"dead", "unreadable"}
_DEAD = "sent to dead"


class ReapForm(forms.Form):
    """The one number of a reap: at most so many lapsed leases are looked at."""

    limit = forms.IntegerField(min_value=1, max_value=1_000, initial=100)


@dataclass(frozen=True)
class Ending:
    """One way of ending lapsed leases. `limit` in the form is how many a preview looks at; `group`
    is the lane of a reap of one lane, `None` when none is named yet."""

    verb: str
    place: Place
    form: forms.Form
    group: str | None = None

    @classmethod
    def read(cls, verb: str, place: Place, query: QueryDict) -> Ending:
        """From an address or a form. Raises `ValueError` for a lane that no page wrote."""
        if verb == "sweep":
            return cls(verb, place, SweepForm.read(query, place.settings.max_stalled))
        limit = query.get("limit", ReapForm.base_fields["limit"].initial)
        group = query.get("group", "") if verb == "reap_group" else ""
        return cls(verb, place, ReapForm({"limit": limit}), from_url(group) if group else None)

    @property
    def is_whole(self) -> bool:
        """Whether all that a preview needs is there and in range."""
        return self.form.is_valid() and (self.verb != "reap_group" or self.group is not None)

    @property
    def where(self) -> str:
        """The lane, as shown; empty for the whole queue."""
        return "" if self.group is None else brief(self.group)

    @property
    def query(self) -> str:
        """The query string that asks for the same preview."""
        numbers = {name: str(number) for name, number in self.form.cleaned_data.items()}
        return query_of(numbers | self.lane)

    @property
    def lane(self) -> dict[str, str]:
        """The field that carries the lane."""
        return {} if self.group is None else {"group": to_url(self.group)}

    def preview(self, limit: int | None = None) -> Preview:
        """What would be done now with the first `limit` lapsed leases, those of the form if none
        is given. Of a reap of a lane that is not named yet, what a reap of all would do."""
        where = self.place.server.client, self.place.queue
        most = limit or self.form.cleaned_data["limit"]
        if self.verb == "sweep":
            return reads.sweep_preview(*where, self.form.cleaned_data["max_stalled"], most)
        if self.group is not None:
            return reads.reap_group_preview(*where, self.group, most)
        return reads.reap_preview(*where, most)

    def call(self, post: QueryDict, take: int) -> Call:
        """The call that looks at the `take` leases that were shown, and at no others."""
        args: dict[str, object] = dict(self.form.cleaned_data) | {"limit": take}
        if self.group is not None:
            args["group"] = self.group
        where = self.place.server.name, self.place.queue
        name = op_id(post, self.verb, *where, sorted(map(repr, args.items())))
        reason = post.get("reason", "").strip()
        return Call(self.verb, *where, args=args, op_id=name, reason=reason)

    def signed(self, user: AbstractBaseUser, found: Preview, form_id: str) -> str:
        """What the form of a preview carries: this person was shown these numbers in it."""
        call = self.call(QueryDict(), found.looked)
        args = tuple(sorted(call.args))
        return consent.sign(user.get_username(), call, form_id, numbers(found), args)

    def outdated(self, call: Call, shown: str) -> str:
        """Why the preview that was shown covers the call no more; empty when it does, or when the
        call was made before: then it only answers again."""
        if looks.is_begun(self.place.server, call):
            return ""
        now = numbers(self.preview(cast(int, call.args["limit"])))
        return consent.outdated(call, shown, now)

    def context(self, user: AbstractBaseUser, found: Preview, form_id: str) -> dict[str, object]:
        """What the page shows of a preview, and what its form carries."""
        fates = Counter(fate.fate for fate in found.rows)
        return {
            "found": found,
            "fates": [self._row(fate) for fate in found.rows],
            "take": found.looked,
            "seen": sign_seen({fate.lease.job.job_id: fate.fate for fate in found.rows}),
            "op_id": form_id,
            "shown": self.signed(user, found, form_id),
            "press": self._press(len(found.rows), fates["dead"] + fates["unreadable"]),
            "recovers": fates["recovered"],
            "kills": fates["dead"] + fates["unreadable"],
            "drops": fates["orphaned"],
            "rest": max(0, (found.lapsed or 0) - found.looked),
        }

    def _press(self, count: int, kills: int) -> str:
        if self.verb == "sweep":
            most = self.form.cleaned_data["max_stalled"]
            dead = f", {kills:,} to dead" if kills else ""
            return f"Sweep {count:,} at max stalled {most:,}{dead}"
        return f"Reap {count:,}{f' of lane {self.where}' if self.group is not None else ''}"

    def _row(self, fate: Fate) -> FateRow:
        if self.verb == "sweep":
            return fate_row(fate, self.form.cleaned_data["max_stalled"])
        job = fate.lease.job
        row = fate_row(fate, self.place.settings.max_stalled)
        lane = None if job.group is None else brief(job.group)
        return replace(row, fate=_reaped(fate.fate, lane))


def _reaped(verdict: str, lane: str | None) -> str:
    """Where a reap would send one lapsed lease; `lane` is the job's, as shown, or `None`."""
    back = "pending" if lane is None else f"lane {lane}"
    return words.LOST.get(verdict) or f"puts it back into {back}, no stall is counted"


def numbers(found: Preview) -> dict[str, int]:
    """How many of what a preview shows that must not be more when it is done."""
    return {_DEAD: sum(1 for fate in found.rows if fate.fate in _DEADLY)}


def taken(post: QueryDict) -> int:
    """How many leases the form says that it showed; 1 for what is no number of ours."""
    return min(max(1, natural(post.get("take", "")) or 1), 1_000)


def by_lane(found: Preview) -> list[tuple[str, str, int]]:
    """The lanes of the leases of a preview: name, name for addresses, how many."""
    groups = Counter(
        fate.lease.job.group for fate in found.rows if fate.lease.job.group is not None
    )
    return [(brief(group), to_url(group), count) for group, count in groups.most_common()]


def label(verb: str) -> str:
    """The words of its button."""
    return ACTIONS[verb].label
