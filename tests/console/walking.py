"""From a button through every confirmation to the deed, by the forms that the pages offer."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

from django.test import Client
from django.urls import reverse

from echomq_admin.fleet.names import to_url
from echomq_admin.operations.calls import Call

# A confirmation may ask once more, with what is typed shown beside what was there.
MOST_ROUNDS = 4
# These have a page of their own, which shows what would be done to all lapsed leases.
ON_LAPSED = ("sweep", "reap", "reap_group")


@dataclass
class Form:
    """A form of a page: where it is sent to, and what stands in its fields."""

    action: str
    is_asking: bool = False
    fields: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str | None, value: str | None) -> None:
        if name:
            self.fields.setdefault(name, []).append(value or "")


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self._area: str | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        if tag == "form":
            is_asking = of.get("class") == "ask" or "data-previewed" in of
            self.forms.append(Form(urlsplit(of.get("action") or "").path, is_asking))
        elif tag == "input" and self.forms:
            is_ticked = of.get("type") not in {"checkbox", "radio"} or "checked" in of
            if is_ticked and of.get("type") != "submit":
                self.forms[-1].add(of.get("name"), of.get("value"))
        elif tag == "textarea":
            self._area, self._text = of.get("name"), []

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self.forms:
            # A browser drops the line feed right behind the tag.
            self.forms[-1].add(self._area, "".join(self._text).removeprefix("\n"))


def forms(html: str) -> list[Form]:
    """Every form of a page, as a browser would send it."""
    reader = _Forms()
    reader.feed(html)
    return reader.forms


def form_to(html: str, path: str) -> Form | None:
    """The confirmation that is sent to this address, if the page has one."""
    found = [one for one in forms(html) if one.action == path and "shown" in one.fields]
    return found[-1] if found else None


def asked_on(html: str) -> Form | None:
    """The confirmation that a page or a dialog holds, or the next step of a long action."""
    found = [one for one in forms(html) if one.is_asking or {"shown", "march"} & set(one.fields)]
    return found[-1] if found else None


def fields_of(html: str) -> dict[str, object]:
    """What stands in a confirmation; of `job`, and of what is there more than once, all."""
    form = asked_on(html)
    return {
        name: values if name == "job" or len(values) > 1 else values[0]
        for name, values in (form.fields if form else {}).items()
    }


def send(who: Client, path: str, html: str, **fields: object):
    """Send the confirmation of a page as it stands there but for these fields; where it leads."""
    return who.post(path, fields_of(html) | fields, follow=True)


def url_of(call: Call) -> str:
    """The address of an action's own page."""
    where = [call.server, call.queue]
    if call.action in ON_LAPSED:
        return reverse(call.action, args=where)
    return reverse("act", args=[*where, call.action])


def asked_by(call: Call) -> dict[str, object]:
    """The fields by which a button asks for a call."""
    args = {name: _typed(name, value) for name, value in call.args.items() if value is not False}
    keys = [f"{call.tokens.get(job, '')}::{to_url(job)}" for job in call.job_ids]
    return {**args, **({"only": keys} if keys else {})}


def _typed(name: str, value: object) -> str:
    if value is True:
        return "on"
    if isinstance(value, bytes):
        return value.decode()
    return to_url(value) if name in {"group", "dedup_id"} else str(value)


def confirmation(who: Client, call: Call) -> Form | None:
    """What the page of an action offers to send; `None` when it offers nothing."""
    answer = who.get(url_of(call), asked_by(call))
    return form_to(answer.content.decode(), url_of(call))


def confirm(who: Client, call: Call, form: Form | None, **more: object):
    """Send a confirmation, and what it is answered with as long as that asks again; the last
    answer. The queue's name is typed and the arguments are filled in, whatever was there."""
    args = {name: _typed(name, value) for name, value in call.args.items() if value is not False}
    for _ in range(MOST_ROUNDS):
        data = {**(form.fields if form else asked_by(call)), **args, "typed": call.queue, **more}
        answer = who.post(url_of(call), data)
        again = form_to(answer.content.decode(), url_of(call))
        if answer.status_code != 200 or again is None:
            break
        form = again
    return answer
