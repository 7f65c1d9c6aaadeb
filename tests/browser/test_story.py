"""The story that the console is for, walked through in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from echomq_admin.emq import EchoMQ, ids
from echomq_admin.fleet import discovery, servers
from tests.browser.conftest import PASSWORD
from tests.browser.desk import next_poll
from tests.console.scene import Scene
from tests.waiting import wait_for

PAYLOAD = '{"order":1970670598291982290}'


def test_a_stalled_job_is_swept_found_dead_requeued_and_finished_on_record(desk, scene):
    queue = EchoMQ(scene.store)
    job = ids.mint("JOB", scene.now_ms() - 90_000)
    queue.enqueue("orders", job, PAYLOAD)
    discovery.discover(servers.server("prod"))
    page = desk().page

    sign_in_on_the_way_to(page, "/q/prod/orders/active")
    silent = queue.claim("orders", 10_000)
    page.reload()
    watch_the_lease_run_out(page, job)
    sweep_it_to_dead(page, scene, job)
    requeue_it_from_the_morgue(page, job)
    finished = queue.claim("orders", 600_000)
    assert (finished.job_id, finished.attempts) == (job, silent.attempts + 1)
    see_it_finished(page, queue, job, finished.attempts)
    read_the_record(page, job)


def sign_in_on_the_way_to(page: Page, path: str) -> None:
    page.goto(path)
    expect(page).to_have_url(re.compile(rf"/login/\?next={path}$"))
    page.fill("#id_username", "olena")
    page.fill("#id_password", PASSWORD)
    page.click("button.go")
    expect(page.get_by_role("heading", name="orders", exact=True)).to_be_visible()


def watch_the_lease_run_out(page: Page, job: str) -> None:
    row = page.locator("tr", has_text=job)
    expect(row.locator(".chip")).to_have_text("expiring")
    first = float(row.locator(".lease b").inner_text().removesuffix(" s"))
    left = "parseFloat(document.querySelector('.lease b').textContent)"
    wait_for(lambda: page.evaluate(left) < first)
    expect(row.locator(".chip")).to_have_text("lapsed")
    expect(row.locator(".lease b")).to_have_text(re.compile(r"^\+\d+\.\d s$"))
    expect(row).to_contain_text("to pending, stall 1")


def sweep_it_to_dead(page: Page, scene: Scene, job: str) -> None:
    page.get_by_role("link", name=re.compile("Sweep… 1")).click()
    row = page.locator("tr", has_text=job)
    expect(row).to_contain_text("recovers it into pending, stall 1")
    page.get_by_label("Max stalled").fill("1")
    page.get_by_label("Max stalled").press("Enter")
    expect(row).to_contain_text("sends it to dead, stall 1")
    expect(page).to_have_url(re.compile("max_stalled=1"))
    assert scene.members("dead") == []
    page.get_by_role("button", name="Sweep 1").click()
    expect(page.get_by_text("all went as previewed")).to_be_visible()
    assert scene.members("dead") == [job.encode()]


def requeue_it_from_the_morgue(page: Page, job: str) -> None:
    page.get_by_role("link", name="Dead jobs").click()
    row = page.locator("tr", has_text=job)
    expect(row).to_contain_text("stalled")
    expect(row).to_contain_text(PAYLOAD)
    row.get_by_role("button", name="Requeue").click()
    expect(page.locator("#outcome")).to_contain_text(f"{job} requeued")
    expect(row).to_have_count(0)


def see_it_finished(page: Page, queue: EchoMQ, job: str, token: int) -> None:
    page.locator(".tabs").get_by_role("link", name="Active").click()
    expect(page.locator("tr", has_text=job).locator(".chip")).to_have_text("live")
    queue.complete("orders", job, token)
    next_poll(page)
    expect(page.get_by_text("No job is in flight")).to_be_visible()


def read_the_record(page: Page, job: str) -> None:
    page.locator(".tabs").get_by_role("link", name="Audit").click()
    entries = page.locator(".entry")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("requeue by olena")
    expect(entries.nth(1)).to_contain_text("sweep by olena")
    entries.nth(1).get_by_text("Job by job").click()
    expect(entries.nth(1).locator("td", has_text=job)).to_be_visible()
