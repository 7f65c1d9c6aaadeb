"""The trail says at its top what it lacks, and what would mend that."""

from __future__ import annotations

import re

import pytest

from echomq_admin.emq.audit_news import IS_FULL
from echomq_admin.ledger import trail
from echomq_admin.ledger.models import Copied, Gap
from tests.console.scene import text
from tests.console.trails import NOON


def said(reader, query: str = "") -> str:
    return text(reader.get(f"/trail{query}").content.decode())


def stuck(queue: bytes = b"orders", fault: str = "the key holds another type", server="prod"):
    return Copied.objects.create(server=server, queue=queue, fault=fault)


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        ("the key holds another type", "then delete that key or give it another name"),
        (IS_FULL, "then delete that key or give it another name"),
        ("no permission to run xrange", "Let the console’s user read it"),
        ("ValueError: odd", "The agent’s log has more"),
    ],
)
def test_a_stream_that_cannot_be_copied_is_named_with_why_and_what_to_do(
    scene, browser, fault, remedy
):
    row = stuck(fault=fault)
    found = said(browser("viewer"))
    for part in ("prod/orders", "emqadmin:{orders}:audit", f"{fault}.", remedy):
        assert part in found
    row.fault = ""
    row.save()
    assert "Not everything gets here" not in said(browser("viewer"))


def test_only_those_are_named_that_the_look_asks_for(scene, browser):
    stuck()
    stuck(server="gone")
    reader = browser("viewer")
    for query in ("?queue=mail", "?server=other"):
        assert "Not everything gets here" not in said(reader, query)
    assert "prod/orders" in said(reader, "?queue=orders")
    assert "gone/orders" not in said(reader)


def test_of_very_many_the_first_are_named_and_the_others_counted(scene, browser):
    for n in range(25):
        stuck(b"q%02d" % n)
    found = said(browser("viewer"))
    assert len(re.findall(r"prod/q[0-9]+", found)) == 20
    assert "and 5 more" in found


def test_gaps_that_are_passed_over_are_told_and_are_seen_in_their_queue(
    scene, browser, monkeypatch
):
    monkeypatch.setattr(trail, "MOST_GAPS", 3)
    for queue in (b"mail", b"orders", b"orders", b"orders"):
        Gap.objects.create(
            server="prod", queue=queue, after_id="0-0", before_id=f"{NOON}-1", found_at_ms=NOON,
            sentence=f"2 entries of {queue.decode()} went.",
        )  # fmt: skip
    reader = browser("viewer")
    assert "Of the gaps only the 3 that were found last are shown" in said(reader)
    assert "2 entries of mail went" not in said(reader)
    assert "2 entries of mail went" in said(reader, "?queue=mail")
    for query in ("?queue=mail", "?queue=orders", "?kind=sign-in"):
        assert "Of the gaps" not in said(reader, query)
