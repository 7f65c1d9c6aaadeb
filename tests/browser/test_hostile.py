"""Words of the wire in a real browser: nothing of them runs, nothing asks for anything."""

from __future__ import annotations

from echomq_admin.emq import EchoMQ
from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.browser.desk import next_poll
from tests.console.scene import A, Scene

EVIL = '"><img src=x onerror=alert(1)></script><script>alert(2)</script>{{7*7}}'
SWAP = '" hx-get="/x" hx-trigger="load'


def test_nothing_of_a_payload_error_name_or_lane_runs(page, prod):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in (EVIL, SWAP):
        scene = Scene(prod, name)
        scene.dead(A, payload=name, last_error=name, group=name, progress=name)
        scene.pending(name, group=name, payload=name)
        scene.active(name + "2", -1_000, group=name)
        EchoMQ(prod).pause(name, actor=name)
    discovery.discover(servers.server("prod"))
    page.goto("/")
    for name in (EVIL, SWAP):
        base = f"/q/prod/{to_url(name)}"
        for path in ("active", "pending", "dead", "audit", "sweep", f"pending?lane={to_url(name)}"):
            page.goto(f"{base}/{path}")
    page.goto(f"/q/prod/{to_url(SWAP)}/dead")
    next_poll(page)
    page.locator('input[name="job"]').first.check()
    page.get_by_role("button", name="Requeue 1 ticked…").click()
    page.get_by_role("button", name="Requeue 1 job").click()
    page.locator("#outcome").wait_for()
    assert not [url for url in asked if url.endswith("/x")]
    assert page.locator("img").count() == 0
