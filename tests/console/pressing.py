"""Pressing the buttons of the lists and of jobs, as their pages offer them."""

from __future__ import annotations

import re
from html import unescape

from tests.console.scene import keys_of, tags, value

DEAD = "/q/prod/orders/dead"
URL = "/q/prod/orders/requeue"


def url_of(verb: str) -> str:
    return f"/q/prod/orders/{verb}"


def press(who, job_id: str, **fields: str):
    """The requeue button of one row, as the page offers it."""
    html = who.get(DEAD).content.decode()
    data = {
        "op_id": value(html, "op_id"),
        "look": value(html, "look"),
        "only": keys_of(html)[job_id],
    }
    return who.post(URL, data | fields, follow=True)


def ask(who, *jobs: str, keys: dict[str, str] | None = None, verb: str = "requeue"):
    """The confirmation of ticked jobs; `keys` are those of another list than that of dead jobs."""
    html = who.get(DEAD).content.decode()
    found = keys or keys_of(html)
    data = {"op_id": value(html, "op_id"), "job": [found[job] for job in jobs]}
    return who.post(url_of(verb), data)


def confirm(
    who, *jobs: str, keys: dict[str, str] | None = None, verb: str = "requeue", **fields: str
):
    """The confirmation of ticked jobs, confirmed."""
    answer = ask(who, *jobs, keys=keys, verb=verb)
    return confirmed(who, answer, verb, **fields)


def confirmed(who, answer, verb: str, **fields: object):
    """A confirmation that is shown, sent as it is but for these fields."""
    return who.post(url_of(verb), fields_of(answer.content.decode()) | fields, follow=True)


def fields_of(html: str) -> dict[str, object]:
    """Every field of the confirmation as a browser would send it, no box ticked."""
    form = re.split(r'<form class="ask"', html)[1].split("</form>")[0]
    data: dict[str, object] = {}
    for tag, attrs in tags(form):
        name = attrs.get("name")
        if tag != "input" or not name or attrs.get("type") == "checkbox":
            continue
        if name == "job":
            data.setdefault("job", []).append(attrs["value"])
        else:
            data[name] = attrs.get("value") or ""
    area = re.search(r'<textarea name="(\w+)"[^>]*>\n?([\s\S]*?)</textarea>', form)
    return data | ({area[1]: unescape(area[2])} if area else {})
