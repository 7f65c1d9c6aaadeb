"""The overview as a viewer sees it."""

from __future__ import annotations

from echomq_admin.fleet import discovery, servers
from tests.console.scene import rows


def page(browser, query: str = "") -> str:
    """Its HTML."""
    answer = browser("viewer").get("/" + query)
    assert answer.status_code == 200
    return answer.content.decode()


def names(html: str) -> list[str]:
    """The names of its queues in order."""
    return [row.split()[0] for row in rows(html)]


def discover() -> None:
    """One pass over every server."""
    for server in servers.servers():
        discovery.discover(server)
