"""What needs a person, on top of the overview and in the rail: one judgement."""

from __future__ import annotations

import pytest

from echomq_admin.fleet import discovery, preferences, servers
from tests.console.scene import A, B, C, G, Scene, tags, text
from tests.valkey import free_port

pytestmark = pytest.mark.usefixtures("patient")


def page(browser, query: str = "") -> str:
    for server in servers.servers():
        if server.name != "lost":
            discovery.discover(server)
    answer = browser("viewer").get("/" + query)
    assert answer.status_code == 200
    return answer.content.decode()


def needs(html: str) -> str:
    return text(html.split("Needs you")[1].split("</nav>", maxsplit=1)[0])


def test_lapsed_leases_are_told_with_what_a_sweep_would_do(scene, browser):
    scene.active(A, -41_500)
    scene.active(B, -1_000, stalled=1)
    scene.store.zadd(scene.key("active"), {C: 1_000_000_000_000})
    said = text(page(browser))
    assert "3 leases lapsed on orders (prod), the first" in said
    assert (
        "A sweep with max stalled 2 recovers 1, sends 1 to dead and drops 1 without a row." in said
    )


def test_the_budget_of_the_queue_is_the_one_that_is_told(scene, browser):
    scene.active(A, -41_500)
    preferences.change("prod", "orders", "olena", max_stalled=1)
    said = text(page(browser))
    assert "1 lease lapsed on orders (prod), 41 s ago." in said
    assert "A sweep with max stalled 1 sends 1 to dead." in said


def test_nothing_is_foretold_for_a_queue_that_cannot_be_read_whole(scene, browser):
    scene.active(A, -5_000)
    scene.store.set(scene.key("dead"), "x")
    said = text(page(browser))
    assert "1 lease lapsed on orders" in said
    assert "A sweep with" not in said


@pytest.mark.parametrize("score", ["-inf", "-1", "0"])
def test_a_deadline_that_is_no_time_is_lapsed_all_the_same(scene, browser, score):
    scene.row(A, state="active", attempts=1)
    scene.store.zadd(scene.key("active"), {A: score})
    assert "1 lease lapsed on orders" in text(page(browser))


def test_lanes_off_the_ring_are_told_and_lead_to_the_lanes(scene, browser):
    scene.pending(A, group=G)
    scene.pending(B, group=G)
    html = page(browser)
    assert "1 lane is off the ring on orders (prod)" in text(html)
    assert "1 off the ring" in needs(html)
    assert [a["href"] for tag, a in tags(html) if tag == "a" and "lanes" in a.get("href", "")]


def test_paused_queues_are_told_with_how_many_wait(prod, browser):
    for queue, waiting in (("payments", (A, B)), ("mailer", (A,))):
        for job_id in waiting:
            Scene(prod, queue).pending(job_id)
        prod.hset(f"emq:{{{queue}}}:meta", "paused", "")
    said = text(page(browser))
    assert "Paused: payments (prod), 2 jobs wait." in said
    assert "Paused: mailer (prod), 1 job waits." in said


def test_of_many_queues_the_worst_are_named_and_the_rest_is_a_link(prod, browser):
    for number in range(8):
        scene = Scene(prod, f"q{number}")
        for at in range(number + 1):
            scene.active(f"JOB{at}", -5_000)
    html = page(browser)
    said = text(html)
    assert "8 leases lapsed on q7" in said
    assert "3 leases lapsed on q2" not in said
    assert "and 3 more queues" in said
    more = next(
        a["href"] for tag, a in tags(html) if tag == "a" and "q=lapsed" in a.get("href", "")
    )
    listed = text(page(browser, more).split("<tbody>")[1].split("</tbody>")[0])
    assert [word for word in listed.split() if word.startswith("q")] == [
        f"q{number}" for number in range(7, -1, -1)
    ]


def test_the_rail_and_the_strip_agree(prod, browser):
    Scene(prod, "a").active(A, -5_000)
    Scene(prod, "b").pending(A, group=G)
    Scene(prod, "c").pending(A)
    prod.hset("emq:{c}:meta", "paused", 1)
    Scene(prod, "d").dead(A)
    html = page(browser)
    assert needs(html).split("Needs you")[0].split() == (
        ["a", "1", "lapsed", "b", "1", "off", "the", "ring", "d", "1", "dead", "c", "paused"]
    )
    notes = text(html.split('class="notes"')[1].split('class="panel"')[0])
    assert all(word in notes for word in ("lapsed on a", "ring on b", "Paused: c"))


def test_the_strip_of_one_server_is_about_that_server(settings, server_url, prod, browser):
    settings.EMQ_SERVERS = f"prod={server_url} lost=redis://127.0.0.1:{free_port()}/0"
    Scene(prod, "orders").active(A, -5_000)
    notes = text(page(browser, "?server=lost").split('class="notes"')[1].split('class="panel"')[0])
    assert "Out of reach: lost" in notes
    assert "lapsed" not in notes


def test_what_is_hidden_is_told_only_when_its_leases_lapse(scene, browser):
    scene.dead(A)
    scene.store.hset(scene.key("meta"), "paused", 1)
    preferences.change("prod", "orders", "olena", hidden=True)
    html = page(browser)
    assert "Nothing right now" in text(html)
    assert "Paused: orders" not in text(html)
    assert "1 hidden" in text(html)


def test_hidden_and_lapsed_is_told(scene, browser):
    scene.active(A, -5_000)
    preferences.change("prod", "orders", "olena", hidden=True)
    html = page(browser)
    assert "1 lease lapsed on orders (prod, hidden)" in text(html)
    assert "orders 1 lapsed" in needs(html)


def test_a_console_that_is_read_only_says_so_once(settings, scene, browser):
    settings.EMQ_READ_ONLY = True
    scene.pending(A)
    html = page(browser)
    assert text(html).count("EMQ_READ_ONLY") == 1
    assert "read-only" not in needs(html)


def test_a_name_of_four_kilobytes_is_cut_in_the_strip_and_in_the_rail(prod, browser):
    Scene(prod, "x" * 4_096).active(A, -5_000)
    html = page(browser)
    assert "(4,096 bytes)" in needs(html)
    assert len(needs(html)) < 400


def test_a_paused_queue_with_something_worse_is_told_as_paused_too(scene, browser):
    scene.dead(A)
    scene.store.hset(scene.key("meta"), "paused", 1)
    assert "orders paused · 1 dead" in needs(page(browser))


def test_with_several_servers_a_queue_is_told_with_the_server_it_is_on(
    settings, server_url, scene, browser
):
    settings.EMQ_SERVERS = f"prod={server_url} stage={server_url}"
    scene.dead(A)
    said = needs(page(browser))
    assert "prod/orders 1 dead" in said
    assert "stage/orders 1 dead" in said
