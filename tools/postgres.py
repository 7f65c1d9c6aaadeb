"""Print the folder of PostgreSQL's programs, for the tests; get them when there are none.

In this order: $POSTGRES_BIN, Debian's folder, the path, Debian's package (as root).
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from finding import can_install, install, print_first, quiet

NO_CLUSTER = Path("/etc/postgresql-common/createcluster.conf")
WRONG = "which holds no initdb that runs."
MISSING = (
    "No PostgreSQL was found for the tests: apt-get install postgresql, "
    "or give the folder of initdb: make test POSTGRES_BIN=/path/to/bin"
)


def main() -> int:
    return print_first("POSTGRES_BIN", _candidates, _runs, [_from_debian], WRONG, MISSING)


def _candidates() -> Iterator[str]:
    """Folders, that of the newest release of Debian's first."""
    debian = Path("/usr/lib/postgresql")
    releases = [one for one in debian.glob("*") if one.name.isdecimal()]
    yield from (f"{one}/bin" for one in sorted(releases, key=lambda one: -int(one.name)))
    if initdb := shutil.which("initdb"):
        yield str(Path(initdb).resolve().parent)


def _runs(folder: str) -> bool:
    return all(quiet([f"{folder}/{name}", "--version"]) for name in ("initdb", "postgres"))


def _from_debian() -> bool:
    if not can_install():
        return False
    with _no_cluster():
        return install("postgresql")


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


if __name__ == "__main__":
    sys.exit(main())
