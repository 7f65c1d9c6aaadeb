"""Print the path of a Chromium that runs, for the browser tests; get one when there is none.

In this order: $CHROMIUM, one on the path, Playwright's own, Debian's package (as root),
Playwright's download. Only a browser that answers `--version` counts: on Ubuntu a file of
that name can be a note about a snap.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APT = ["apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
HELP = (
    "No Chromium was found for the browser tests: apt-get install chromium, "
    "or give its path: make test CHROMIUM=/path/to/chromium"
)


def main() -> int:
    if given := os.environ.get("CHROMIUM"):
        if not _runs(given):
            print(f"CHROMIUM is {given}, which is no browser that runs.", file=sys.stderr)
            return 1
        print(given)
        return 0
    for get in (lambda: True, _from_debian, _from_playwright):
        found = next(filter(_runs, _candidates()), None) if get() else None
        if found:
            print(found)
            return 0
    print(HELP, file=sys.stderr)
    return 1


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _runs(path: str) -> bool:
    try:
        return _quiet([path, "--version"])
    except OSError:
        return False


def _from_debian() -> bool:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    print("Installing chromium", file=sys.stderr)
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    return _quiet([*APT, "update"]) and _quiet(
        [*APT, "install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
    )


def _from_playwright() -> bool:
    print("Downloading Playwright's chromium", file=sys.stderr)
    with_packages = ["--with-deps"] if os.geteuid() == 0 else []
    return _quiet([sys.executable, "-m", "playwright", "install", *with_packages, "chromium"])


def _quiet(argv: list[str]) -> bool:
    unheard = subprocess.DEVNULL
    return subprocess.run(argv, stdout=unheard, stderr=unheard, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
