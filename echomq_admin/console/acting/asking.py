"""The confirmation of an action: what would be done to what, and the fields that it needs."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, QueryDict

from echomq_admin.console import words
from echomq_admin.console.acting.asked import Asked, read_values
from echomq_admin.console.acting.fields import Field, fields
from echomq_admin.console.acting.preview import Shown
from echomq_admin.console.acting.previews import preview
from echomq_admin.console.forms import Selection, new_op_id
from echomq_admin.console.htmx import is_fragment
from echomq_admin.fleet.names import brief, shown
from echomq_admin.operations import consent
from echomq_admin.operations.action import Consent
from echomq_admin.operations.calls import Call

LISTED = 100
_LEFT_MANY = "Without it they are left as they are."
_LEFT_ONE = "Without it the job is left as it is."


def context(request: HttpRequest, asked: Asked, call: Call, problem: str = "") -> dict:
    """What the confirmation page (or dialog) shows and carries on. It names a call of its own:
    nothing was done under the one that it asks about again."""
    found, op_id = preview(asked, call) or Shown(""), new_op_id()
    place, action = asked.place, asked.action
    return {
        **_words(asked, found),
        "fields": _fields(asked, found),
        "carried": list(found.sets.items()),
        "preview": found,
        "barred": place.read_only or "",
        "place": place,
        "action": action,
        "url": place.url_of(action.verb),
        **_jobs(asked.chosen),
        "types_name": asked.consent is Consent.TYPE_NAME and not found.is_nothing,
        "name_to_type": shown(place.queue),
        "op_id": op_id,
        "shown": _signed(request.user.get_username(), asked, call, found, op_id),
        "in_dialog": is_fragment(request),
        "problem": problem,
        "back": asked.back,
        "back_url": asked.back_url,
        "look": asked.look,
    }


def _words(asked: Asked, found: Shown) -> dict[str, str]:
    action, count = asked.action, len(asked.chosen.job_ids)
    name = asked.place.name
    what = f"{words.jobs(count)} of {name}" if count else name
    if action.target == "lane":
        lane = asked.values.get("group")
        what = f"of {name}" if lane is None else f"{brief(str(lane), 60)} of {name}"
    if action.target == "job":
        what = f"{brief(asked.chosen.job_ids[0], 60)} of {name}"
    press = f"{action.label} {words.jobs(count)}" if count > 1 else action.label
    if count == 1 and action.target == "jobs":
        press = f"{action.label} 1 job"
    end = "" if found.is_page else "?"
    leave = "Leave it as it is" if count < 2 else "Leave them as they are"
    return {
        "title": f"{action.label}{' ' if action.target in {'jobs', 'lane'} else ': '}{what}{end}",
        "about": "" if found.is_nothing and not found.is_page else found.about or _about(asked),
        "press": found.press or press,
        "leave": "Back" if found.is_nothing and not found.is_draft else leave,
        "busy": "Working…",
    }


def _jobs(chosen: Selection) -> dict[str, object]:
    """The jobs that are meant, as the form carries them on and as a list for the eye."""
    return {
        "count": len(chosen.job_ids),
        "names": [brief(job_id) for job_id in chosen.job_ids[:LISTED]],
        "unlisted": max(0, len(chosen.job_ids) - LISTED),
        "keys": [chosen.key(job_id) for job_id in chosen.job_ids],
    }


def _signed(who: str, asked: Asked, call: Call, found: Shown, form_id: str) -> str:
    """The summary of what is shown, with what the confirmation itself fills in."""
    if found.is_draft:
        return ""
    form = QueryDict(mutable=True)
    form.update(found.sets)
    values, _ = read_values(asked.action, form)
    filled = {name: values[name] for name in found.sets if name in values}
    sent = replace(call, args={**call.args, **filled})
    return consent.sign(who, sent, form_id, found.numbers, found.args, found.named)


def _about(asked: Asked) -> str:
    if asked.action.verb != "requeue":
        return asked.action.help
    job_ids = asked.chosen.job_ids
    attempts = [asked.chosen.tokens.get(job_id) for job_id in job_ids]
    each = "It goes" if len(job_ids) == 1 else "Each goes"
    return f"{each} back into its own lane, or into pending. {words.attempts_kept(attempts)}"


def _fields(asked: Asked, found: Shown) -> list[Field]:
    if found.is_nothing:
        return []
    most = asked.place.settings.max_stalled
    starts = {"max_stalled": most, "reason": asked.reason, **found.starts}
    return [_told(asked, found, field, most) for field in fields(asked, starts, found.without)]


def _told(asked: Asked, found: Shown, field: Field, most: int) -> Field:
    """What a reset of stall counts, or force, does to exactly these jobs."""
    if field.name == "force" and found.context.get("by_force"):
        forced = found.context.get("forced")
        return replace(
            field,
            label=f"By force: also {forced}" if forced else "By force",
            required=bool(found.context.get("needs_force")),
            when_off=_LEFT_MANY if forced else _LEFT_ONE,
            when_on=str(found.context["by_force"]),
        )
    if field.name == "unkept" and found.context.get("kept"):
        required = bool(found.context["needs_unkept"])
        off = _LEFT_MANY if required else str(found.context["kept"])
        return replace(field, required=required, when_off=off, when_on=field.help)
    if field.name != "reset_stalls":
        return field
    stalls = [asked.chosen.stalls.get(job_id) for job_id in asked.chosen.job_ids]
    return replace(
        field,
        when_off=words.stalls_kept(stalls, most),
        when_on=words.stalls_reset(stalls, most),
    )
