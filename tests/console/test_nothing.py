"""Nothing there, and things that say nothing of themselves: zeros and dashes, never a failure."""

from __future__ import annotations

import time

import pytest

from echomq_admin.fleet import discovery, servers
from tests.console.scene import HX, rows, text

TABS = ("pending", "active", "scheduled", "dead", "lanes", "audit", "repeat", "settings", "sweep")
ODD_IDS = ["x", "JOBzzzzzzzzzzz", "CMD0KHTOWnGLuA", "\udcff", "0", "-", "JOB"]
ODD_SCORES = [
    -1, 0, 1, "inf", "-inf", 1e308, -1e308, 253_402_300_799_999, 253_402_300_800_000,
    1_704_067_199_999, -62_135_596_800_001, 0.5, 8_640_000_000_000_001,
]  # fmt: skip


def look(browser, *paths: str) -> dict[str, str]:
    """What each page says, whole and as a fragment."""
    said = {}
    for path in paths:
        for headers in (HX, {}):
            answer = browser("admin").get(path, headers=headers)
            assert answer.status_code == 200, path
            said[path] = answer.content.decode()
    return said


def tabs(queue: str = "orders") -> list[str]:
    return ["/", "/s/prod", *(f"/q/prod/{queue}/{tab}" for tab in TABS)]


def test_an_empty_server_has_a_page_that_says_so(prod, browser):
    discovery.discover(servers.server("prod"))
    html = look(browser, "/", "/s/prod", "/find", "/find?q=JOB0KHTOWnGLuA")["/"]
    assert "No queue is known yet" in text(html)
    assert browser("admin").get("/q/prod/orders/active").status_code == 404


@pytest.mark.parametrize(
    "seed",
    [
        lambda scene: scene.store.hset(scene.key("meta"), "concurrency", "3"),
        lambda scene: scene.store.hset(scene.key("metrics:completed"), "count", "0"),
        lambda scene: scene.store.hset(scene.key("metrics:failed"), "count", "0"),
        lambda scene: scene.store.rpush(scene.key("ring"), "nobody"),
        lambda scene: scene.store.hset(scene.key("gactive"), "nobody", "0"),
        lambda scene: scene.store.sadd(scene.key("paused"), "nobody"),
    ],
    ids=["meta", "completed 0", "failed 0", "ring", "gactive 0", "paused lane"],
)
def test_a_queue_without_jobs_has_zeros_on_every_page(scene, browser, seed):
    seed(scene)
    discovery.discover(servers.server("prod"))
    said = look(browser, *tabs())
    assert "orders" in rows(said["/"])[0]
    assert "nan" not in text(said["/"]).lower()


def test_jobs_whose_ids_say_no_time_are_on_every_page(scene, browser):
    for number, job_id in enumerate(ODD_IDS):
        scene.pending(job_id)
        scene.pending(job_id + "g", group="room-9")
        scene.dead(job_id + "d")
        scene.active(job_id + "a", number * 1_000 - 2_000)
        scene.store.zadd(scene.key("schedule"), {f"s{number}": scene.now_ms() + number})
    discovery.discover(servers.server("prod"))
    said = look(browser, *tabs(), "/q/prod/orders/pending?lane=room-9")
    for tab in ("pending", "active", "scheduled", "dead"):
        assert len(rows(said[f"/q/prod/orders/{tab}"])) == len(ODD_IDS), tab
    assert "?" in rows(said["/q/prod/orders/pending"])[0]


def test_the_age_of_the_oldest_job_is_unknown_when_its_id_does_not_say_it(scene, browser):
    scene.pending("AAA")
    discovery.discover(servers.server("prod"))
    (row,) = rows(look(browser, "/")["/"])
    assert "–" in row or "?" in row


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Asia/Kathmandu"])
def test_scores_that_are_no_times_break_no_page(scene, browser, settings, zone):
    settings.TIME_ZONE = zone
    for key in ("active", "schedule", "pending", "dead", "repeat", "g:room-9:pending"):
        for number, score in enumerate(ODD_SCORES):
            scene.row(f"JOB{number}", state="pending", group="room-9")
            scene.store.zadd(scene.key(key), {f"JOB{number}": score})
    discovery.discover(servers.server("prod"))
    jobs = [f"/q/prod/orders/job/JOB{number}" for number in range(len(ODD_SCORES))]
    said = look(browser, *tabs(), "/q/prod/orders/pending?lane=room-9", *jobs, "/find?q=JOB1")
    for tab in ("pending", "active", "scheduled", "dead"):
        assert len(rows(said[f"/q/prod/orders/{tab}"])) == len(ODD_SCORES), tab
    assert "no end" in text(said["/q/prod/orders/active"])


@pytest.mark.parametrize("wrong_ms", [600_000, -600_000])
def test_a_host_whose_clock_is_wrong_judges_by_that_of_the_server(
    scene, browser, monkeypatch, wrong_ms
):
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + wrong_ms / 1_000)
    scene.active("JOBalive", 30_000)
    scene.active("JOBlapsed", -5_000)
    html = browser("admin").get("/q/prod/orders/active").content.decode()
    lapsed, alive = rows(html)
    assert "JOBlapsed" in lapsed
    assert "+5." in lapsed
    assert any(f"{left}." in alive for left in (28, 29, 30))
    fates = rows(browser("admin").get("/q/prod/orders/sweep").content.decode())
    assert len(fates) == 1
    assert "JOBlapsed" in fates[0]
