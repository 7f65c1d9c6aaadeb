"""Connections end, as they do when PostgreSQL is started anew; nothing but that moment is lost."""

from __future__ import annotations

from contextlib import closing

import pytest
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory

from echomq_admin.agent import Agent
from echomq_admin.fleet.discovery import known, last_pass
from tests.postgresql.conftest import cut_off
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_page_after_that_is_shown_as_if_nothing_had_been(prod):
    assert page("/login/").startswith("200")
    User.objects.exists()
    was = connection.connection
    assert cut_off()
    assert connection.connection is was
    assert page("/login/").startswith("200")
    assert connection.connection is not was


def page(path: str) -> str:
    """The status of a page as a browser gets it that is new here; its session is looked up."""
    statuses: list[str] = []
    asked = RequestFactory().get(path, headers={"cookie": f"sessionid={'a' * 32}"}).environ
    with closing(WSGIHandler()(asked, lambda status, _headers: statuses.append(status))) as answer:
        b"".join(answer)
    return statuses[0]


def test_the_agent_goes_on_with_new_connections(client, prod):
    agent = Agent([prod], 0.05)
    agent.start()
    try:
        wait_for(lambda: last_pass("prod"))
        connection.close()
        assert cut_off()
        client.zadd("emq:{orders}:pending", {"a": 0})
        wait_for(lambda: known("prod") == {"orders": ()})
    finally:
        agent.stop()
