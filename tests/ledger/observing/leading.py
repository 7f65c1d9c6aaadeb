"""An agent of its own process that leads or watches: `python -m tests.ledger.observing.leading`.

`begun` starts one on the database of the test; each line it says is what it became, or `lost` when
a write of its failed. By SIGUSR1 it stops itself as SIGSTOP would, when it is not writing.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

PAUSE_S = 0.05


@contextmanager
def begun(server_name: str, patience_s: float) -> Iterator[subprocess.Popen[str]]:
    from django.db import connection

    words = ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
    database = {word: connection.settings_dict[word] for word in words}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.observing.leading",
         json.dumps(database, default=str), server_name, str(patience_s)],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def main(database: dict[str, object], server_name: str, patience_s: float) -> None:
    import django
    from django.conf import settings

    settings.DATABASES["default"].update(database)
    django.setup()
    _work(server_name, patience_s)


def _work(server_name: str, patience_s: float) -> None:
    from echomq_admin.ledger.observing.lead import Lead, Lost

    lead, was = Lead(server_name, patience_s), ""
    told: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _: told.append(number))
    while True:
        if told:
            told.clear()
            os.kill(os.getpid(), signal.SIGSTOP)
        try:
            # What is written comes first: a process that slept has not looked who leads now.
            if lead.term:
                with lead.term.held():
                    pass
        except Lost:
            was = _say("lost", was)
        was = _say("leads" if lead.hold() else "watches", was)
        time.sleep(PAUSE_S)


def _say(word: str, was: str) -> str:
    if word != was:
        sys.stdout.write(f"{word}\n")
        sys.stdout.flush()
    return word


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
