"""What a server tells of itself, and how far its clock is from this host's."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from echomq_admin.emq.replies import Batch
from echomq_admin.fleet import about, drift, servers
from echomq_admin.fleet.drift import Drift, run_timed


def measured(client) -> Drift | None:
    batch = Batch(client)
    return run_timed(batch, batch.ask("time"))


def test_clocks_of_one_machine_agree(client):
    found = measured(client)
    assert abs(found.ms) < 1_000
    assert 0 <= found.margin_ms < 1_000
    assert not found.is_noteworthy


@pytest.mark.parametrize("ahead_ms", [600_000, -600_000])
def test_a_host_whose_clock_is_off_is_found_out(client, monkeypatch, ahead_ms):
    moved = SimpleNamespace(
        time_ns=lambda: time.time_ns() + ahead_ms * 1_000_000, monotonic_ns=time.monotonic_ns
    )
    monkeypatch.setattr(drift, "time", moved)
    found = measured(client)
    assert found.is_noteworthy
    assert found.ms == pytest.approx(-ahead_ms, abs=1_000)


def test_a_slow_answer_is_no_proof_of_a_drift():
    assert not Drift(ms=1_900, margin_ms=1_000).is_noteworthy
    assert Drift(ms=-2_100, margin_ms=1_000).is_noteworthy


def test_the_facts_of_a_server_tell_its_drift(prod, monkeypatch):
    moved = SimpleNamespace(
        time_ns=lambda: time.time_ns() + 60_000_000_000, monotonic_ns=time.monotonic_ns
    )
    monkeypatch.setattr(drift, "time", moved)
    assert prod.facts().drift.is_noteworthy


def test_what_was_seen_last_is_kept_until_the_server_is_forgotten(prod, client):
    assert about.last_seen(prod) is None
    client.set("a", "b")
    seen = about.read(prod)
    assert about.last_seen(prod) is seen
    assert (seen.keys, seen.replica) == (1, None)
    assert seen.connections >= 1
    assert seen.memory_bytes > 0
    servers.forget()
    assert about.last_seen(servers.server("prod")) is None


def test_a_user_who_may_not_ask_leaves_the_rest_unknown(settings, client, server_port):
    client.acl_setuser(
        "reader", enabled=True, nopass=True, keys=["*"], commands=["+@read", "+time", "+ping"]
    )
    try:
        settings.EMQ_SERVERS = f"prod=redis://reader:x@127.0.0.1:{server_port}"
        seen = about.read(servers.server("prod"))
    finally:
        servers.forget()
        client.acl_deluser("reader")
    assert (seen.memory_bytes, seen.policy, seen.may_evict, seen.aof) == (None, None, None, None)
    assert seen.keys == 0
    assert seen.drift is not None
    assert "reader" not in repr(seen.rights)


def test_a_server_whose_time_is_refused_has_no_drift(settings, client, server_port):
    client.acl_setuser("reader", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-time"])
    try:
        settings.EMQ_SERVERS = f"prod=redis://reader:x@127.0.0.1:{server_port}"
        seen = about.read(servers.server("prod"))
    finally:
        servers.forget()
        client.acl_deluser("reader")
    assert (seen.drift, seen.now_ms) == (None, None)
