"""The page of a server: what the console's user may do there, and what asking costs."""

from __future__ import annotations

from echomq_admin.fleet import about, discovery, servers
from tests.console.scene import A, Scene, text
from tests.console.test_server import page, said


def test_a_user_with_read_rights_alone_sees_which_others_are_missing(
    settings, scene, browser, server_port
):
    scene.dead(A)
    discovery.discover(servers.server("prod"))
    scene.store.acl_setuser(
        "reader", enabled=True, nopass=True, keys=["*"], commands=["+@read", "+time", "+ping"]
    )
    try:
        settings.EMQ_SERVERS = f"prod=redis://reader:secret@127.0.0.1:{server_port}"
        html = page(browser)
    finally:
        servers.forget()
        scene.store.acl_deluser("reader")
    words = said(html)
    assert "secret" not in html
    assert "reader" not in html
    rights = {
        row.split(" yes ")[0].split(" no ")[0].split(" ?")[0].strip(): row for row in _rights(html)
    }
    assert "on the keys of queue orders" in words
    assert " yes" in rights["See jobs and counts"]
    assert " yes" in rights["See lanes and the ring"]
    assert "INFO" in rights["Know the server"]
    assert "this user may not ask with ACL DRYRUN" in rights["Run scripts"]
    assert "Rights are missing." in words
    assert "Keys 2" in words


def _rights(html: str) -> list[str]:
    part = html.split("<h2>Rights</h2>")[1].split("<tbody>")[1].split("</tbody>", maxsplit=1)[0]
    return [text(row) for row in part.split("<tr>")[1:]]


def test_a_user_limited_to_the_keys_of_one_queue_is_told_what_holds_there(
    settings, scene, browser, server_port
):
    Scene(scene.store, "another").dead(A)
    scene.dead(A)
    scene.store.acl_setuser(
        "limited", enabled=True, nopass=True, keys=["*{orders}*", "{emq}:version"],
        commands=["+@all"],
    )  # fmt: skip
    discovery.discover(servers.server("prod"))
    try:
        settings.EMQ_SERVERS = f"prod=redis://limited:secret@127.0.0.1:{server_port}"
        html = page(browser)
    finally:
        servers.forget()
        scene.store.acl_deluser("limited")
    assert "on the keys of queue orders; other queues may differ" in said(html)
    refused = [row for row in _rights(html) if " yes" not in row]
    assert refused == []
    assert "Rights are missing" not in said(html)


def test_one_command_that_is_refused_takes_away_a_part(settings, scene, browser, server_port):
    scene.dead(A)
    scene.store.acl_setuser(
        "most", enabled=True, nopass=True, keys=["*"], commands=["+@all", "-memory"]
    )
    try:
        settings.EMQ_SERVERS = f"prod=redis://most:secret@127.0.0.1:{server_port}"
        html = page(browser)
    finally:
        servers.forget()
        scene.store.acl_deluser("most")
    (lanes,) = [row for row in _rights(html) if row.startswith("See lanes")]
    assert "in part MEMORY USAGE What needs them shows “?” among the lanes." in lanes
    assert '<details class="plain body" id="rights" open>' in html


def test_looks_within_seconds_share_one_answer_and_rights_are_asked_once_a_minute(
    scene, browser, monkeypatch
):
    scene.dead(A)
    scene.store.config_resetstat()
    for _ in range(4):
        page(browser)
    assert _calls(scene, "dbsize") == 1
    asked = _calls(scene, "acl|dryrun")
    assert asked > 0
    monkeypatch.setattr(about, "_LASTS_S", 0.0)
    page(browser)
    assert (_calls(scene, "dbsize"), _calls(scene, "acl|dryrun")) == (2, asked)
    monkeypatch.setattr(about, "_RIGHTS_LAST_S", 0.0)
    page(browser)
    assert _calls(scene, "acl|dryrun") > asked


def _calls(scene, command: str) -> int:
    return scene.store.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})["calls"]
