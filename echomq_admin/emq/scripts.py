"""The transitions: one Lua file each, put together from shared steps and run by their hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.exceptions import NoScriptError, ResponseError

from .errors import translate

LUA = Path(__file__).resolve().parents[2] / "lua"
_INCLUDE = re.compile(r"^--#include (\S+)$", re.MULTILINE)


class IncludeError(Exception):
    """A script includes a file that is missing, or itself; names the file and the chain."""


@dataclass(frozen=True)
class Script:
    """A transition ready to run: its whole text and the hash that names it on a server."""

    name: str
    source: str
    sha: str


def expand(name: str, folder: Path = LUA) -> str:
    """The text of `name`.lua with every include in place, each once. Raises `IncludeError`."""
    included: set[str] = set()

    def read(part: str, chain: tuple[str, ...]) -> str:
        shown = " -> ".join((*chain, part))
        if part in chain:
            raise IncludeError(f"{part}.lua includes itself: {shown}")
        if part in included:
            return ""
        included.add(part)
        try:
            text = (folder / f"{part}.lua").read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise IncludeError(f"{part}.lua is missing: {shown}") from error
        return _INCLUDE.sub(lambda found: read(found[1], (*chain, part)), text)

    return read(name, ())


def _load(name: str) -> Script:
    source = expand(name)
    return Script(name, source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


# All are read at import: a process that outlives an upgrade keeps the scripts of its own release.
SCRIPTS = {path.stem: _load(path.stem) for path in sorted(LUA.glob("*.lua"))}


def run(client: redis.Redis, name: str, keys: Sequence[bytes], args: Sequence[bytes]) -> Any:
    """Run a transition; a server that forgot it is given it once.

    Raises the exceptions of `errors.py` for refusals, redis-py's own for all other trouble.
    """
    wanted = SCRIPTS[name]
    try:
        try:
            return client.evalsha(wanted.sha, len(keys), *keys, *args)
        except NoScriptError:
            client.script_load(wanted.source)
            return client.evalsha(wanted.sha, len(keys), *keys, *args)
    except ResponseError as error:
        refusal = translate(error)
        if refusal is None:
            raise
        raise refusal from error
