"""Print the path of a Chromium that runs, for the browser tests; get one when there is none.

In this order: $CHROMIUM, one on the path, Playwright's own, Debian's package (as root),
Playwright's download. Only a browser that answers `--version` counts: on Ubuntu a file of
that name can be a note about a snap.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from finding import can_install, install, print_first, quiet
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WRONG = "which is no browser that runs."
MISSING = (
    "No Chromium was found for the browser tests: apt-get install chromium, "
    "or give its path: make test CHROMIUM=/path/to/chromium"
)


def main() -> int:
    ways = [_from_debian, _from_playwright]
    return print_first("CHROMIUM", _candidates, _runs, ways, WRONG, MISSING)


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    with sync_playwright() as playwright:
        yield playwright.chromium.executable_path


def _runs(path: str) -> bool:
    return quiet([path, "--version"])


def _from_debian() -> bool:
    return can_install() and install("chromium", "fonts-dejavu-core")


def _from_playwright() -> bool:
    print("Downloading Playwright's chromium", file=sys.stderr)
    with_packages = ["--with-deps"] if os.geteuid() == 0 else []
    return quiet([sys.executable, "-m", "playwright", "install", *with_packages, "chromium"])


if __name__ == "__main__":
    sys.exit(main())
