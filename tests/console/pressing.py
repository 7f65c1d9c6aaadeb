"""Pressing the buttons of the lists and of jobs, as their pages offer them."""

from __future__ import annotations

from tests.console.scene import keys_of, value
from tests.console.walking import send

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
    return send(who, url_of(verb), answer.content.decode(), **fields)
