"""The page of a job in a browser: it counts down, keeps what is open, and ends with the job."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet.names import to_url
from tests.browser.conftest import PASSWORD
from tests.browser.desk import is_own_read, next_poll, run_until_visible
from tests.browser.test_look import NARROW, WIDE, looked_at
from tests.console.scene import A, B, G, Scene
from tests.waiting import wait_for

URL = f"/q/prod/orders/job/{A}"
LONG = '{"text": "' + "a" * 200_000 + '"}'


def seconds_left(page: Page) -> float:
    return float(page.locator(".lease b").text_content().removesuffix(" s"))


def test_an_active_job_counts_down_until_it_completes_and_then_reads_no_more(page, scene):
    scene.active(A, 60_000)
    reads: list[str] = []
    page.on("request", lambda request: is_own_read(request) and reads.append(request.url))
    page.clock.install()
    page.goto(URL)
    before = seconds_left(page)
    assert 0 < before <= 60
    wait_for(lambda: seconds_left(page) < before)
    wait_for(
        lambda: page.clock.run_for(1_000) or reads,
        what="a page of a job that is there reads itself anew",
    )
    EchoMQ(scene.store).complete("orders", A, 1)
    run_until_visible(page.get_by_role("heading", name="This job is no longer here"))
    expect(page.locator(".job-as-read")).to_contain_text("As last read, before")
    expect(page.locator("#kept .body-text").first).to_have_text("{}")
    expect(page.locator("#kept-row")).to_contain_text("attempts")
    expect(page.get_by_role("link", name="Download Payload")).to_be_hidden()
    expect(page.locator("#pause")).to_contain_text("not reading")
    reads.clear()
    page.clock.run_for(120_000)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.keyboard.press("p")
    page.clock.run_for(120_000)
    assert reads == []


def test_a_lease_that_runs_out_is_lapsed_at_once(page, scene):
    scene.active(A, 1_500)
    page.goto(URL)
    expect(page.locator("[data-phase-chip] .chip")).to_have_text("lapsed")
    expect(page.locator(".job-fate")).to_contain_text("next sweep")
    expect(page.locator(".chip[data-says]")).to_have_text("active, lapsed")


def test_long_fields_selection_and_open_sections_survive_polls(page, scene):
    scene.dead(A, payload=LONG)
    scene.store.hset(scene.key(f"job:{A}:processed"), B, "1")
    page.goto(URL)
    shown = page.locator(".body-text").first
    expect(shown).to_contain_text("aaaa")
    page.locator("#kin-processed summary").click()
    shown.evaluate("(one) => getSelection().selectAllChildren(one)")
    mark = "document.querySelector('.body-text').seen = true"
    page.evaluate(mark)
    next_poll(page, 2)
    assert page.evaluate("document.querySelector('.body-text').seen")
    assert page.evaluate("getSelection().toString().length") > 10_000
    assert page.locator("#kin-processed").evaluate("(one) => one.open")
    scene.store.hset(scene.key(f"job:{A}"), "payload", LONG.replace("aa", "bbb"))
    expect(shown).to_contain_text("bbbb")


def test_polls_of_a_long_payload_are_small(page, scene):
    scene.dead(A, payload=LONG)
    page.goto(URL)
    with page.expect_response(lambda answer: is_own_read(answer.request)) as found:
        pass
    assert len(found.value.body()) < 25_000


def test_the_log_loads_itself_and_grows(page, scene):
    scene.active(A, 600_000)
    log = scene.key(f"job:{A}:logs")
    scene.store.rpush(log, *[f"line {n}" for n in range(1, 31)])
    page.goto(URL)
    expect(page.locator(".job-log li")).to_have_count(20)
    expect(page.locator(".job-log li").last).to_contain_text("line 30")
    page.evaluate("document.querySelector('#l20').seen = true")
    scene.store.rpush(log, "line 31")
    expect(page.locator(".job-log li").last).to_contain_text("line 31")
    assert page.evaluate("document.querySelector('#l20').seen")
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".job-log li").first).to_contain_text("line 1")


def test_r_requeues_and_the_page_tells_it(page, scene):
    scene.dead(A, group=G)
    page.goto(URL)
    page.keyboard.press("r")
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")
    expect(page.locator(".job-where")).to_contain_text(f"lane {G}")
    expect(page.locator("#history")).to_contain_text("requeue by olena")
    next_poll(page, 2)
    expect(page.locator("#outcome")).to_contain_text(f"{A} requeued")
    expect(page.get_by_role("button", name="Requeue")).to_have_count(0)


def test_a_copy_is_the_exact_text(desk, user, scene):
    raw = '{"a":1.10,  "a":1970670598291982290}'
    scene.dead(A, payload=raw)
    scene.dead(B, payload=LONG)
    browser = desk(permissions=["clipboard-read", "clipboard-write"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(URL)
    page.get_by_role("button", name="Copy Payload").click()
    expect(page.get_by_role("button", name="Copied Payload")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == raw
    page.goto(URL.replace(A, B))
    page.get_by_role("button", name="Copy what is shown Payload").click()
    copied = wait_for(lambda: len(page.evaluate("navigator.clipboard.readText()")) > 1_000)
    assert copied


def test_a_command_is_copied_as_it_is_typed(desk, user, scene):
    scene.dead(A)
    browser = desk(permissions=["clipboard-read", "clipboard-write"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(URL)
    page.get_by_text("On the command line: requeue").click()
    page.get_by_role("button", name="Copy the command to requeue").click()
    expect(page.get_by_role("button", name="Copied the command to requeue")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == (
        f".venv/bin/python manage.py emq requeue --as olena --token={A}=3 prod/orders {A}"
    )


def test_a_copy_keeps_a_mark_of_the_byte_order(desk, user, scene):
    scene.dead(A, payload="\ufeffmarked")
    browser = desk(permissions=["clipboard-read", "clipboard-write"])
    browser.sign_in("olena", PASSWORD)
    page = browser.page
    page.goto(URL)
    page.get_by_role("button", name="Copy Payload").click()
    expect(page.get_by_role("button", name="Copied Payload")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "\ufeffmarked"


@pytest.fixture
def everything(scene) -> Scene:
    """Jobs in which every part of the page appears."""
    scene.active(A, 60_000, stalled=1, group=G, parent="JOBp", parent_policy="fp",
                 dedup_id="order-7", progress="50 %", payload='{"a": [1, "two", null]}',
                 last_error="boom\nTraceback " * 30)  # fmt: skip
    scene.store.set(scene.key(f"job:{A}:lock"), "worker-1", px=600_000)
    scene.store.rpush(scene.key(f"job:{A}:logs"), *["a line of the log " * 8] * 30)
    scene.row("JOBp", state="awaiting_children")
    scene.store.set(scene.key("job:JOBp:dependencies"), 1)
    scene.store.hset(scene.key("job:JOBp:processed"), mapping={f"JOBc{n}": 1 for n in range(9)})
    scene.dead(B, payload=b"\x80\x04", group=G)
    scene.store.zadd(scene.key("pending"), {B: 0})
    scene.store.zadd(scene.key("dead"), {"orphan": 0})
    scene.dead("x" * 1_000)
    queue = EchoMQ(scene.store)
    scene.dead("JOB0KHTOWnGLuH")
    queue.requeue("orders", ["JOB0KHTOWnGLuH"], actor="olena")
    return scene


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_and_nothing_overflows(desk, user, everything, scheme, size):
    browser = desk(color_scheme=scheme, viewport=size)
    browser.expects_failures = True
    browser.sign_in("olena", PASSWORD)
    page, found = browser.page, []
    jobs = (A, B, "JOBp", "orphan", to_url("x" * 1_000), "JOB0KHTOWnGLuH", "nowhere")
    for name in (*jobs, f"{A}/logs", "JOB0KHTOWnGLuH/trail"):
        page.goto(f"/q/prod/orders/job/{name}")
        page.wait_for_load_state("networkidle")
        found += looked_at(page)
    assert found == []
