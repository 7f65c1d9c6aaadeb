"""The page of a server."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from echomq_admin.fleet import discovery, drift, servers, snapshot
from tests.console.scene import HX, A, dump, rows, tags, text
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

URL = "/s/prod"


def page(browser, **extra) -> str:
    answer = browser("viewer").get(URL, **extra)
    assert answer.status_code == 200
    return answer.content.decode()


def said(html: str) -> str:
    return text(html)


def test_it_tells_what_the_server_is_and_how_it_fares(scene, browser):
    scene.dead(A)
    scene.store.set(b"{emq}:version", "echomq:2.4.2")
    discovery.discover(servers.server("prod"))
    html = page(browser)
    words = said(html)
    for part in (
        "Version valkey",
        "Mode standalone",
        "Role primary",
        "Wire echomq:2.4.2",
        "When full noeviction",
        "Append-only file off",
        "Snapshots off Last one none yet Changes since",
        "Connected ",
        "Blocked 0",
        "Keys 3",
        "1 queue",
        "Last discovery",
        "It found 1 queue, 0 lanes",
        "Nothing is saved. It writes neither",
    ):
        assert part in words
    assert "overview" not in words
    assert "/?server=prod" in {a.get("href") for _, a in tags(html)}


def test_looking_changes_nothing(scene, browser):
    scene.dead(A)
    before = dump(scene.store)
    page(browser)
    assert dump(scene.store) == before


def test_it_asks_neither_for_keys_nor_scripts_in_at_most_three_trips(scene, browser, monkeypatch):
    from redis.connection import AbstractConnection

    scene.dead(A)
    monkeypatch.setattr(snapshot, "FRESH_S", 3600.0)
    who = browser()
    who.get(URL)
    sent: list[int] = []
    send = AbstractConnection.send_packed_command

    def counting(connection, command, check_health=True):
        sent.append(1)
        send(connection, command, check_health)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counting)
    scene.store.config_resetstat()
    sent.clear()
    who.get(URL)
    assert len(sent) - 1 <= 3
    used = set(scene.store.info("commandstats"))
    assert not {"cmdstat_keys", "cmdstat_scan", "cmdstat_evalsha", "cmdstat_eval"} & used


@pytest.mark.parametrize(("host_ms", "way"), [(600_000, "behind"), (-600_000, "ahead of")])
def test_a_clock_that_is_ten_minutes_off_is_said(scene, browser, monkeypatch, host_ms, way):
    scene.active(A, 30_000)
    _shift(monkeypatch, host_ms)
    words = said(page(browser))
    assert "The clocks are apart." in words
    assert "The server’s clock is " in words
    assert f"{way} this host’s" in words
    left = said(browser().get("/q/prod/orders/active").content.decode())
    assert re.search(r"\b[12]\d\.\d", left)
    assert "clocks apart" in left


def _shift(monkeypatch, ms: int) -> None:
    """This host's clock is `ms` ahead of what it was."""
    import time

    moved = SimpleNamespace(
        time_ns=lambda: time.time_ns() + ms * 1_000_000, monotonic_ns=time.monotonic_ns
    )
    monkeypatch.setattr(drift, "time", moved)


def test_clocks_that_agree_are_no_news(scene, browser):
    html = page(browser)
    assert "The clocks are apart" not in said(html)
    assert "Difference" in said(html)


def test_a_server_without_fault_says_so_first_and_folds_its_rights(settings, browser, prod):
    with valkey("--save", "3600 1") as port:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
        html = page(browser)
        servers.forget()
    assert "Nothing wrong here. It saves its data. The console’s user may do all" in said(html)
    assert '<details class="plain body" id="rights"><summary>All is allowed' in html


def test_a_snapshot_that_was_made_is_told_with_its_time(scene, browser):
    scene.dead(A)
    scene.store.save()
    words = said(page(browser))
    scene.store.config_resetstat()
    assert "Last one ok Made " in words


