"""Pressing the buttons of the dead tab, as its pages offer them."""

from __future__ import annotations

from tests.console.scene import keys_of, value

DEAD = "/q/prod/orders/dead"
URL = "/q/prod/orders/requeue"


def press(who, job_id: str, **fields: str):
    """The button of one row, as the page offers it."""
    html = who.get(DEAD).content.decode()
    data = {
        "op_id": value(html, "op_id"),
        "look": value(html, "look"),
        "only": keys_of(html)[job_id],
    }
    return who.post(URL, data | fields, follow=True)


def ask(who, *jobs: str, keys: dict[str, str] | None = None):
    """The confirmation of ticked jobs."""
    html = who.get(DEAD).content.decode()
    found = keys or keys_of(html)
    return who.post(URL, {"op_id": value(html, "op_id"), "job": [found[job] for job in jobs]})


def confirm(who, *jobs: str, keys: dict[str, str] | None = None, **fields: str):
    """The confirmation, confirmed."""
    html = ask(who, *jobs, keys=keys).content.decode()
    data = {
        "op_id": value(html, "op_id"),
        "confirm": value(html, "confirm"),
        "job": [(keys or keys_of(who.get(DEAD).content.decode()))[job] for job in jobs],
    }
    return who.post(URL, data | fields, follow=True)
