"""`emq preview`: what the sweep of the same arguments would do, and nothing done."""

import re

from echomq_admin.fleet import preferences
from tests.operations.conftest import dump
from tests.operations.scenes import A, B, C, P, Q, active


def scene(client):
    active(client, A, 1)
    active(client, B, 2)
    client.hset(P + b"job:" + B.encode(), "stalled", 1)
    client.zadd(P + b"active", {C: 3})


def test_each_lapsed_lease_is_listed_with_its_fate(emq_command, client, viewer):
    scene(client)
    before = dump(client)
    ran = emq_command("preview", f"main/{Q}", "--max-stalled", "2", "--as", viewer)
    assert ran.code == 0
    first, second, third, whole = ran.out.splitlines()
    assert re.fullmatch(rf"{A} attempts=1 stalled=0 lapsed .+ ago -> recovered", first)
    assert re.fullmatch(rf"{B} attempts=1 stalled=1 lapsed .+ ago -> dead", second)
    assert re.fullmatch(rf"{C} row missing, lapsed .+ ago -> row missing, id dropped", third)
    assert whole == (
        "3 of 3 lapsed, a sweep now at max stalled 2: "
        "1 recovered, 1 dead, 1 row missing, id dropped"
    )
    assert dump(client) == before


def test_a_sweep_takes_the_max_stalled_of_its_queue_and_says_so(
    emq_command, client, operator, settings
):
    scene(client)
    words = (Q, "--as", operator)
    default = emq_command("preview", *words).out
    assert "at max stalled 1 (the protocol's default)" in default
    settings.EMQ_QUEUES = "ord*:max_stalled=4"
    assert "at max stalled 4 (pattern ord* of EMQ_QUEUES)" in emq_command("preview", *words).out
    preferences.change("main", Q, "x", max_stalled=3)
    assert "at max stalled 3 (set for this queue)" in emq_command("preview", *words).out
    assert "at max stalled 2: " in emq_command("preview", *words, "--max-stalled", "2").out
    ran = emq_command("sweep", *words)
    assert "max stalled 3: set for this queue" in ran.out.splitlines()
    assert "2 recovered" in ran.out


def test_a_sweep_does_not_guess_what_cannot_be_read(emq_command, client, operator, settings):
    scene(client)
    settings.EMQ_QUEUES = "nonsense"
    before = dump(client)
    for verb in ("preview", "sweep"):
        ran = emq_command(verb, Q, "--as", operator)
        assert (ran.code, "or give --max-stalled" in ran.err) == (2, True)
    assert dump(client) == before
    assert emq_command("preview", Q, "--max-stalled", "2", "--as", operator).code == 0


def test_a_preview_and_a_sweep_of_the_same_words_agree(emq_command, client, operator):
    scene(client)
    words = (Q, "--limit", "2", "--json", "--as", operator)
    seen = emq_command("preview", *words).document
    done = emq_command("sweep", *words).document
    fates = {row["job"]: row["fate"] for row in seen["leases"]}
    assert (
        fates
        == {row["job"]: row["outcome"] for row in done["outcomes"]}
        == dict.fromkeys((A, B), "dead")
    )
    assert (seen["max_stalled"], seen["limit"], seen["lapsed"]) == (1, 2, 3)
    assert all(row["remaining_ms"] < 0 for row in seen["leases"])


def test_without_a_lapsed_lease_there_is_nothing_to_say(emq_command, client, viewer):
    active(client, A)
    assert emq_command("preview", Q, "--as", viewer).out == "no lease has lapsed\n"


def test_a_sweep_that_would_be_refused_is_told(emq_command, client, viewer):
    active(client, A, 1)
    client.set(P + b"ring", "x")
    ran = emq_command("preview", Q, "--as", viewer)
    assert "the sweep itself would be refused: ring is a string, not a list" in ran.out


def test_its_bounds_are_those_of_the_sweep(emq_command, client, viewer):
    active(client, A, 1)
    ran = emq_command("preview", Q, "--max-stalled", "0", "--as", viewer)
    assert (ran.code, "Max stalled must be from 1" in ran.err) == (2, True)


def test_it_asks_for_the_role_of_a_viewer(emq_command, client, member):
    active(client, A, 1)
    ran = emq_command("preview", Q, "--as", member("nobody").username)
    assert (ran.code, ran.out) == (2, "")
    assert "role viewer" in ran.err
