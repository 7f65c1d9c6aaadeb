"""What the page of a job says can be done is what the scripts then do, also in odd queues."""

from __future__ import annotations

import pytest

from echomq_admin.console import job_view
from echomq_admin.emq import EchoMQ, EmqState
from echomq_admin.emq.reads import job_look
from echomq_admin.emq.standing import standings
from echomq_admin.fleet import discovery, servers
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.possible import Possible, possible
from echomq_admin.operations.verdicts import verdict
from tests.console.scene import A, B, C, tags, text
from tests.operations.states import STATES

URL = f"/q/prod/orders/job/{A}"
KEYS = ["pending", "active", "schedule", "dead", "gactive", "glimit", "paused", "ring", "wake",
        "meta", "metrics:completed", "metrics:failed", "audit"]  # fmt: skip


def judged(scene, verb: str, job_id: str = A, lanes: tuple[str, ...] = ()) -> Possible:
    look = job_look(scene.store, "orders", job_id, lanes)
    found = possible(job_view.seen(look, "orders"), lambda _: True, None)
    return next(one for one in found if one.verb == verb)


def page(browser, role: str = "admin", url: str = URL) -> str:
    return browser(role).get(url).content.decode()


@pytest.mark.parametrize("name", KEYS)
def test_a_key_of_a_wrong_type_bars_every_verb_with_the_words_of_the_scripts(scene, name):
    scene.dead(A)
    key = scene.admin + b"audit" if name == "audit" else scene.key(name)
    scene.store.delete(key)
    scene.store.set(key, "x")
    with pytest.raises(EmqState, match=f"{name} is a string"):
        EchoMQ(scene.store).requeue("orders", [A], actor="olena")
    for verb in ("requeue", "bury", "remove", "update_payload"):
        one = judged(scene, verb)
        assert one.why_not.startswith(f"No verb works in this queue: {name} is a string, not a ")
        assert not one.by_force


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("verb", ["requeue", "promote_now", "bury", "remove"])
def test_the_page_and_the_confirmation_judge_alike_in_every_state(scene, verb, state):
    STATES[state](scene)
    (job,) = standings(scene.store, "orders", [A])
    word, one = verdict(verb, job, job.attempts), judged(scene, verb)
    assert one.is_possible == (word == next(iter(ACTIONS[verb].outcomes)))
    assert one.by_force == (word in ACTIONS[verb].overrides)


@pytest.mark.parametrize(
    ("verb", "state", "place"),
    [
        ("requeue", "dead and active", "dead"),
        ("promote_now", "scheduled and active", "the scheduled jobs"),
    ],
)
def test_of_a_job_that_is_active_too_page_and_confirmation_say_the_same(
    scene, browser, verb, state, place
):
    STATES[state](scene)
    html, why = (
        page(browser),
        f"active too: this would only take it out of {place}, the lease stays",
    )
    assert f"It is {why}." in text(html).partition("Not now")[2]
    assert f"/q/prod/orders/{verb}" not in html
    asked = text(page(browser, url=f"/q/prod/orders/{verb}?job=3:0:{A}"))
    done = ACTIONS[verb].outcomes[{"requeue": "requeued", "promote_now": "promoted"}[verb]].one
    assert f"It cannot be {done} now: {why}." in asked


def test_of_many_jobs_those_that_are_active_too_are_not_said_to_be_left_as_they_are(scene, browser):
    STATES["dead and active"](scene)
    scene.dead(B)
    scene.pending(C)
    jobs = "&".join(f"job=::{job_id}" for job_id in (A, B, C))
    said = text(page(browser, url=f"/q/prod/orders/requeue?{jobs}"))
    assert (
        "Of 3 jobs, 1 can be requeued now; left as they are: 1 no longer dead; "
        "active too, and not brought back: 1."
    ) in said


@pytest.mark.parametrize(
    "fields",
    [{"parent": "p" * 9_000}, {"group": "g" * 9_000}, {"state": "s" * 9_000}],
    ids=["parent", "group", "state"],
)
def test_a_row_that_is_merely_odd_is_requeued_by_its_button(scene, browser, fields):
    scene.dead(A, **fields)
    html = page(browser, "operator")
    assert "Odd row:" in text(html)
    assert "cannot be moved" not in text(html)
    press = next(a["value"] for tag, a in tags(html) if a.get("name") == "only")
    assert press == f"3:0:{A}"
    assert EchoMQ(scene.store).requeue("orders", [A], {A: 3})[A] == "requeued"


def test_a_row_with_nothing_but_an_error_and_stalls_is_requeued(scene):
    scene.store.hset(scene.key(f"job:{A}"), mapping={"last_error": "x", "stalled": 1})
    scene.store.zadd(scene.key("dead"), {A: 0})
    assert judged(scene, "requeue").is_possible
    assert EchoMQ(scene.store).requeue("orders", [A])[A] == "requeued"


