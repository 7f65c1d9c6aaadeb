"""`python -m tests.bench`: one line per figure."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator

import redis

from tests.bench import discovery, ledger, memory, observer, overview, scripts, tabs, trail
from tests.bench.figures import Figure
from tests.valkey import valkey

BENCHES: dict[str, Callable[..., Iterator[Figure]]] = {
    "requeue": scripts.requeue,
    "sweep": scripts.sweep,
    "tabs": tabs.tabs,
    "memory": memory.memory,
    "overview": overview.overview,
    "discovery": discovery.discovery,
    "trail": trail.trail,
    "observer": observer.observer,
    "found": observer.found,
    "samples": observer.samples,
    "ledger": ledger.ledger,
}


def main() -> None:
    only, size = os.environ.get("ONLY", ""), os.environ.get("SIZE", "")
    for name, bench in BENCHES.items():
        if only and name != only:
            continue
        takes = inspect.signature(bench).parameters
        options = {"size": int(size)} if size and "size" in takes else {}
        with valkey() as port, redis.Redis(port=port) as client:
            options |= {"port": port} if "port" in takes else {}
            for figure in bench(client, **options):
                print(figure.line(), flush=True)


if __name__ == "__main__":
    main()
