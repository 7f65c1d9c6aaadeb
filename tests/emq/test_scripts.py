"""The scripts as texts: each header says what the code does, and every part is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from echomq_admin.emq import EchoMQ, scripts
from echomq_admin.emq.errors import WORDS
from echomq_admin.emq.scripts import LUA, IncludeError, expand

NAMES = sorted(path.stem for path in LUA.glob("*.lua"))
LIBRARIES = sorted(path.stem for path in (LUA / "lib").glob("*.lua"))
every_script = pytest.mark.parametrize("name", NAMES)

# Where a list of arguments starts, beside a plain ARGV[n].
_LIST_STARTS = re.compile(r"each_named\((\d+)|= (\d+), #ARGV")


def header(name: str) -> list[str]:
    """The comment lines that open a script, without their dashes."""
    lines = []
    for line in (LUA / f"{name}.lua").read_text().splitlines():
        if not line.startswith("-- "):
            break
        lines.append(line.removeprefix("-- "))
    return lines


def code(name: str) -> str:
    """The expanded script without comments."""
    return re.sub(r"--.*", "", expand(name))


def declared(name: str, array: str) -> list[int]:
    found = (re.match(rf"{array}\[(\d+)\] \S", line) for line in header(name))
    return [int(match[1]) for match in found if match]


def used(name: str, array: str) -> set[int]:
    indices = {int(index) for index in re.findall(rf"\b{array}\[(\d+)\]", code(name))}
    if array == "ARGV":
        indices |= {int(a or b) for a, b in _LIST_STARTS.findall(code(name))}
    return indices


@every_script
def test_a_header_opens_with_the_purpose(name: str) -> None:
    assert re.match(r"[A-Z].*\.$", header(name)[0])


@every_script
@pytest.mark.parametrize("array", ["KEYS", "ARGV"])
def test_a_header_declares_every_key_and_argument_that_the_code_uses_and_no_other(
    name: str, array: str
) -> None:
    indices = declared(name, array)
    assert indices == list(range(1, len(indices) + 1))
    assert set(indices) == used(name, array)


@every_script
def test_a_header_declares_every_error_that_the_code_raises_and_no_other(name: str) -> None:
    told = {line.split()[1] for line in header(name) if line.startswith("Error: ")}
    assert told == set(re.findall(r"\bEMQ[A-Z]+\b", code(name)))
    assert told <= WORDS.keys()


@every_script
def test_a_header_tells_the_reply(name: str) -> None:
    assert any(line.startswith("Reply: ") for line in header(name))


@every_script
def test_a_script_says_the_verb_that_its_file_is_named_after(name: str) -> None:
    assert re.findall(r"local VERB = '(\w+)'", code(name)) == [name]


@every_script
def test_no_script_walks_the_whole_server_or_deletes_by_score_or_rank(name: str) -> None:
    commands = set(re.findall(r"redis\.p?call\(\s*'(\w+)'", code(name)))
    assert commands
    assert not commands & {"KEYS", "SCAN", "RANDOMKEY", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK"}


def test_every_known_error_is_raised_by_some_script() -> None:
    raised = {word for name in NAMES for word in re.findall(r"\bEMQ[A-Z]+\b", code(name))}
    assert raised == set(WORDS)


def test_every_script_is_a_verb_and_every_verb_a_script() -> None:
    # `change_limit` is `limit_lane` with an answer.
    others = {"call", "change_limit"}
    verbs = {name for name in dir(EchoMQ) if not name.startswith("_")} - others
    assert verbs == set(NAMES)


def test_every_shared_part_says_what_it_is_and_is_included_somewhere() -> None:
    included = {
        part
        for path in LUA.rglob("*.lua")
        for part in re.findall(r"^--#include lib/(\S+)$", path.read_text(), re.MULTILINE)
    }
    assert included == set(LIBRARIES)
    for part in LIBRARIES:
        assert re.match(r"-- [A-Z]", (LUA / "lib" / f"{part}.lua").read_text())


# -- the loader -----------------------------------------------------------------------------------


def _write(folder: Path, **parts: str) -> None:
    for name, source in parts.items():
        (folder / f"{name}.lua").write_text(source)


def test_each_part_is_included_once_and_before_what_needs_it(tmp_path: Path) -> None:
    _write(
        tmp_path,
        verb="--#include left\n--#include right\nverb()",
        left="--#include base\nleft()",
        right="--#include base\nright()",
        base="base()",
    )
    text = expand("verb", tmp_path)
    assert re.findall(r"\w+\(\)", text) == ["base()", "left()", "right()", "verb()"]


def test_a_missing_part_is_named_with_the_chain_that_leads_to_it(tmp_path: Path) -> None:
    _write(tmp_path, verb="--#include left", left="--#include nowhere")

    with pytest.raises(IncludeError, match=r"nowhere\.lua.*verb -> left -> nowhere"):
        expand("verb", tmp_path)


def test_a_circle_of_parts_is_named_with_its_chain(tmp_path: Path) -> None:
    _write(tmp_path, verb="--#include left", left="--#include right", right="--#include left")

    with pytest.raises(IncludeError, match=r"left\.lua.*verb -> left -> right -> left"):
        expand("verb", tmp_path)


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(IncludeError, match=r"verb\.lua"):
        expand("verb", tmp_path)


def test_every_script_is_read_when_the_process_starts() -> None:
    assert sorted(scripts.SCRIPTS) == NAMES
    assert all(len(script.sha) == 40 for script in scripts.SCRIPTS.values())