@pytest.mark.parametrize(
    ("attempts", "is_sound"),
    [("9007199254740991", True), ("9007199254740992", False), ("01", False), ("-7", True)],
)
def test_attempts_are_taken_for_an_integer_as_the_scripts_take_them(scene, attempts, is_sound):
    scene.dead(A, attempts=attempts)
    assert judged(scene, "requeue").is_possible == is_sound
    done = "requeued" if is_sound else "unreadable"
    assert EchoMQ(scene.store).requeue("orders", [A])[A] == done


@pytest.mark.parametrize(("state", "is_child"), [("awaiting_children", True), ("pending", False)])
def test_a_parent_is_judged_by_its_row_though_a_set_holds_it(scene, state, is_child):
    scene.pending(A, parent=B)
    scene.row(B, state=state)
    scene.store.zadd(scene.key("pending"), {B: 0})
    assert judged(scene, "remove").by_force == is_child
    assert EchoMQ(scene.store).remove("orders", [A])[A] == ("child" if is_child else "removed")


def test_an_id_in_a_lane_that_no_key_names_is_not_found_by_a_removal(scene, browser):
    scene.dead("JOBother")
    scene.store.zadd(scene.key("g:lost:pending"), {A: 0})
    discovery.discover(servers.server("prod"))
    why_not = judged(scene, "remove", lanes=("lost",)).why_not
    assert why_not.startswith(
        "Only lane lost holds its id, and no key of the queue names that lane"
    )
    assert why_not in text(page(browser))
    queue = EchoMQ(scene.store)
    assert queue.remove("orders", [A])[A] == "gone"
    queue.pause_lane("orders", "lost")
    assert judged(scene, "remove", lanes=("lost",)).is_possible
    assert queue.remove("orders", [A])[A] == "removed"


def test_a_lapsed_lease_is_told_in_the_head_with_the_sweep_as_the_first_action(scene, browser):
    scene.active(A, -60_000)
    html = page(browser, "operator")
    said = text(html)
    assert '<span class="chip " data-phase="lapsed" data-says="active">' in html
    assert "active, lapsed" in said
    assert html.count('href="/q/prod/orders/sweep"') >= 2
    assert said.index("What can be done Sweep") < said.index("Recover")
    assert "this ends it as a sweep would, for this job only." in said
    html = page(browser, "viewer")
    assert "It takes the role operator." in text(html).partition("What can be done")[2][:200]
    assert 'class="btn go" href="/q/prod/orders/sweep"' not in html


@pytest.mark.parametrize(("left_ms", "said"), [(60_000, "active"), (3_000, "active, expiring")])
def test_a_lease_that_stands_is_told_in_the_head_by_its_phase(scene, browser, left_ms, said):
    scene.active(A, left_ms)
    html = page(browser)
    phase = "live" if left_ms > 10_000 else "expiring"
    chip = html.partition(f'<span class="chip " data-phase="{phase}"')[2].partition("</span>")[0]
    assert text(f"<i{chip}").strip() == said


def test_what_can_be_done_now_comes_first_and_the_rest_is_closed(scene, browser):
    scene.dead(A, stalled=1)
    html = page(browser)
    now, _, later = html.partition('<details class="plain job-barred" id="barred">')
    assert "<b>Requeue</b>" in now
    assert "<b>Promote now</b>" in later
    assert "Not now (5)" in text(later)
    assert (
        "Its stall count stays 1: at this queue's max stalled 2 the next stall sends it to dead. "
        "Requeue… lets it start at 0."
    ) in text(now)


def test_the_trail_tells_of_this_job_among_the_jobs_of_a_sweep(scene, browser):
    for name in (A, B, "JOBc", "JOBd", "JOBe"):
        scene.active(name, -1_000, stalled=5 if name == A else 0)
    EchoMQ(scene.store).sweep("orders", 2, actor="olena")
    said = text(page(browser, url=URL + "/trail"))
    assert "this job: dead (one of 5 jobs)" in said
    assert "5 jobs: 1 dead" not in said


def test_a_success_that_the_job_has_left_behind_is_not_told_as_news(scene, browser):
    scene.dead(A)
    who = browser("operator")
    html = who.get(URL).content.decode()
    values = {
        a["name"]: a["value"] for _, a in tags(html) if a.get("name") in {"only", "op_id", "back"}
    }
    told = who.post("/q/prod/orders/requeue", values, follow=True)
    html = told.content.decode()
    assert f"{A} requeued at " in text(html)
    assert '<div class="note done" role="status" id="outcome">' in html
    EchoMQ(scene.store).claim("orders", 30_000)
    html = who.get(told.redirect_chain[0][0]).content.decode()
    assert "Since then it was claimed again, attempt 4." in text(html)
    assert '<div class="note plain" role="status" id="outcome">' in html


@pytest.mark.parametrize(
    ("payload", "ending"),
    [('{"a": 1}', ".json"), ("plain words", ".txt"), (b"\x80\x04\xff", ".bin")],
)
def test_a_download_is_named_by_what_it_is(scene, browser, payload, ending):
    scene.dead(A, payload=payload)
    answer = browser().get(URL + "/raw")
    assert answer["Content-Disposition"].endswith(f'-payload{ending}"')
