"""Pages that tell what the agent saw say when it looks no more, on every kind of screen."""

from __future__ import annotations

import pytest

from echomq_admin.ledger.endings.models import Place
from echomq_admin.ledger.observing.models import Watched
from tests.console import overviews
from tests.console.scene import A, text

PAGES = (
    "/",
    "/q/prod/orders/active",
    "/q/prod/orders/dead",
    "/q/prod/orders/chart",
    f"/q/prod/orders/job/{A}",
    f"/q/prod/orders/job/{A}/history",
)
WORDS = "Nobody watches prod now. The agent has not looked since"


@pytest.fixture
def looked(scene):
    """An agent looked at the queue so long ago."""
    scene.active(A, 60_000)
    overviews.discover()

    def at(ago_ms: int) -> None:
        place = Place.objects.create(server="prod", queue=b"orders")
        Watched.objects.create(place=place, since_ms=1, seen_ms=scene.now_ms() - ago_ms)

    return at


@pytest.mark.parametrize("path", PAGES)
def test_an_agent_that_looks_no_more_is_missed(looked, browser, path):
    looked(120_000)
    assert WORDS in text(browser("viewer").get(path).content.decode())


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("has_looked", [True, False])
def test_one_that_looks_or_never_did_is_not(looked, browser, path, has_looked):
    if has_looked:
        looked(2_000)
    assert WORDS not in text(browser("viewer").get(path).content.decode())
