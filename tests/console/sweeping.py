"""Pressing the button of a preview of lapsed leases, as its page offers it."""

from __future__ import annotations

from tests.console.scene import tags

SWEEP = "/q/prod/orders/sweep"


def carried(html: str) -> dict[str, str]:
    """What the form that acts carries, hidden."""
    sent = False
    found: dict[str, str] = {}
    for tag, attrs in tags(html):
        if tag == "form":
            sent = "data-previewed" in attrs
        elif sent and tag == "input" and attrs.get("name") not in {None, "csrfmiddlewaretoken"}:
            found[str(attrs["name"])] = attrs.get("value") or ""
    return found


def sweep(who, url: str = SWEEP, query: str = ""):
    """Preview, then press."""
    return who.post(url, carried(who.get(url + query).content.decode()), follow=True)
