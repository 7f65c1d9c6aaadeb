"""What needs a person, on top of the overview and in the rail: one judgement."""

from __future__ import annotations

import re

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


def late(prod, queues: int) -> None:
    """So many queues, the first with one lapsed lease, each next one with one more."""
    for number in range(queues):
        scene = Scene(prod, f"q{number:02}")
        for at in range(number + 1):
            scene.active(f"JOB{at}", -5_000, stalled=at % 2)


def strip(html: str) -> str:
    """What it says, each sign of a sentence at its word."""
    said = html.split('class="notes"')[1].split('class="panel"', maxsplit=1)[0]
    return re.sub(r" (?=[,.:])", "", text(said))


def test_up_to_five_queues_have_a_line_each(prod, browser):
    late(prod, 5)
    said = strip(page(browser))
    assert all(f"on q{number:02} (prod)" in said for number in range(5))
    assert "queues" not in said


def test_of_many_queues_the_worst_are_told_the_next_named_and_all_summed_up(prod, browser):
    late(prod, 18)
    html = page(browser)
    said = strip(html)
    assert (
        "171 leases lapsed on 18 queues. A sweep of each recovers 90 and sends 81 to dead." in said
    )
    assert "18 leases lapsed on q17 (prod)" in said
    assert said.count("A sweep with max stalled 2") == 3
    assert "q14 15, q13 14," in said
    assert "q02" not in said
    assert "and 3 more queues" in said
    more = next(
        a["href"] for tag, a in tags(html) if tag == "a" and "q=lapsed" in a.get("href", "")
    )
    listed = text(page(browser, more).split("<tbody>")[1].split("</tbody>")[0])
    assert [word for word in listed.split() if word.startswith("q")] == [
        f"q{number:02}" for number in range(17, -1, -1)
    ]


def test_with_dozens_of_queues_it_is_still_told_what_a_sweep_of_the_worst_would_do(prod, browser):
    late(prod, 24)
    said = strip(page(browser))
    assert "24 leases lapsed on q23 (prod)" in said
    assert said.count("A sweep with max stalled 2") == 3
    assert "to dead, as far as was looked." in said


def test_of_dozens_paused_or_off_the_ring_each_kind_takes_a_sentence(prod, browser):
    for number in range(15):
        for at in range(number):
            Scene(prod, f"p{number:02}").pending(f"JOB{at}")
        prod.hset(f"emq:{{p{number:02}}}:meta", "paused", 1)
        Scene(prod, f"r{number:02}").pending(A, group=G)
    html = page(browser)
    said = strip(html)
    assert "15 queues are paused, 105 jobs wait in them. p14 14, p13 13," in said
    assert "15 lanes of 15 queues are off the ring: no worker is led" in said
    assert said.count("and 3 more queues") == 2
    assert 'href="/q/prod/p14/pending"' in html
    assert 'href="/q/prod/r00/lanes"' in html


def test_how_many_wait_in_paused_queues_is_a_least_where_one_cannot_be_read(prod, browser):
    for number in range(6):
        Scene(prod, f"p{number}").pending(A)
        prod.hset(f"emq:{{p{number}}}:meta", "paused", 1)
    prod.delete("emq:{p3}:pending")
    prod.set("emq:{p3}:pending", "x")
    assert "6 queues are paused, at least 5 jobs wait in them." in strip(page(browser))


def test_several_servers_out_of_reach_share_one_note(settings, server_url, prod, browser):
    lost = " ".join(f"lost{at}=redis://127.0.0.1:{free_port()}/0" for at in range(2))
    settings.EMQ_SERVERS = f"prod={server_url} {lost}"
    html = browser("viewer").get("/").content.decode()
    assert strip(html).count("Out of reach: lost") == 2
    lost = " ".join(f"lost{at}=redis://127.0.0.1:{free_port()}/0" for at in range(7))
    settings.EMQ_SERVERS = f"prod={server_url} {lost}"
    said = strip(browser("viewer").get("/").content.decode())
    assert "7 servers are out of reach: lost0, lost1, lost2, lost3, lost4 and 2 more" in said


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