def test_jobs_that_may_be_evicted_are_warned_of(settings, browser, prod):
    with valkey("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as port:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
        words = said(page(browser))
        servers.forget()
    assert "Jobs may be evicted. When its memory is full it drops keys (allkeys-lru)" in words


@pytest.mark.parametrize(("policy", "most"), [("allkeys-lru", "0"), ("volatile-lru", "100mb")])
def test_a_policy_that_drops_no_job_is_no_news(settings, browser, prod, policy, most):
    with valkey("--maxmemory-policy", policy, "--maxmemory", most) as port:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
        words = said(page(browser))
        servers.forget()
    assert "may be evicted" not in words
    assert f"When full {policy}" in words


def test_a_replica_tells_its_primary_and_how_far_it_is_behind(
    settings, scene, browser, server_port
):
    with valkey("--replicaof", "127.0.0.1", str(server_port)) as port:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}"
        wait_for(lambda: "Link up" in said(page(browser)), 20)
        words = said(page(browser))
        servers.forget()
    assert "Role replica" in words
    assert f"Primary 127.0.0.1:{server_port}" in words
    assert "Not applied 0 bytes" in words
    assert "Read-only. This server is a replica" in words
    assert "after a restart it has nothing until its primary sends it all again" in words
    assert "loses every job" not in words


def test_an_unknown_fence_is_the_reason_for_reading_only(scene, browser):
    scene.store.set(b"{emq}:version", "echomq:9.0.0")
    words = said(page(browser))
    assert "Wire echomq:9.0.0" in words
    assert "Read-only. This deployment speaks the wire version echomq:9.0.0" in words


def test_a_server_that_goes_away_shows_what_it_said_last(settings, prod, browser):
    port = free_port()
    settings.EMQ_SERVERS = f"prod=redis://me:secret@127.0.0.1:{port}/0"
    who = browser("viewer")
    with valkey(port=port) as _:
        from redis import Redis

        with Redis(port=port) as client:
            client.acl_setuser(
                "me", enabled=True, passwords=["+secret"], keys=["*"], commands=["+@all"]
            )
        first = who.get(URL)
        assert (first.status_code, "Version valkey" in said(first.content.decode())) == (200, True)
    snapshot.refresh(servers.server("prod"))
    answer = who.get(URL)
    html = answer.content.decode()
    assert answer.status_code == 503
    assert "secret" not in html
    assert "Out of reach: prod cannot be read" in said(html)
    assert "Below is what it said" in said(html)
    assert "Version valkey" in said(html)
    answer = who.get(URL, headers=HX)
    assert answer.status_code == 200
    assert "Out of reach" in said(answer.content.decode())


def test_a_server_never_seen_is_said_to_be_so(settings, prod, browser):
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{free_port()}/0"
    answer = browser().get(URL)
    assert answer.status_code == 503
    assert "Nothing of it was seen since the console started" in said(answer.content.decode())


def test_a_server_that_only_its_queues_were_looked_at_of_is_not_called_unseen(
    settings, prod, browser
):
    port = free_port()
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{port}/0"
    with valkey(port=port):
        browser().get("/")
        wait_for(lambda: snapshot.snapshot(servers.server("prod")).facts)
    snapshot.refresh(servers.server("prod"))
    words = said(browser().get(URL).content.decode())
    assert "Below is what it told while its queues were looked at. Identity" in words
    assert "Nothing of it was seen" not in words


def test_an_unknown_server_is_not_found(prod, browser):
    assert browser().get("/s/nowhere").status_code == 404


@pytest.mark.parametrize(
    ("role", "method", "status"),
    [
        ("anonymous", "get", 302),
        ("nobody", "get", 403),
        ("viewer", "head", 200),
        ("viewer", "post", 405),
    ],
)
@pytest.mark.parametrize("path", [URL, "/q/prod/orders/lanes", "/q/prod/orders/repeat"])
def test_a_page_wants_the_right_to_look(scene, browser, path, role, method, status):
    scene.dead(A)
    assert getattr(browser(role), method)(path).status_code == status


def test_the_head_of_a_queue_leads_here(scene, browser):
    scene.dead(A)
    html = browser().get("/q/prod/orders/dead").content.decode()
    assert URL in {a.get("href") for _, a in tags(html)}
    assert rows(html)
