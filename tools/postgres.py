"""Print the folder of PostgreSQL's programs, for the tests; get them when there are none.

In this order: $POSTGRES_BIN, Debian's folder, the path, Debian's package (as root).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

APT = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
NO_CLUSTER = Path("/etc/postgresql-common/createcluster.conf")
HELP = (
    "No PostgreSQL was found for the tests: apt-get install postgresql, "
    "or give the folder of initdb: make test POSTGRES_BIN=/path/to/bin"
)


def main() -> int:
    if given := os.environ.get("POSTGRES_BIN"):
        if not _runs(given):
            print(f"POSTGRES_BIN is {given}, which holds no initdb that runs.", file=sys.stderr)
            return 1
        print(given)
        return 0
    for get in (lambda: True, _from_debian):
        found = next(filter(_runs, _candidates()), None) if get() else None
        if found:
            print(found)
            return 0
    print(HELP, file=sys.stderr)
    return 1


def _candidates() -> Iterator[str]:
    """Folders, that of the newest release of Debian's first."""
    debian = Path("/usr/lib/postgresql")
    releases = [one for one in debian.glob("*") if one.name.isdecimal()]
    yield from (f"{one}/bin" for one in sorted(releases, key=lambda one: -int(one.name)))
    if initdb := shutil.which("initdb"):
        yield str(Path(initdb).resolve().parent)


def _runs(folder: str) -> bool:
    try:
        return all(_quiet([f"{folder}/{name}", "--version"]) for name in ("initdb", "postgres"))
    except OSError:
        return False


def _from_debian() -> bool:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("Installing postgresql", file=sys.stderr)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    keep = ["-o", "Dpkg::Options::=--force-confold"]
    with _no_cluster():
        return _quiet([*APT, "update"]) and _quiet(
            [*APT, *keep, "install", "--yes", "--no-install-recommends", "postgresql"]
        )


@contextlib.contextmanager
def _no_cluster() -> Iterator[None]:
    """Debian's package makes no database of its own meanwhile, nor starts a server for it."""
    if NO_CLUSTER.exists():
        yield
        return
    NO_CLUSTER.parent.mkdir(exist_ok=True)
    NO_CLUSTER.write_text("create_main_cluster = false\n", encoding="ascii")
    try:
        yield
    finally:
        NO_CLUSTER.unlink()


def _quiet(argv: list[str]) -> bool:
    unheard = subprocess.DEVNULL
    return subprocess.run(argv, stdout=unheard, stderr=unheard, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
