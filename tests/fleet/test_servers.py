"""EMQ_SERVERS, the clients made of it, and what each server says of itself."""

from __future__ import annotations

import logging

import pytest
import redis

from echomq_admin.fleet import servers
from echomq_admin.fleet.servers import (
    Server,
    UnknownServer,
    parse,
    read_only_reason,
    trouble,
)
from tests.valkey import free_port, valkey
from tests.waiting import wait_for

FENCE = "{emq}:version"


def test_entries_are_separated_by_any_white_space_and_keep_their_order():
    text = " prod=redis://a:1/0\n\tb-2=unix:///run/x.sock?db=1  c=rediss://h "
    assert list(parse(text)) == ["prod", "b-2", "c"]
    assert parse(text)["b-2"] == "unix:///run/x.sock?db=1"
    assert parse("") == {}


@pytest.mark.parametrize(
    "text",
    [
        "redis://olena:s3cret@h:1/0",
        "Prod=redis://olena:s3cret@h",
        "=redis://olena:s3cret@h",
        "a_b=redis://olena:s3cret@h",
        "ok=redis://h redis://olena:s3cret@h?pool=3",
        "a=redis://olena:s3cret@h a=redis://h",
        "a=http://olena:s3cret@h",
        "a=redis://olena:s3cret@h?pool=x",
        "a=redis://olena:s3cret@h/db",
        "a=redis://olena:s3cret@h:port",
        "a=redis://olena:s3cret#x@h",
        "a=redis://olena:s3cret/x@h",
        "a=redis://olena:s3?cret@h",
        "a=redis://olena:x?s3cret@h",
        "a=redis://olena:s3cret@[h",
        "a=redis://olena:[s3cret]@h",
        "a=redis://:12?s3cret@h",
        "a=redis://olena:s3cret@h?s3cret=1",
    ],
)
def test_an_entry_that_cannot_be_read_is_refused_without_its_password(settings, text):
    settings.EMQ_SERVERS = text
    with pytest.raises(ValueError, match="EMQ_SERVERS") as refusal:
        servers.servers()
    assert "s3cret" not in str(refusal.value)
    assert "cret" not in str(refusal.value)
    assert refusal.value.__context__ is None or refusal.value.__suppress_context__


def test_servers_are_made_once_for_each_value_of_the_setting(settings, server_url):
    settings.EMQ_SERVERS = f"prod={server_url}"
    first = servers.servers()
    assert servers.servers() == first
    assert servers.server("prod") is first[0]
    settings.EMQ_SERVERS = f"prod={server_url} other={server_url}"
    assert [server.name for server in servers.servers()] == ["prod", "other"]
    assert servers.server("prod") is not first[0]


@pytest.mark.parametrize("name", ["other", "", "PROD", "<b>"])
def test_a_server_that_is_not_configured_is_unknown(prod, name):
    with pytest.raises(UnknownServer):
        servers.server(name)


def test_no_password_is_in_any_text_about_a_server(settings, caplog):
    port = free_port()
    settings.EMQ_SERVERS = f"prod=redis://olena:s3cret@127.0.0.1:{port}/2?connect_ms=200"
    server = servers.server("prod")
    with pytest.raises(redis.ConnectionError) as refusal:
        server.facts()
    logging.getLogger("echomq_admin").error("%s %r", server, server, exc_info=refusal.value)
    texts = [repr(server), str(server), server.target, trouble(server, refusal.value)]
    assert "s3cret" not in "".join([*texts, caplog.text, str(refusal.value)])
    assert server.target == f"redis://127.0.0.1:{port}/2"
    assert trouble(server, refusal.value).startswith(f"prod cannot be read at {server.target}: ")


def test_a_refused_password_is_told_and_not_repeated(settings):
    with valkey() as port, redis.Redis(port=port) as owner:
        owner.config_set("requirepass", "right")
        settings.EMQ_SERVERS = f"prod=redis://:s3cret@127.0.0.1:{port}"
        server = servers.server("prod")
        with pytest.raises(redis.RedisError) as refusal:
            server.facts()
        assert trouble(server, refusal.value).endswith("it refuses this user or password.")


def test_a_server_that_repeats_what_it_was_sent_gives_no_password_away(settings):
    settings.EMQ_SERVERS = "prod=redis://olena:s3cret@h"
    echo = redis.ResponseError("unknown command 'HELLO', with args: '3' 'AUTH' 'olena' 's3cret'")
    assert trouble(servers.server("prod"), echo).endswith("'3' 'AUTH' '***' '***'.")


