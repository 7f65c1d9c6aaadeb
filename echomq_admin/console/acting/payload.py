"""The payload of one job as a text to be edited, and the change before it is sent.

It is edited as text only when the text that a form sends back is, byte for byte, what was not
changed in it. The change is fenced by the attempts and by the payload that it was made on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha1

from echomq_admin.console import links, payloads, words
from echomq_admin.console.acting.asked import Asked
from echomq_admin.console.acting.differences import differences
from echomq_admin.console.acting.fitness import claimed_since, unsound
from echomq_admin.console.acting.preview import Shown
from echomq_admin.emq.fields import Field, read_field
from echomq_admin.emq.standing import standings
from echomq_admin.operations.calls import Call

MOST = 200_000
_TEMPLATE = "console/_ask_payload.html"
_PAYLOAD = b"payload"
_NO_TEXT = (
    "Its payload cannot be edited as text: a form would not bring its bytes back as they are."
)
# A form sends each line break as CRLF, and a page holds no other control characters than these.
_CARRIED = {"\t", "\n"}


@dataclass(frozen=True)
class Editable:
    """A payload as a text area holds it; `crlf` when each of its line breaks was CRLF."""

    text: str
    crlf: bool


def edit(asked: Asked, call: Call) -> Shown:
    """The payload as it is to be edited, or with what was typed the change that it makes."""
    place, job_id = asked.place, call.job_ids[0]
    found = read_field(place.server.client, place.queue, job_id, _PAYLOAD, MOST)
    why_not = _why_not(asked, call, found)
    held = editable(found.value) if found and found.value is not None else None
    if why_not or found is None or found.value is None or held is None:
        return _barred(asked, job_id, why_not)
    return _edited(asked, call, found.value, held)


def editable(raw: bytes) -> Editable | None:
    """The text for a text area, or `None` for bytes that would not come back as they were."""
    text = payloads.as_text(raw)
    if text is None or text.encode() != raw:
        return None
    breaks = text.count("\r\n")
    if breaks and breaks == text.count("\n") == text.count("\r"):
        text = text.replace("\r\n", "\n")
    else:
        breaks = 0
    if any(char < " " and char not in _CARRIED for char in text) or "\ufeff" in text[:1]:
        return None
    return Editable(text, bool(breaks))


def _why_not(asked: Asked, call: Call, found: Field | None) -> str:
    """Why the payload cannot be edited, as a sentence; empty when the bytes decide."""
    place, job_id = asked.place, call.job_ids[0]
    (job,) = standings(place.server.client, place.queue, [job_id])
    if why_not := unsound(job):
        return why_not
    if since := claimed_since(job, call.tokens.get(job_id, job.attempts)):
        return f"{since} Open the job and look at it again; what you typed stands below."
    if found is None:
        return "It has no payload."
    return _unread(found)


def _unread(found: Field) -> str:
    if found.fault:
        return f"Its payload cannot be read: {found.fault}."
    if found.value is None:
        size, most = payloads.size(found.size), payloads.size(MOST)
        return f"Its payload is {size} long; up to {most} can be edited here."
    return ""


def _barred(asked: Asked, job_id: str, why_not: str) -> Shown:
    place = asked.place
    typed = asked.typed.get("payload", "")
    return Shown(
        _TEMPLATE,
        is_nothing=True,
        is_page=True,
        without=frozenset({"payload", "seen"}),
        context={
            "why_not": why_not or _NO_TEXT,
            "typed": typed,
            "raw_url": f"{links.job_url(place.server.name, place.queue, job_id)}/raw",
            "command": words.command(place, "update_payload", job_id, "--payload=-"),
        },
    )


def _edited(asked: Asked, call: Call, raw: bytes, held: Editable) -> Shown:
    seen, new = sha1(raw, usedforsecurity=False).hexdigest(), call.args.get("payload")
    new = new if isinstance(new, bytes) else None
    is_changed = new is not None and new != raw
    return Shown(
        _TEMPLATE,
        args=("payload", "seen"),
        sets={"seen": seen},
        without=frozenset({"payload", "seen"}),
        is_page=True,
        is_draft=not is_changed,
        is_nothing=not is_changed,
        press="Replace payload",
        context={
            "text": held.text if new is None else asked.typed["payload"],
            "breaks": "crlf" if held.crlf else "",
            "size": payloads.size_exactly(len(raw)),
            "rows": min(24, max(4, held.text.count("\n") + 2)),
            **(_change(call, raw, new, seen) if new is not None else {}),
        },
    )


def _change(call: Call, raw: bytes, new: bytes, seen: str) -> dict[str, object]:
    """What the typed text changes, and what a person should know before it is sent."""
    made_on = call.args.get("seen")
    return {
        "is_compared": True,
        "lines": differences(raw.decode(), new.decode("utf-8", "replace")),
        "new_size": payloads.size_exactly(len(new)),
        "broken_json": _broken_json(raw, new),
        "moved_on": made_on is not None and made_on != seen,
    }


def _broken_json(old: bytes, new: bytes) -> str:
    """Where a payload that was JSON is none any more; empty when all is well, or nothing was."""
    if _json_error(old) or not (error := _json_error(new)):
        return ""
    return f"The payload was JSON. What is typed is none: {error}."


def _json_error(raw: bytes) -> str:
    try:
        json.loads(raw)
    except RecursionError:
        return "too deeply nested"
    except ValueError as error:
        return str(error)
    return ""
