"""The log of a job on its page."""

from __future__ import annotations

import re

import pytest

from echomq_admin.fleet import discovery, servers
from tests.console.rights import user_without
from tests.console.scene import HX, A, tags, text

URL = f"/q/prod/orders/job/{A}/logs"


@pytest.fixture
def log(scene):
    scene.active(A, 30_000)

    def push(*lines) -> None:
        scene.store.rpush(scene.key(f"job:{A}:logs"), *lines)

    return push


def get(browser, query: str = "", **headers: str) -> str:
    answer = browser().get(URL + query, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def numbers(html: str) -> list[int]:
    return [int(a["id"][1:]) for tag, a in tags(html) if tag == "li" and a.get("id", "")[:1] == "l"]


def links(html: str) -> dict[str, str]:
    return {a["rel"]: a["href"] for tag, a in tags(html) if tag == "a" and "rel" in a}


def test_older_and_newer_lead_through_the_whole_log_and_skip_nothing(log, browser):
    log(*[f"line {n}" for n in range(1, 451)])
    newest = get(browser)
    assert numbers(newest) == list(range(251, 451))
    assert list(links(newest)) == ["prev"]
    older = get(browser, links(newest)["prev"].removeprefix(URL))
    assert numbers(older) == list(range(51, 251))
    oldest = get(browser, links(older)["prev"].removeprefix(URL))
    assert numbers(oldest) == list(range(1, 51))
    assert list(links(oldest)) == ["next"]
    assert numbers(get(browser, links(oldest)["next"].removeprefix(URL))) == list(range(51, 251))


def test_lines_that_come_meanwhile_do_not_shift_a_page(log, browser):
    log(*[f"line {n}" for n in range(1, 451)])
    before = numbers(get(browser, "?before=250"))
    log("late")
    assert numbers(get(browser, "?before=250")) == before


@pytest.mark.parametrize("before", ["abc", "-1", "9" * 30, "1e9", "0", "99999"])
def test_any_index_has_a_page(log, browser, before):
    log("one", "two")
    assert numbers(get(browser, f"?before={before}"))


def test_a_line_of_2_mb_is_cut_with_its_size(log, browser):
    log("short", "x" * 2_000_000, b"\x80\x04\x95\xff", "tab\there", "")
    html = get(browser)
    assert len(html) < 20_000
    said = text(html)
    assert "cut, 2.0 MB in all" in said
    assert "bytes, 4 bytes" in said
    assert numbers(html) == [1, 2, 3, 4, 5]


def test_the_section_of_the_job_holds_the_newest_few(log, browser):
    log(*[f"line {n}" for n in range(1, 451)])
    html = get(browser, **(HX | {"HX-Target": "log"}))
    assert numbers(html) == list(range(431, 451))
    assert "<main" not in html
    assert links(html)["prev"] == f"{URL}?before=430"


def test_of_huge_lines_the_page_says_that_it_holds_fewer(log, browser):
    for _ in range(30):
        log(b"x" * 2_000_000)
    html = get(browser)
    assert "fewer at a time, because lines are long" in text(html)
    assert numbers(html) == [30]
    assert re.search(r"before=29\b", links(html)["prev"])


@pytest.mark.parametrize("line", ['"' * 2_000, "\u202e" * 600, "'<" * 1_000, "aaaaaaaa\x01" * 220])
def test_a_page_of_long_lines_stays_small_and_shows_a_part_of_each(log, browser, line):
    log(*[f"{n} {line}" for n in range(250)], "short")
    html = get(browser)
    assert len(html.encode()) < 330_000
    assert numbers(html) == list(range(52, 252))
    assert "in all" in text(html)


def test_lines_that_may_not_be_read_are_not_said_to_be_none(
    settings, scene, log, browser, server_port
):
    log("one")
    discovery.discover(servers.server("prod"))
    with user_without("lrange", settings, scene, server_port):
        said = text(get(browser)), text(get(browser, **(HX | {"HX-Target": "log"})))
    for words in said:
        assert "The log cannot be read: no permission to run lrange" in words
        assert "No log line is kept" not in words


def test_a_log_of_another_type_says_so(scene, log, browser):
    scene.store.set(scene.key(f"job:{A}:logs"), "x")
    assert "The log cannot be read: the key holds another type" in text(get(browser))
    assert "The log cannot be read" in text(get(browser, **(HX | {"HX-Target": "log"})))
