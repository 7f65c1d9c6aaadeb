"""A server that is down, slow to come back, or not what it was."""

from __future__ import annotations

import time

import pytest
import redis

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, lookout, servers, snapshot
from tests.console.scene import HX, A, B, Scene, dump, keys_of, rows, tags, text, value
from tests.fleet.stuck import mute
from tests.operations.wire_cut import wire
from tests.valkey import free_port, valkey

SWEEP = ("op_id", "seen", "shown", "take", "max_stalled", "limit")
PATHS = ["/", *(f"/q/prod/orders/{tab}" for tab in ("active", "pending", "dead", "audit", "sweep"))]


@pytest.fixture
def port(settings, db) -> int:
    """A port where a server may run or not."""
    number = free_port()
    settings.EMQ_SERVERS = f"prod=redis://user:secret@127.0.0.1:{number}/0?connect_ms=500"
    return number


def users(number: int) -> redis.Redis:
    client = redis.Redis(port=number)
    client.execute_command("ACL", "SETUSER", "user", "on", ">secret", "~*", "&*", "+@all")
    return client


@pytest.mark.parametrize("path", PATHS)
def test_every_page_of_a_server_that_is_down_is_a_page(port, signed_in, path):
    answer = signed_in().get(path)
    html = answer.content.decode()
    assert answer.status_code == (200 if path == "/" else 503)
    assert "Out of reach:" in text(html)
    assert f"127.0.0.1:{port}" in html
    assert "secret" not in html


@pytest.mark.parametrize("path", PATHS[1:])
def test_a_poll_of_a_server_that_is_down_is_one_sentence(port, signed_in, path):
    answer = signed_in().get(path, headers=HX)
    assert answer.status_code == 503
    assert answer["Content-Type"].startswith("text/plain")
    assert "secret" not in answer.content.decode()


def test_a_page_shows_what_was_last_seen_and_recovers_alone(port, signed_in):
    who = signed_in()
    with valkey(port=port), users(port) as client:
        Scene(client, "orders").dead(A)
        discovery.discover(servers.server("prod"))
        assert who.get("/q/prod/orders/dead").status_code == 200
    snapshot.refresh(servers.server("prod"))
    answer = who.get("/q/prod/orders/dead")
    assert answer.status_code == 503
    said = text(answer.content.decode())
    assert "Last seen" in said
    assert "Dead 1" in said
    with valkey(port=port), users(port) as client:
        Scene(client, "orders").dead(A)
        snapshot.refresh(servers.server("prod"))
        answer = who.get("/q/prod/orders/dead")
        assert answer.status_code == 200
        assert A in rows(answer.content.decode())[0]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("setting", ["bad", "a=", "a=http://x", "a=redis://h a=redis://h"])
def test_a_setting_that_cannot_be_read_is_a_page_with_its_sentence(
    settings, signed_in, path, setting
):
    settings.EMQ_SERVERS = setting
    answer = signed_in().get(path)
    assert answer.status_code == 503
    assert "EMQ_SERVERS: " in text(answer.content.decode())
    answer = signed_in().get(path, headers=HX)
    assert answer.status_code == 503
    assert answer.content.startswith(b"EMQ_SERVERS: ")
    assert signed_in().get("/nowhere").status_code == 404


def test_a_stuck_server_holds_up_no_page_of_another(scene, browser, settings, monkeypatch):
    monkeypatch.setattr(lookout, "PATIENCE_S", 4.0)
    scene.dead(A)
    who = browser()
    with mute() as port:
        settings.EMQ_SERVERS += f" stuck=redis://127.0.0.1:{port}/0?read_ms=60000"
        started = time.monotonic()
        assert who.get("/").status_code == 200
        assert time.monotonic() - started < 7.5
        assert who.get("/q/prod/orders/dead").status_code == 200
        assert who.get("/q/stuck/orders/dead").status_code == 503
        assert time.monotonic() - started < 8.0


@pytest.mark.parametrize("path", PATHS[:3])
def test_a_server_that_dies_when_its_facts_have_passed_their_time_is_no_trouble(
    port, signed_in, path
):
    who = signed_in()
    prod = servers.server("prod")
    with valkey(port=port), users(port) as client:
        Scene(client, "orders").dead(A)
        discovery.discover(prod)
        assert who.get(path).status_code == 200
    prod._facts = None
    answer = who.get(path)
    assert answer.status_code == (200 if path == "/" else 503)


def test_a_press_while_the_server_is_down_keeps_the_form_for_another_try(port, signed_in):
    who = signed_in()
    with valkey(port=port), users(port) as client:
        Scene(client, "orders").dead(A)
        discovery.discover(servers.server("prod"))
        found = keys_of(who.get("/q/prod/orders/dead").content.decode())
    snapshot.refresh(servers.server("prod"))
    answer = who.post("/q/prod/orders/requeue", {"only": found[A], "op_id": "a" * 32})
    assert answer.status_code == 503
    assert "secret" not in answer.content.decode()
    assert "Nothing was sent, so nothing was changed" in text(answer.content.decode())
    snapshot.refresh(servers.server("prod"))
    answer = who.post("/q/prod/orders/requeue", {"only": found[A]}, headers=HX)
    said = answer.content.decode()
    assert said.startswith("Nothing was sent, so nothing was changed: prod cannot be read")
    assert said.endswith("Press Requeue again once it answers.")


