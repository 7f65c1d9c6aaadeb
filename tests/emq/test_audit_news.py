"""What came to audit streams: oldest first, a few at a time, for many queues in one look."""

from __future__ import annotations

import msgpack
import pytest
from redis.exceptions import AuthenticationError

from echomq_admin.emq import EchoMQ
from echomq_admin.emq.audit import place
from echomq_admin.emq.audit_news import IS_FULL, LAST, Stream, after, news, streams
from tests.emq.reading import CountingClient

AUDIT = "emqadmin:{orders}:audit"


def write(client, queue="orders", **fields):
    entry = {"op": "pause", "op_id": "x", "actor": "olena", "t": 5, "n": 0, "jobs": b"\x90"}
    return client.xadd(f"emqadmin:{{{queue}}}:audit", entry | fields).decode()


def ids(piece):
    return [raw.entry.entry_id for raw in piece.entries]


def test_entries_come_oldest_first_behind_an_id_in_two_round_trips(client, server_port):
    written = [write(client) for _ in range(25)]
    with CountingClient(port=server_port) as counting:
        piece = after(counting, "orders", written[2])
        assert counting.trips == 2
    assert ids(piece) == written[3:13]
    assert not piece.is_end
    last = after(client, "orders", written[19])
    assert ids(last) == written[20:]
    assert last.is_end


def test_an_entry_keeps_what_its_script_packed(client):
    EchoMQ(client).pause("orders", actor="olena", op_id="click-1")
    write(client, jobs=b"\xc1", detail=msgpack.packb({"a": 1}))
    sound, broken = after(client, "orders", "0-0").entries
    assert (sound.entry.op, sound.entry.actor, sound.jobs) == ("pause", "olena", b"\x90")
    assert (broken.jobs, broken.detail) == (b"\xc1", b"\x81\xa1a\x01")
    assert broken.entry.fault == "jobs cannot be read"


def test_a_stream_says_how_many_it_ever_held_and_what_is_left(client):
    written = [write(client) for _ in range(8)]
    client.xtrim(AUDIT, minid=written[2], approximate=False)
    client.xdel(AUDIT, written[4], written[7])
    assert after(client, "orders", written[5]).stream == Stream(
        length=4, added=8, first_id=written[2], last_id=written[7], deleted_id=written[7]
    )


def test_a_stream_that_is_not_there_is_empty(client):
    piece = after(client, "orders", "0-0")
    assert (piece.entries, piece.is_end, piece.fault) == ((), True, None)
    assert piece.stream == Stream(0, 0, "0-0", "0-0")


def test_a_key_that_is_no_stream_is_a_fault(client):
    client.set(AUDIT, "x")
    assert after(client, "orders", "0-0").fault == "the key holds another type"


def test_a_user_who_may_not_ask_for_the_stream_still_gets_its_entries(client, server_port):
    written = write(client)
    client.acl_setuser("look", enabled=True, nopass=True, keys=["*"], commands=["+xrange"])
    with CountingClient(port=server_port, username="look", password="x") as look:
        piece = after(look, "orders", "0-0")
    client.acl_deluser("look")
    assert (ids(piece), piece.stream) == ([written], None)


def test_the_queues_with_news_are_found_in_one_look(client, server_port):
    seen = write(client, "old")
    write(client, "new")
    client.set("emqadmin:{odd}:audit", "x")
    with CountingClient(port=server_port) as counting:
        found, faults = news(counting, {"old": seen, "new": "0-0", "odd": "0-0", "none": "0-0"})
        assert counting.trips == 1
    assert found == ("new",)
    assert faults == {"odd": "the key holds another type"}


def test_streams_are_told_but_for_those_that_cannot_be_read(client):
    write(client, "old")
    client.set("emqadmin:{odd}:audit", "x")
    told = streams(client, ["old", "odd", "none"])
    assert {queue: stream.length for queue, stream in told.items()} == {"old": 1, "none": 0}


def test_trouble_with_the_server_is_raised(client, server_port):
    with (
        CountingClient(port=server_port, username="nobody", password="x") as stranger,
        pytest.raises(AuthenticationError),
    ):
        news(stranger, {"orders": "0-0"})


@pytest.mark.parametrize(
    ("text", "at"), [("5-1", (5, 1)), ("7", (7, 0)), ("10-9", (10, 9)), ("0-0", (0, 0))]
)
def test_ids_are_in_the_order_of_their_numbers(text, at):
    assert place(text) == at


def sent_by(client, ask) -> int:
    """How many bytes a server sent for it."""
    before = client.info("stats")["total_net_output_bytes"]
    ask()
    return client.info("stats")["total_net_output_bytes"] - before


@pytest.mark.parametrize("at", [0, 8])
def test_an_entry_that_is_large_is_not_asked_for_again(client, at):
    written = [write(client, detail=b"x" * (20_000_000 if n == at else 1)) for n in range(9)]
    for ask in (
        lambda: after(client, "orders", written[-1]),
        lambda: streams(client, ["orders"]),
    ):
        assert sent_by(client, ask) < 1_000_000
    told = after(client, "orders", written[-1])
    assert told.stream == Stream(9, 9, written[0], written[-1])
    assert streams(client, ["orders"]) == {"orders": told.stream}


def test_of_a_large_stream_a_user_without_scripts_still_gets_the_entries(client, server_port):
    written = [write(client, detail=b"x" * 5_000_000), write(client)]
    client.acl_setuser("look", enabled=True, nopass=True, keys=["*"], commands=["+@read"])
    with CountingClient(port=server_port, username="look", password="x") as look:
        piece = after(look, "orders", written[0])
    client.acl_deluser("look")
    assert (ids(piece), piece.stream, piece.fault) == (written[1:], None, None)


def test_a_stream_to_which_nothing_can_be_added_is_a_fault_until_it_is_another(client):
    client.xadd(AUDIT, {"a": "b"}, id=LAST)
    assert ids(after(client, "orders", "0-0")) == [LAST]
    assert after(client, "orders", LAST).fault == IS_FULL
    client.xdel(AUDIT, LAST)
    assert after(client, "orders", LAST).fault == IS_FULL
    client.delete(AUDIT)
    assert after(client, "orders", LAST).fault is None
    assert after(client, "orders", LAST).stream == Stream(0, 0, "0-0", "0-0")
    assert news(client, {"orders": LAST}) == (("orders",), {})
