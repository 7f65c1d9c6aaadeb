"""Finding a program that the tests need: the one that was given, one that is there, one to get."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable

APT = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
# A file of settings that stands where the package has one stays as it is.
INSTALL = ["-o", "Dpkg::Options::=--force-confold", "install", "--yes", "--no-install-recommends"]


def print_first(
    variable: str,
    candidates: Callable[[], Iterable[str]],
    runs: Callable[[str], bool],
    ways: Iterable[Callable[[], bool]],
    wrong: str,
    missing: str,
) -> int:
    """Print the first candidate that runs; the exit status.

    Only what the environment's `variable` gives counts where it is set: else it is `wrong`. While
    nothing runs, each of `ways` is tried in turn to get something; in the end it is `missing`.
    """
    if given := os.environ.get(variable):
        return _print(given if runs(given) else None, f"{variable} is {given}, {wrong}")
    found = _first(candidates, runs)
    for get in ways:
        found = found or (_first(candidates, runs) if get() else None)
    return _print(found, missing)


def can_install() -> bool:
    """Whether Debian's packages can be had."""
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install(*packages: str) -> bool:
    """Install Debian's packages; whether that went well."""
    print(f"Installing {packages[0]}", file=sys.stderr)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    return quiet([*APT, "update"]) and quiet([*APT, *INSTALL, *packages])


def quiet(argv: list[str]) -> bool:
    """Run a program unheard; whether it is there and ends well."""
    unheard = subprocess.DEVNULL
    try:
        return subprocess.run(argv, stdout=unheard, stderr=unheard, check=False).returncode == 0
    except OSError:
        return False


def _first(candidates: Callable[[], Iterable[str]], runs: Callable[[str], bool]) -> str | None:
    return next(filter(runs, candidates()), None)


def _print(found: str | None, why_not: str) -> int:
    print(found or why_not, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1
