"""Names and ids of any bytes: each page opens exactly that thing, and nothing of it runs."""

from __future__ import annotations

from urllib.parse import quote, quote_from_bytes

import pytest

from echomq_admin.fleet import discovery, servers
from echomq_admin.fleet.names import to_url
from tests.console.scene import A, Scene, dump, keys_of, raw, rows, tags, text, value
from tests.console.sweeping import sweep

QUEUES = [
    "foo/bar.baz", "task:email", "q+name", "q name", "a#b", "a?b", "a%2Fb", "é", "..", ".", "a}b",
    "a*[b]", "", "~x", "a\nb", "\udcff\udcfe", "x" * 300, "dead", "a/dead", "<b>q</b>", "{{7*7}}",
]  # fmt: skip
IDS = [
    "user/234", "a%2Fb", "a b", "ü", "..", "?x=1#y", "", "x" * 4096, "JOB\udcff\x00/", "a:b:c",
    "~tilde", "-1", "<i>x</i>", "CMD0KHTOWnGLuA", "JOBzzzzzzzzzzz",
]  # fmt: skip
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}}",
    '" hx-get="/x" hx-trigger="load',
    "' onmouseover='alert(1)",
    "\u202eevil",
]
TABS = ("active", "pending", "dead", "audit")


@pytest.mark.parametrize("queue", QUEUES)
def test_a_queue_of_any_name_is_found_opened_and_worked_on_alone(prod, browser, queue):
    scene, other = Scene(prod, queue), Scene(prod, "other")
    for one in (scene, other):
        one.dead(A)
        one.active("JOB0KHTOWnGLuB", -1_000)
    discovery.discover(servers.server("prod"))
    who = browser()
    links = {a["href"] for tag, a in tags(who.get("/").content.decode()) if tag == "a"}
    base = f"/q/prod/{to_url(queue)}"
    assert f"{base}/active" in links
    for tab in TABS:
        answer = who.get(f"{base}/{tab}")
        assert answer.status_code == 200, tab
    before = {key: data for key, data in dump(prod).items() if key.startswith(other.base)}
    html = who.get(f"{base}/dead").content.decode()
    who.post(f"{base}/requeue", {"only": keys_of(html)[A], "op_id": value(html, "op_id")})
    sweep(who, f"{base}/sweep")
    assert sorted(scene.members("pending")) == [b"JOB0KHTOWnGLuA", b"JOB0KHTOWnGLuB"]
    assert {key: data for key, data in dump(prod).items() if key.startswith(other.base)} == before


@pytest.mark.parametrize(
    "queue", [name for name in QUEUES if name and name not in {".", ".."} and name[0] != "~"]
)
def test_a_hand_made_address_gives_the_same_page(prod, browser, queue):
    if "\udcff" in queue or "\n" in queue:
        queue = queue.encode("utf-8", "surrogateescape").hex()
    Scene(prod, queue).dead(A)
    who = browser("viewer")
    answer = who.get(f"/q/prod/{quote(queue, safe='')}/dead")
    assert answer.status_code == 200
    assert A in rows(answer.content.decode())[0]


@pytest.mark.parametrize("job_id", IDS)
def test_a_job_of_any_id_is_listed_and_requeued_alone(scene, browser, job_id):
    scene.dead(job_id)
    scene.dead("JOB0KHTOWnGLuZ")
    who = browser()
    html = who.get("/q/prod/orders/dead").content.decode()
    key = next(k for name, k in keys_of(html).items() if name != "JOB0KHTOWnGLuZ")
    answer = who.post("/q/prod/orders/requeue", {"only": key}, follow=True)
    assert answer.status_code == 200
    assert " requeued" in text(answer.content.decode())
    assert scene.members("pending") == [raw(job_id)]
    assert scene.members("dead") == [b"JOB0KHTOWnGLuZ"]


@pytest.mark.parametrize("job_id", IDS)
def test_a_refusal_and_a_sweep_can_name_any_id(scene, browser, job_id):
    scene.dead(job_id, attempts=3)
    scene.active(job_id + "~", -1_000)
    who = browser()
    html = who.get("/q/prod/orders/dead").content.decode()
    scene.store.hset(scene.key(b"job:" + raw(job_id)), "attempts", 4)
    (key,) = keys_of(html).values()
    answer = who.post("/q/prod/orders/requeue", {"only": key}, follow=True)
    assert "changed meanwhile" in rows(answer.content.decode())[0]
    answer = sweep(who)
    assert "all went as previewed" in text(answer.content.decode())


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_words_are_text_wherever_they_stand(prod, browser, evil):
    scene = Scene(prod, evil)
    scene.dead(A, payload=evil, last_error=evil, group=evil, progress=evil)
    scene.pending(evil, group=evil)
    scene.active(evil + "2", -1_000, group=evil)
    prod.hset(scene.key("meta"), evil, evil)
    discovery.discover(servers.server("prod"))
    who = browser()
    base = f"/q/prod/{to_url(evil)}"
    pages = [
        "/",
        *(f"{base}/{tab}" for tab in (*TABS, "sweep")),
        f"{base}/pending?lane={to_url(evil)}",
    ]
    for path in pages:
        answer = who.get(path)
        assert answer.status_code == 200, path
        assert_harmless(answer.content.decode())
    html = who.get(f"{base}/dead").content.decode()
    asked = who.post(f"{base}/requeue", {"job": keys_of(html)[A]})
    assert_harmless(asked.content.decode())


def assert_harmless(html: str) -> None:
    """Nothing of a seed became markup: no image, no script of its own, no foreign attribute."""
    assert "\u202e" not in html
    for tag, attrs in tags(html):
        assert tag != "img"
        assert tag != "script" or attrs.get("src")
        assert not any(name.startswith("on") for name in attrs)
        assert attrs.get("hx-get") != "/x"
        assert attrs.get("hx-trigger") != "load"


@pytest.mark.parametrize(
    "path",
    [
        "/%3CiMg%20SrC%3dx%20OnErRoR%3dalert(1)%3E/",
        "/q/prod/%3CiMg%20SrC%3dx%20OnErRoR%3dalert(1)%3E/dead",
        "/q/%3Cb%3E/orders/dead",
        "/q/prod/nope/active",
        "/q/prod/nope/sweep",
        "/q/nope/orders/dead",
        "/q/prod/~!!!/dead",
        "/q/prod/" + quote_from_bytes(b"\xff\xfe") + "/dead",
    ],
)
def test_what_is_not_there_is_a_quiet_404_that_writes_nothing(scene, browser, path):
    scene.pending(A)
    before = dump(scene.store)
    answer = browser().get(path)
    assert answer.status_code == 404
    assert_harmless(answer.content.decode())
    assert "<iMg" not in answer.content.decode()
    assert dump(scene.store) == before


def test_a_hostile_query_is_text(scene, browser):
    scene.dead(A)
    evil = '"><script>1</script>'
    for path in ("/", "/q/prod/orders/dead", "/q/prod/orders/sweep"):
        answer = browser().get(
            path, {"q": evil, "cursor": evil, "sort": evil, "did": evil, "rows": evil}
        )
        assert answer.status_code == 200
        assert_harmless(answer.content.decode())


def test_an_unknown_queue_of_a_post_is_404_and_creates_no_key(scene, browser):
    scene.pending(A)
    before = dump(scene.store)
    for verb in ("requeue", "sweep"):
        assert browser().post(f"/q/prod/nope/{verb}", {"only": f"1:0:{A}"}).status_code == 404
    assert dump(scene.store) == before
