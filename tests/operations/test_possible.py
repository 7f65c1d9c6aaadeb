"""Which actions a job can take as it was seen, and the words for those that it cannot."""

from __future__ import annotations

import pytest

from echomq_admin.emq import EchoMQ
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.possible import VERBS, Possible, Seen, possible
from tests.emq.orders import A, Orders

LEASE = "a worker holds its lease until noon"
CHILD = "it is a child of P, which would wait for it for ever"
WAITS = "it waits for its children"


def seen(*held: str, **facts: object) -> Seen:
    return Seen(A, frozenset(held), 3, **facts)


def of(verb: str, what: Seen) -> Possible:
    return next(one for one in possible(what, lambda _: True, None) if one.verb == verb)


def can(what: Seen) -> set[str]:
    return {one.verb for one in possible(what, lambda _: True, None) if one.is_possible}


ALWAYS = {"update_payload", "remove"}


@pytest.mark.parametrize(
    ("what", "verbs"),
    [
        (seen("pending"), ALWAYS | {"bury", "return_to_dead"}),
        (seen("lane"), ALWAYS | {"bury", "return_to_dead"}),
        (seen("schedule"), ALWAYS | {"bury", "promote_now"}),
        (seen("dead"), ALWAYS | {"requeue"}),
        (seen("active", lease=LEASE), {"update_payload", "recover_now", "extend", "bury"}),
        (seen(), ALWAYS | {"bury"}),
        (seen(flow=WAITS), ALWAYS),
        (seen("pending", flow=CHILD, is_child=True), {"update_payload", "return_to_dead"}),
        (seen("dead", flow=CHILD, is_child=True), {"update_payload", "requeue"}),
        (seen("dead", locked=True), {"update_payload", "requeue"}),
        (seen("dead", fault="unreadable row: attempts is no integer"), {"remove"}),
        (seen("dead", has_row=False), {"remove"}),
        (seen("active", has_row=False), {"remove"}),
        (seen("dead", lane_fault="it is a string"), ALWAYS),
        (seen("dead", refusal="ring is a string, not a list"), set()),
        (seen("lane", has_row=False), {"remove"}),
        (seen("lane", has_row=False, unfound="lane X"), set()),
        (seen(unread=frozenset({"group"})), ALWAYS | {"bury", "return_to_dead"}),
        (seen("dead", "pending"), ALWAYS | {"requeue", "bury", "return_to_dead"}),
        (seen("dead", "active", lease=LEASE), {"update_payload", "recover_now", "extend", "bury"}),
    ],
)  # fmt: skip
def test_what_is_possible(what, verbs):
    assert can(what) == verbs


@pytest.mark.parametrize(
    ("verb", "what", "why"),
    [
        ("requeue", seen("pending"), "It is not dead: it waits in pending."),
        ("requeue", seen("lane"), "It is not dead: it waits in its lane."),
        ("requeue", seen("active", lease=LEASE), f"It is not dead: {LEASE}."),
        ("requeue", seen(), "It is not dead: no set holds it."),
        ("requeue", seen(flow=WAITS), f"It is not dead: {WAITS}."),
        ("requeue", seen("dead", has_row=False),
         "Its row is missing: all that can be done is to remove the id."),
        ("requeue", seen("dead", fault="unreadable row: it is a list"),
         "Unreadable row: it is a list. Repair the row, or remove the job."),
        ("remove", seen("dead", refusal="ring is a string, not a list"),
         "No verb works in this queue: ring is a string, not a list."),
        ("requeue", seen("dead", "active", lease=LEASE),
         "It is active too: this would only take it out of dead, the lease stays."),
        ("promote_now", seen("schedule", "active", lease=LEASE),
         "It is active too: this would only take it out of the scheduled jobs, the lease stays."),
        ("promote_now", seen("dead"), "It is not scheduled: it is dead."),
        ("recover_now", seen("schedule"),
         "No worker holds a lease of it: it waits for its time."),
        ("bury", seen("dead"), "It is dead already."),
        ("bury", seen("pending", flow=CHILD, is_child=True),
         "It is a child of P, which would wait for it for ever."),
        ("bury", seen(flow=WAITS), "It waits for its children."),
        ("remove", seen("active", lease=LEASE), "A worker holds its lease until noon."),
        ("remove", seen("dead", locked=True),
         "It is locked: the presence marker of a worker stands."),
    ],
)  # fmt: skip
def test_why_it_is_not(verb, what, why):
    assert of(verb, what).why_not == why