def test_what_was_typed_is_kept_while_the_server_is_down(port, signed_in):
    who = signed_in()
    typed = {"job": [f"1:0:{A}", f"1:0:{B}"], "lease_ms": "60000", "reason": "slow\r\nworker"}
    with valkey(port=port), users(port) as client:
        Scene(client, "orders").active(A, 30_000)
        discovery.discover(servers.server("prod"))
    snapshot.refresh(servers.server("prod"))
    answer = who.post("/q/prod/orders/extend", typed)
    html = answer.content.decode()
    assert answer.status_code == 503
    assert "No answer from prod" in text(html)
    assert "Nothing was sent, so nothing was changed" in text(html)
    kept = [(a["name"], a["value"]) for tag, a in tags(html) if a.get("type") == "hidden"]
    for name, one in [("job", f"1:0:{A}"), ("job", f"1:0:{B}"), ("lease_ms", "60000")]:
        assert (name, one) in kept
    assert value(html, "reason") == "slow\r\nworker"


def test_a_sweep_that_is_done_is_told_when_the_server_is_lost_after_it(scene, browser, monkeypatch):
    scene.active(A, -5_000)
    scene.active(B, -5_000)
    who = browser()
    html = who.get("/q/prod/orders/sweep").content.decode()
    data = {name: value(html, name) for name in SWEEP}
    scene.store.zrem(scene.key("active"), B)

    def lost(*_args):
        raise redis.ConnectionError("the connection was lost")

    monkeypatch.setattr("echomq_admin.console.sweeps.whereabouts", lost)
    said = text(who.post("/q/prod/orders/sweep", data, follow=True).content.decode())
    assert "1 recovered" in said
    assert "1 was not swept: what became of it could not be read." in said


@pytest.fixture
def cut(settings, scene, server_port):
    """A wire to a server that knows the scripts; it can swallow the answer of one."""
    EchoMQ(scene.store).requeue("orders", ["JOB0KHTOWnGLuZ"])
    with wire(server_port) as made:
        settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{made.port}/0"
        yield made


def test_a_lost_answer_can_be_asked_for_again_and_moves_nothing_twice(cut, scene, browser):
    scene.dead(A)
    who = browser()
    html = who.get("/q/prod/orders/dead").content.decode()
    data = {"only": keys_of(html)[A], "op_id": value(html, "op_id"), "look": ""}
    cut.cut_after = b"EVALSHA"
    answer = who.post("/q/prod/orders/requeue", data)
    again = answer.content.decode()
    assert answer.status_code == 503
    assert "No answer from prod" in text(again)
    assert {name: value(again, name) for name in data} == data
    cut.cut_after = None
    scene.store.zrem(scene.key("pending"), A)
    scene.store.zadd(scene.key("dead"), {A: 0})
    answer = who.post("/q/prod/orders/requeue", data, follow=True)
    assert " requeued" in text(answer.content.decode())
    assert scene.members("dead") == [A.encode()]
    assert scene.store.xlen(scene.admin + b"audit") == 1


def test_a_lost_answer_under_htmx_is_one_sentence(cut, scene, browser):
    scene.dead(A)
    who = browser()
    html = who.get("/q/prod/orders/dead").content.decode()
    cut.cut_after = b"EVALSHA"
    answer = who.post("/q/prod/orders/requeue", {"only": keys_of(html)[A]}, headers=HX)
    assert answer.status_code == 503
    assert answer["Content-Type"].startswith("text/plain")
    assert "Press Requeue again: nothing moves twice" in answer.content.decode()


@pytest.mark.parametrize("word", ["READONLY", "NOPERM"])
def test_a_server_that_refuses_writes_says_so_and_changes_nothing(scene, browser, word):
    scene.dead(A)
    who = browser()
    found = keys_of(who.get("/q/prod/orders/dead").content.decode())
    before = dump(scene.store)
    undo = refuse(scene.store, word)
    try:
        answer = who.post("/q/prod/orders/requeue", {"only": found[A]}, follow=True)
        assert answer.status_code in {200, 503}
        assert " requeued" not in text(answer.content.decode())
    finally:
        undo()
    assert dump(scene.store) == before
    answer = who.post("/q/prod/orders/requeue", {"only": found[A]}, follow=True)
    assert " requeued" in text(answer.content.decode())


def refuse(store: redis.Redis, word: str):
    """Make the server refuse writes in one way; returns what takes it back."""
    if word == "READONLY":
        # A replica of a primary that is not there keeps its data and answers reads.
        store.replicaof("127.0.0.1", 1)
        return lambda: store.replicaof("NO", "ONE")
    store.execute_command("ACL", "SETUSER", "default", "-evalsha", "-eval")
    return lambda: store.execute_command("ACL", "SETUSER", "default", "+@all")


def test_five_hundred_polls_open_no_more_connections(scene, browser):
    scene.dead(A)
    who = browser()
    who.get("/q/prod/orders/dead")
    before = len(scene.store.client_list())
    for _ in range(500):
        assert who.get("/q/prod/orders/dead", headers=HX).status_code == 200
    assert len(scene.store.client_list()) <= before + 1


@pytest.fixture
def signed_in(db):
    from django.contrib.auth.models import Group, User
    from django.test import Client

    def made() -> Client:
        user, _ = User.objects.get_or_create(username="olena")
        user.groups.set([Group.objects.get(name="operator")])
        client = Client()
        client.force_login(user)
        return client

    return made


def test_a_page_of_a_server_that_is_down_leads_to_what_the_console_knows_itself(port, signed_in):
    html = signed_in().get(f"/q/prod/orders/job/{A}").content.decode()
    hrefs = [a.get("href") for tag, a in tags(html) if tag == "a"]
    assert f"/q/prod/orders/job/{A}/history" in hrefs
    assert "/q/prod/orders/chart" in hrefs
    assert signed_in().get(f"/q/prod/orders/job/{A}/history").status_code in {200, 404}
