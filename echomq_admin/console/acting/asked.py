"""What a button or a confirmation asks for, read once from its form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import QueryDict

from echomq_admin.console import forms, links
from echomq_admin.console.acting.backs import WIDE, wide_url
from echomq_admin.console.forms import PageLook, Selection
from echomq_admin.console.lanes import Look as LaneLook
from echomq_admin.console.places import Place
from echomq_admin.emq.keyspace import from_wire, to_wire
from echomq_admin.fleet.names import from_url
from echomq_admin.operations.action import Action, Consent
from echomq_admin.operations.arguments import Argument, Blob, Flag, Name, Whole
from echomq_admin.operations.calls import Call
from echomq_admin.operations.checks import REASON, needs_reason
from echomq_admin.operations.refusals import Invalid

# The pages that an action leads back to; the first is where an address names none.
BACKS = (
    "queue_dead",
    "queue_active",
    "queue_pending",
    "queue_scheduled",
    "queue_lanes",
    "queue_audit",
    "queue_repeat",
    "queue_settings",
    "job",
    *WIDE,
)
_YES = "on"


@dataclass(frozen=True)
class Asked:
    """One press. `typed` maps the names of the action's arguments to what stands in their fields;
    an argument whose field was not there is missing. `errors` maps names to sentences.

    `form_id` is the op_id that the console gave the form, empty when it gave none.
    `shown` is the signed summary of the confirmation, empty when none was shown yet or a new one is
    asked for; `typed_name` what stands in the field for the queue's name. `back` is the page to
    lead back to (see `BACKS`), `look` how its list was looked at.
    """

    action: Action
    place: Place
    chosen: Selection
    typed: Mapping[str, str]
    values: Mapping[str, object]
    errors: Mapping[str, str]
    reason: str
    form_id: str
    shown: str
    typed_name: str
    back: str
    look: str

    @classmethod
    def read(cls, form: QueryDict, action: Action, place: Place) -> Asked:
        """From the fields of a form, or of an address. Raises `ValueError` for a job or a lane that
        no page of the console wrote."""
        chosen = Selection.read(form)
        typed = {one.name: form[one.name] for one in action.args if one.name in form}
        values, errors = read_values(action, form)
        reason = form.get("reason", "").strip()
        if why_not := _reason_error(action, reason):
            errors.setdefault("reason", why_not)
        back = form.get("back", "")
        return cls(
            action=action,
            place=place,
            chosen=chosen,
            typed=typed,
            values=values,
            errors=errors,
            reason=reason,
            form_id=forms.form_id(form),
            shown="" if "compare" in form else form.get("shown", ""),
            typed_name=form.get("typed", "").strip(),
            back=back if back in BACKS else BACKS[0],
            look=form.get("look", ""),
        )

    @property
    def consent(self) -> Consent:
        return self.action.consent_for(len(self.chosen.job_ids), self.values)

    @property
    def is_bare(self) -> bool:
        """Whether the press itself is all the consent that is needed, and nothing is left to fill
        in: the button of one row, of one job, of one lane."""
        is_one = self.chosen.only or self.action.target not in {"job", "jobs"}
        return is_one and self.consent is Consent.CLICK and not self.errors

    @property
    def back_url(self) -> str:
        """The page that the press came from, as it was looked at."""
        if self.back == "job" and len(self.chosen.job_ids) == 1:
            where = self.place.server.name, self.place.queue
            return links.job_url(*where, self.chosen.job_ids[0])
        if self.back in WIDE:
            return wide_url(self.back, self.look)
        back = BACKS[0] if self.back == "job" else self.back
        kind = LaneLook if back == "queue_lanes" else PageLook
        query = kind.read(QueryDict(self.look)).query()
        return self.place.url(back) + (f"?{query}" if query else "")

    @property
    def own_url(self) -> str:
        """The address of this confirmation, for the button of one row."""
        query = QueryDict(mutable=True)
        query.setlist("only", [self.chosen.key(job_id) for job_id in self.chosen.job_ids[:1]])
        query.update({"back": self.back, **({"look": self.look} if self.look else {})})
        return f"{self.place.url_of(self.action.verb)}?{query.urlencode()}"

    @property
    def drafts(self) -> frozenset[str]:
        """The arguments that are a text to be edited, which would be a loss."""
        return frozenset(one.name for one in self.action.args if isinstance(one, Blob))

    def call(self, post: QueryDict) -> Call:
        """The call that is asked for: named by the form's own op_id and by all that it asks, so
        that a double click repeats it and another button of the same form does not. What goes on
        in steps is one call a form, however it is filled in: no token fences what it reaches. The
        order of the jobs names no other call, and so does not reach it either: one of many jobs
        goes to the server in parts."""
        chosen, values = self.chosen, self.values
        job_ids = tuple(sorted(chosen.job_ids))
        where = self.place.server.name, self.place.queue
        seen = sorted(chosen.tokens.items())
        asked = [] if self.action.in_steps else sorted(map(repr, values.items()))
        named = (*job_ids, seen, asked)
        op_id = forms.op_id(post, self.action.verb, *where, *named)
        tokens = {} if self.action.fenced == "never" else chosen.tokens
        return Call(self.action.verb, *where, job_ids, tokens, values, op_id, reason=self.reason)


def _reason_error(action: Action, reason: str) -> str:
    if not reason:
        return "A reason is missing." if needs_reason(action) else ""
    try:
        REASON.clean(reason)
    except Invalid as error:
        return error.sentence
    return ""


def read_values(action: Action, form: QueryDict) -> tuple[dict[str, object], dict[str, str]]:
    """The checked arguments of a form, and for those that cannot be taken why not."""
    values: dict[str, object] = {}
    errors: dict[str, str] = {}
    for one in action.args:
        try:
            given = _given(one, form)
            if given is None and one.required and not getattr(one, "may_be_none", False):
                errors[one.name] = f"{one.label} is missing."
            elif one.name in form or isinstance(one, Flag):
                values[one.name] = one.clean(given)
        except Invalid as error:
            errors[one.name] = error.sentence
    return values, errors


def _given(one: Argument, form: QueryDict) -> object:
    """What stands in the field of an argument; `None` for nothing."""
    if isinstance(one, Flag):
        return form.get(one.name) == _YES
    text = form.get(one.name)
    if text is None or (text == "" and isinstance(one, Name | Whole)):
        return None
    if isinstance(one, Name):
        return from_url(text)
    if isinstance(one, Blob):
        return to_wire(_lines(text, form.get("breaks", "")))
    return text


def _lines(text: str, breaks: str) -> str:
    """A form sends CRLF for each line break of a text area; what the payload has is kept."""
    lines = from_wire(text.encode()).replace("\r\n", "\n")
    return lines.replace("\n", "\r\n") if breaks == "crlf" else lines