@pytest.mark.parametrize(
    ("verb", "what"),
    [
        ("remove", seen("active", lease=LEASE)),
        ("remove", seen("dead", locked=True)),
        ("remove", seen("dead", flow=CHILD, is_child=True)),
        ("bury", seen("pending", flow=CHILD, is_child=True)),
        ("bury", seen(flow=WAITS)),
    ],
)
def test_force_is_offered_where_it_overrides(verb, what):
    one = of(verb, what)
    assert (one.is_possible, one.by_force) == (False, True)
    assert {"--force", "--yes"} <= set(one.options)


def test_recover_now_fits_the_lease_and_the_stalls_that_the_queue_allows():
    live, lapsed = (of("recover_now", seen("active", is_lapsed=x, max_stalled=4)) for x in (0, 1))
    assert live.note.startswith("Only for a worker that is known to be dead")
    assert lapsed.note == (
        "Its lease has lapsed: this ends it as a sweep would, for this job only."
    )
    assert "--max-stalled=4" in live.options
    assert "--max-stalled=4" in lapsed.options


def test_options_fence_by_the_token_that_was_seen_and_say_yes_where_that_is_asked():
    found = {one.verb: one.options for one in possible(seen("active"), lambda _: True, None)}
    assert found["extend"] == (f"--token={A}=3", "--lease-ms=30000")
    assert found["bury"] == (f"--token={A}=3", "--yes", "--reason=TEXT")
    assert of("remove", seen("dead", has_row=False)).options == ("--yes",)
    assert "--dedup-id=order-7" in of("remove", seen("dead", dedup_id="order-7")).options


def test_what_bars_a_job_is_said_before_the_role_that_a_person_lacks():
    barred = possible(seen("dead"), lambda verb: ACTIONS[verb].role != "admin", None)
    why = {one.verb: one.why_not for one in barred}
    assert why["remove"] == "It takes the role admin."
    assert why["bury"] == "It is dead already. It takes the role admin."
    assert why["requeue"] == ""
    assert {one.verb for one in barred if one.lacks_role} == {"remove", "update_payload"}
    for one in possible(seen("dead"), lambda _: True, "It is a replica."):
        assert (one.why_not, one.options) == ("It is a replica.", ())


def test_every_action_on_jobs_that_are_there_is_judged():
    meant = {v for v, a in ACTIONS.items() if a.target in {"job", "jobs"} and not a.creates}
    assert set(VERBS) == meant


@pytest.mark.parametrize("place", ["pending", "lane", "schedule", "dead", "active"])
def test_the_scripts_agree(client, place):
    """What is called possible is done, and what is not is refused, by the scripts themselves."""
    calls = {
        "requeue": lambda q: q.requeue("orders", [A], {A: 3})[A] == "requeued",
        "promote_now": lambda q: q.promote_now("orders", [A], {A: 3})[A] == "promoted",
        "bury": lambda q: q.bury("orders", [A], "why", {A: 3})[A] == "buried",
        "remove": lambda q: q.remove("orders", [A], {A: 3})[A] == "removed",
        "return_to_dead": lambda q: (
            q.return_to_dead("orders", {A: (3, b"", None)})[A] == "returned"
        ),
    }
    what = seen(place, lease=LEASE if place == "active" else "")
    for verb, call in calls.items():
        client.flushall()
        Orders(client).put(place, A, attempts=3, **({"group": "g"} if place == "lane" else {}))
        assert call(EchoMQ(client)) == of(verb, what).is_possible, verb
