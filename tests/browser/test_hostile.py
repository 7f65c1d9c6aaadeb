"""Words of the wire in a real browser: nothing of them runs, nothing asks for anything."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse
from playwright.sync_api import expect

from echomq_admin.console.urls import urlpatterns
from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.browser.desk import next_poll
from tests.console.scene import A, B, Scene

EVIL = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>{{7*7}}'
SWAP = '" hx-get="/x" hx-trigger="load'
NO_PAGES = {"login", "logout", "healthz", "job_raw", "queue_open", "queue"}
NO_PAGES |= {"act", "undo", "queue_hide", "queue_forget", "columns", "trail_csv", "trail_ndjson"}
NO_PAGES |= {"stalls_csv", "stalls_ndjson"}
ASKED = ("requeue", "promote_now", "recover_now", "extend", "bury", "remove")
OPEN_ALL = "for (const one of document.querySelectorAll('main details')) one.open = true"


@pytest.fixture
def asked(page, live_server):
    """The addresses that the browser has asked for; all must be of the console."""
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    yield seen
    assert not [url for url in seen if not url.startswith(live_server.url)]
    assert not [url for url in seen if url.endswith("/x")]


def seed(store, word: str) -> Scene:
    """A queue called `word` in which every text is that word."""
    scene = Scene(store, word)
    scene.dead(A, payload=word, last_error=word, group=word, progress=word, **{word: word})
    scene.dead(B, payload=json.dumps({word: [word]}), last_error=f"{word}\n{word}")
    scene.pending(word, payload=word, group=word, parent=word, parent_queue=word)
    scene.active(f"{word}2", -1_000, group=word)
    scene.active(f"{word}3", 60_000, state=word, lock=word)
    scene.row(f"{word}4", state="scheduled", last_error=word)
    store.zadd(scene.key("schedule"), {f"{word}4": scene.now_ms() + 60_000})
    for job_id in (A, word):
        store.rpush(scene.key(f"job:{job_id}:logs"), word, word)
        store.set(scene.key(f"job:{job_id}:lock"), word)
        store.hset(scene.key(f"job:{job_id}:processed"), word, word)
        store.hset(scene.key(f"job:{job_id}:failed"), word, word)
    store.hset(scene.key("meta"), mapping={word: word, "concurrency": word, "max": word})
    store.hset(scene.key("metrics:failed"), "count", word)
    store.hset(scene.key("glimit"), word, word)
    store.rpush(scene.key("ring"), word, word)
    store.zadd(scene.key("repeat"), {word: scene.now_ms()})
    store.hset(scene.key(f"repeat:{word}"), mapping={"every_ms": word, "template": word})
    store.set(scene.key(f"de:{word}"), A)
    EchoMQ(store).pause(word, actor=word)
    EchoMQ(store).bury(word, [word], word, actor=word, force=True)
    return scene


def addresses(queue: str) -> list[str]:
    """Every page of the console, about this queue and its jobs where it is about any."""
    found = [f"/find?q={quote(word)}" for word in (queue, queue[:6], f"{queue}4")]
    found += [f"/?q={quote(queue)}", f"/q/prod/{to_url(queue)}/pending?lane={to_url(queue)}"]
    query = f"reason={quote(queue)}&job=1:1:"
    found += [
        f"{reverse('act', args=['prod', queue, verb])}?{query}{to_url(job_id)}"
        for verb in ASKED
        for job_id in (A, queue)
    ]
    for pattern in urlpatterns:
        if pattern.name in NO_PAGES:
            continue
        here = {"server": "prod", "queue": queue}
        needs = pattern.pattern.converters
        for job_id in (A, B, queue) if "job" in needs else (A,):
            where = here | {"job": job_id}
            found.append(reverse(pattern.name, kwargs={name: where[name] for name in needs}))
    return found


@pytest.mark.parametrize("word", [EVIL, SWAP], ids=["markup", "attributes"])
def test_nothing_of_any_text_on_any_page_runs(page, prod, user, asked, word):
    user.groups.set([Group.objects.get(name="admin")])
    seed(prod, word)
    prod.set("{emq}:version", word)
    discovery.discover(servers.server("prod"))
    for address in addresses(word):
        answer = page.goto(address)
        assert answer.status == 200, address
        page.evaluate(OPEN_ALL)
        assert page.locator("img").count() == 0, address
        assert page.locator("body script").count() == 0, address
    page.goto(f"/q/prod/{to_url(word)}/active")
    next_poll(page)
    expect(page.locator("h1")).to_contain_text(word)


def test_nothing_of_a_name_runs_when_its_jobs_are_moved(page, prod, asked):
    for word in (EVIL, SWAP):
        seed(prod, word)
    discovery.discover(servers.server("prod"))
    page.goto(f"/q/prod/{to_url(SWAP)}/dead")
    next_poll(page)
    page.locator('input[name="job"]').first.check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    page.get_by_role("button", name="Requeue 1 job").click()
    page.locator("#outcome").wait_for()
    assert page.locator("img").count() == 0
