"""Actions on what the console keeps of a queue: who may, what they write, what stops them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import OperationalError

from echomq_admin.emq.audit import tail
from echomq_admin.fleet import discovery, preferences, servers
from echomq_admin.fleet.models import QueueChange
from echomq_admin.operations import services
from echomq_admin.operations.actions import ACTIONS, Role
from echomq_admin.operations.services import Call, Invalid, NotAllowed, ReadOnly, Trouble
from tests.operations.conftest import dump
from tests.operations.scenes import IN_CONSOLE, Q, pending
from tests.valkey import free_port

pytestmark = pytest.mark.usefixtures("main")

ARGS = {"set_queue": {"max_stalled": 3, "lease_ms": "60000", "note": "ours\r\ntoo"}}
WORDS = {"set_queue": ("--max-stalled", "3", "--lease-ms", "60000", "--note", "ours\ntoo")}
SAID = {
    "add_queue": "queue orders added by name",
    "forget_queue": "queue orders is no longer kept by name",
    "set_queue": "queue orders: max stalled 3, lease 60,000 ms, note written",
    "hide_queue": "queue orders hidden from the overview",
    "unhide_queue": "queue orders shown on the overview again",
}
BEFORE = {
    "forget_queue": lambda: preferences.add("main", Q, "x"),
    "unhide_queue": lambda: preferences.change("main", Q, "x", hidden=True),
}


def scene(client, verb: str) -> Call:
    pending(client)
    BEFORE.get(verb, lambda: None)()
    QueueChange.objects.all().delete()
    return Call(verb, "main", Q, args=ARGS.get(verb, {}))


def changes():
    rows = QueueChange.objects.order_by("pk")
    return [(row.by, row.what, row.before, row.after) for row in rows]


EXPECTED = {
    "add_queue": [("added", "no", "yes")],
    "forget_queue": [("added", "yes", "no")],
    "set_queue": [
        ("max_stalled", "", "3"),
        ("lease_ms", "", "60000"),
        ("note", "", "ours\ntoo"),
    ],
    "hide_queue": [("hidden", "no", "yes")],
    "unhide_queue": [("hidden", "yes", "no")],
}


@pytest.mark.parametrize("verb", IN_CONSOLE)
@pytest.mark.parametrize("role", ["nobody", "viewer", "operator", "admin"])
def test_those_who_may_change_it_and_it_is_on_record(client, member, role, verb):
    call = scene(client, verb)
    if role == "admin" or (role == "operator" and ACTIONS[verb].role is Role.OPERATOR):
        assert services.perform(member(role), call).sentence == SAID[verb]
        assert changes() == [(f"{role}-user", *change) for change in EXPECTED[verb]]
    else:
        with pytest.raises(NotAllowed, match=f"the role {ACTIONS[verb].role}"):
            services.perform(member(role), call)
        assert changes() == []


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_somebody_who_is_not_signed_in_may_nothing(client, verb):
    call = scene(client, verb)
    with pytest.raises(NotAllowed):
        services.perform(AnonymousUser(), call)
    assert changes() == []


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_the_server_is_sent_nothing(client, member, verb):
    call = scene(client, verb)
    before = dump(client)
    services.perform(member("admin"), call)
    assert dump(client) == before
    assert tail(client, Q).entries == ()


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_the_same_again_changes_nothing_and_says_so(client, member, verb):
    call = scene(client, verb)
    services.perform(member("admin"), call)
    before = changes()
    assert "nothing was changed" in services.perform(member("admin"), call).sentence
    assert changes() == before


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_a_read_only_console_refuses_it_with_the_reason(client, member, settings, verb):
    call = scene(client, verb)
    settings.EMQ_READ_ONLY = True
    with pytest.raises(ReadOnly, match="EMQ_READ_ONLY"):
        services.perform(member("admin"), call)
    assert changes() == []


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_a_server_that_takes_no_changes_is_no_obstacle(client, member, verb):
    client.set("{emq}:version", "echomq:9.0.0")
    assert services.perform(member("admin"), scene(client, verb)).sentence == SAID[verb]


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_a_server_out_of_reach_is_none_for_a_queue_that_is_remembered(
    client, member, settings, verb
):
    call = scene(client, verb)
    discovery.discover(servers.server("main"))
    settings.EMQ_SERVERS = f"main=redis://127.0.0.1:{free_port()}"
    assert services.perform(member("admin"), call).sentence == SAID[verb]


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_a_database_that_does_not_take_it_is_told(client, member, monkeypatch, verb):
    def locked(*_, **__):
        raise OperationalError("database is locked")

    call = scene(client, verb)
    for name in ("add", "drop", "change"):
        monkeypatch.setattr(preferences, name, locked)
    with pytest.raises(Trouble) as refused:
        services.perform(member("admin"), call)
    assert refused.value.sentence == (
        "The console's database did not take this (database is locked). Nothing was changed. "
        f"Press {'Save' if verb == 'set_queue' else ACTIONS[verb].label} again."
    )


@pytest.mark.parametrize("verb", sorted(set(IN_CONSOLE) - {"add_queue"}))
def test_a_queue_that_does_not_exist_is_refused(do, verb):
    with pytest.raises(Invalid, match="Server main has no queue oders"):
        do(verb, queue="oders")


@pytest.mark.parametrize("verb", IN_CONSOLE)
def test_it_is_a_verb_of_the_command(client, emq_command, admin, verb):
    scene(client, verb)
    ran = emq_command(verb, Q, *WORDS.get(verb, ()), "--as", admin)
    assert (ran.code, ran.out, ran.err) == (0, f"{SAID[verb]}\n", "")
    assert changes() == [("admin-user", *change) for change in EXPECTED[verb]]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"max_stalled": "0"}, "Max stalled must be from 1 to 1,000."),
        ({"max_stalled": "three"}, "Max stalled must be a whole number."),
        ({"lease_ms": "604800001"}, "Lease length must be from 1 to 604,800,000."),
        ({"lease_ms": "\x00"}, "Lease length must be a whole number."),
        ({"note": "a\x00b"}, "Note holds a byte that is no character of a text."),
        ({"note": "\udcff"}, "Note holds a byte that is no character of a text."),
        ({"note": "\ud800"}, "Note holds a character that cannot be written as bytes."),
        ({"note": "x" * 2_001}, "Note has 2,001 characters; at most 2,000 are kept."),
    ],
)
def test_values_out_of_range_change_nothing(client, do, args, why):
    pending(client)
    with pytest.raises(Invalid) as refused:
        do("set_queue", **({"max_stalled": 5, "note": "kept"} | args))
    assert refused.value.sentence == why
    assert preferences.all_settings("main") == {}


def test_what_is_not_given_stays_and_what_is_empty_goes(client, do):
    pending(client)
    do("set_queue", max_stalled=3, lease_ms=9, note="ours")
    assert do("set_queue", max_stalled="").sentence == (
        "queue orders: max stalled back to its default"
    )
    assert preferences.own("main", Q) == preferences.Own(None, 9, "ours", False)
    assert do("set_queue", lease_ms=" ", note="  ").sentence == (
        "queue orders: lease back to its default, note taken away"
    )
    assert preferences.all_settings("main") == {}


def test_a_forgotten_queue_without_keys_is_gone_at_once_and_one_with_keys_stays(client, do):
    for queue in (Q, "empty"):
        do("add_queue", queue=queue)
    pending(client)
    for queue in (Q, "empty"):
        do("forget_queue", queue=queue)
    assert dict(discovery.known("main")) == {Q: ()}


def test_a_queue_added_by_hand_outlives_passes_until_it_is_forgotten(client, do, settings):
    do("add_queue", queue="to come")
    discovery.discover(servers.server("main"))
    assert discovery.added_queues("main") == set(discovery.known("main")) == {"to come"}
    url, settings.EMQ_SERVERS = settings.EMQ_SERVERS, f"main=redis://127.0.0.1:{free_port()}"
    do("forget_queue", queue="to come")
    assert set(discovery.known("main")) == {"to come"}
    settings.EMQ_SERVERS = url
    discovery.discover(servers.server("main"))
    assert set(discovery.known("main")) == set()


def test_the_lanes_of_an_added_queue_are_forgotten_like_others(client, do):
    do("add_queue")
    client.zadd("emq:{orders}:g:L:pending", {"a": 0})
    discovery.discover(servers.server("main"))
    client.flushall()
    discovery.discover(servers.server("main"))
    assert dict(discovery.known("main")) == {Q: ()}