def test_the_words_of_the_console_are_never_masked(settings):
    settings.EMQ_SERVERS = "prod=redis://u:e@h user=redis://user:password@h"
    short, plain = servers.servers()
    refused = redis.AuthenticationError("WRONGPASS")
    assert trouble(short, refused).endswith("it refuses this user or password.")
    assert trouble(plain, refused).endswith("it refuses this user or password.")
    assert servers.masked(short, "u fold") == "u fold"
    assert servers.masked(plain, "no user has the password") == "no *** has the ***"


@pytest.mark.parametrize("text", ["bad", "a=", "a=http://x", "a=redis://h a=redis://h"])
def test_a_setting_that_cannot_be_read_has_an_error_of_its_own(settings, text):
    settings.EMQ_SERVERS = text
    with pytest.raises(servers.UnreadableSetting, match="EMQ_SERVERS"):
        servers.servers()


def test_facts_are_read_once_and_kept(prod, client):
    facts = prod.facts()
    assert (facts.fence, facts.role, facts.mode) == (None, "master", "standalone")
    assert facts.version.startswith("valkey ")
    assert facts.read_only is None
    client.set(FENCE, "echomq:9.0.0")
    assert prod.facts() is facts


@pytest.mark.parametrize("fence", ["echomq:2.4.2", "echomq:3.0.0", "echomq:3", "echomq:3.1.0-rc.1"])
def test_the_known_fences_let_work_be_done(prod, client, fence):
    client.set(FENCE, fence)
    assert prod.facts().fence == fence
    assert read_only_reason(prod) is None


@pytest.mark.parametrize(
    "fence",
    ["echomq:1.9.0", "echomq:4.0.0", "echomq:30.1", "bullmq:3.0.0", "3.0.0", "", "\n", b"\xff",
     "echomq:3.0.0\n", "<b>", "echomq:3" * 100_000],
)  # fmt: skip
def test_any_other_fence_makes_the_server_read_only_with_the_reason(prod, client, fence):
    client.set(FENCE, fence)
    reason = read_only_reason(prod)
    assert "does not know" in reason
    assert len(reason) < 1000


def test_a_fence_of_the_wrong_type_makes_the_server_read_only(prod, client):
    client.hset(FENCE, "a", "b")
    assert prod.facts().fence is None
    assert "cannot be read" in read_only_reason(prod)


def test_a_replica_is_read_only_with_the_reason(settings, server_port):
    with valkey("--replicaof", "127.0.0.1", str(server_port)) as port:
        settings.EMQ_SERVERS = f"copy=redis://127.0.0.1:{port}"
        copy = servers.server("copy")
        assert copy.facts().role == "slave"
        assert "replica" in read_only_reason(copy)


def test_only_names_that_spread_over_slots_are_read_only_on_a_cluster(settings):
    options = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
    with valkey(*options) as port, redis.Redis(port=port) as node:
        node.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
        wait_for(lambda: node.cluster("info")["cluster_state"] == "ok")
        settings.EMQ_SERVERS = f"ring=redis://127.0.0.1:{port}"
        ring = servers.server("ring")
        assert ring.facts().mode == "cluster"
        assert "several slots" in read_only_reason(ring, "")
        assert "several slots" in read_only_reason(ring, "a}b")
        assert read_only_reason(ring, "orders") is None


def test_odd_names_are_worked_on_outside_a_cluster(prod):
    assert read_only_reason(prod, "") is None
    assert read_only_reason(prod, "a}b") is None


def test_a_console_set_to_read_only_says_so_without_asking(settings):
    settings.EMQ_READ_ONLY = True
    settings.EMQ_SERVERS = f"prod=redis://127.0.0.1:{free_port()}"
    assert "read only" in read_only_reason(servers.server("prod"))


def test_a_user_who_may_only_read_gets_the_facts_that_he_may_know(settings, client, server_port):
    client.set(FENCE, "echomq:3.0.0")
    client.acl_setuser(
        "reader", enabled=True, nopass=True, keys=["*"], commands=["+@read", "+time", "+ping"]
    )
    try:
        settings.EMQ_SERVERS = f"prod=redis://reader:x@127.0.0.1:{server_port}"
        facts = servers.server("prod").facts()
        assert (facts.fence, facts.version, facts.role) == ("echomq:3.0.0", "?", "?")
    finally:
        client.acl_deluser("reader")


def test_a_hundred_reads_share_one_bounded_pool(prod, client):
    for _ in range(100):
        prod.client.ping()
    mine = [one for one in client.client_list() if one["name"] == "echomq-admin"]
    assert len(mine) == 1


def test_forgetting_closes_every_connection(prod, client):
    assert isinstance(prod, Server)
    prod.client.ping()
    servers.forget()
    assert not [one for one in client.client_list() if one["name"] == "echomq-admin"]
