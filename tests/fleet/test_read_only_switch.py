"""A server that is set to read only by its address."""

from __future__ import annotations

import pytest

from echomq_admin.emq.keyspace import FENCE
from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import read_only_reason
from echomq_admin.fleet.snapshot import snapshot
from tests.valkey import free_port

SAID = "prod is set to read only (read_only=1 in EMQ_SERVERS)."


@pytest.fixture
def closed(settings, server_url):
    settings.EMQ_SERVERS = f"prod={server_url}?read_only=1 next={server_url}?read_only=0"
    return servers.server("prod")


def test_it_says_so_wherever_a_server_says_why_it_takes_no_changes(closed, db):
    assert read_only_reason(closed) == SAID
    assert read_only_reason(closed, "orders") == SAID
    assert closed.facts().read_only == SAID
    assert snapshot(closed).facts.read_only == SAID


def test_the_server_beside_it_is_worked_on(closed):
    assert read_only_reason(servers.server("next"), "orders") is None


def test_it_is_known_without_asking(settings):
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{free_port()}?read_only=1"
    assert read_only_reason(servers.server("prod")) == SAID


def test_the_switch_is_told_before_what_the_server_says_of_itself(closed, client):
    client.set(FENCE, "echomq:9.0.0")
    assert read_only_reason(closed) == SAID


def test_the_switch_of_the_whole_console_is_told_before_that_of_one_server(closed, settings):
    settings.EMQ_READ_ONLY = True
    assert "EMQ_READ_ONLY" in read_only_reason(closed)


def test_the_option_goes_with_the_others(settings, server_url):
    settings.EMQ_SERVERS = f"prod={server_url}?pool=3&read_only=1&read_ms=700"
    made = servers.server("prod")
    assert made.switched_off == SAID
    assert made.patience_s == 0.7
    assert "read_only" not in made.target


@pytest.mark.parametrize("value", ["", "2", "yes", "true", "%31x"])
def test_what_is_neither_0_nor_1_is_an_error_with_its_server(settings, value):
    settings.EMQ_SERVERS = f"prod=redis://h?read_only={value}"
    with pytest.raises(servers.UnreadableSetting, match="EMQ_SERVERS: prod: read_only is 1, for"):
        servers.servers()
