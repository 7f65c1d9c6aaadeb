"""Pressing the button of a preview of lapsed leases, as its page offers it."""

from __future__ import annotations

from tests.console.walking import send

SWEEP = "/q/prod/orders/sweep"


def sweep(who, url: str = SWEEP, query: str = ""):
    """Preview, then press."""
    return send(who, url, who.get(url + query).content.decode())
