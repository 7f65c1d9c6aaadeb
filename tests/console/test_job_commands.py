"""The commands that the page of a job spells out are commands that are there."""

from __future__ import annotations

import re

import pytest

from echomq_admin.fleet.names import to_url
from echomq_admin.management.commands.emq import Command
from tests.console.scene import A, G, text


def commands(browser, job_id: str) -> list[list[str]]:
    """The words of each command on the page."""
    html = browser("admin").get(f"/q/prod/orders/job/{to_url(job_id)}").content.decode()
    found = re.findall(r"<code tabindex=\"0\">(.*?)</code>", html, re.DOTALL)
    return [
        [text(word).strip() for word in re.findall(r"<span>(.*?)</span>", one)] for one in found
    ]


@pytest.mark.parametrize("place", ["pending", "active", "schedule", "dead", "nowhere"])
@pytest.mark.parametrize("job_id", [A, "-rf", "user/1", "a b", ""])
def test_each_is_parsed_by_the_command_line(scene, browser, place, job_id):
    scene.pending("JOBother")
    scene.row(job_id, state=place, attempts=2, group=G, dedup_id="order 7")
    scene.store.set(scene.key("de:order 7"), job_id)
    if place != "nowhere":
        scene.store.zadd(scene.key(place), {job_id: 0})
    parser = Command().create_parser("manage.py", "emq")
    parsed = [parser.parse_args(words[3:]) for words in commands(browser, job_id)]
    assert {"update_payload", "remove"} <= {one.verb for one in parsed}
    for one in parsed:
        assert one.user == "admin-olena"
        assert (one.place, one.ids) == ("prod/orders", [to_url(job_id)])
