"""A setting that cannot be read ends a command with one sentence that names it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from echomq_admin.settings import BASE_DIR


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("EMQ_PROXIES", "one", "EMQ_PROXIES is a whole number from 0 on, not 'one'."),
        ("EMQ_PROXIES", "-1", "EMQ_PROXIES is a whole number from 0 on, not '-1'."),
        ("EMQ_SIGN_IN_TRIES", "0", "EMQ_SIGN_IN_TRIES is a whole number from 1 on, not '0'."),
        ("EMQ_SIGN_IN_WAIT_MINUTES", "1.5", "EMQ_SIGN_IN_WAIT_MINUTES is a whole number from 1"),
        ("EMQ_LEDGER_DAYS", "reaped=x", "EMQ_LEDGER_DAYS is a number of days, such as 400, or one"),
        ("EMQ_LEDGER_DAYS", "4 5", "EMQ_LEDGER_DAYS names a number for all once, not twice."),
        ("EMQ_TRASH_DAYS", "nan", "EMQ_TRASH_DAYS is a number of days, such as 0.5, not 'nan'."),
    ],
)
def test_a_wrong_setting_is_told_and_not_traced(tmp_path, name, value, said):
    ran = subprocess.run(
        [sys.executable, "manage.py", "account", "olena", "--unlock"],
        cwd=BASE_DIR, env=os.environ | {"EMQ_DATA": os.fspath(tmp_path), name: value},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 1
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(("tls", "proxies"), [("", 0), ("1", 1)])
def test_behind_a_tls_proxy_there_is_one_proxy_unless_more_are_said(tmp_path, tls, proxies):
    ran = subprocess.run(
        [sys.executable, "-c", "from echomq_admin import settings; print(settings.EMQ_PROXIES)"],
        cwd=BASE_DIR, env=os.environ | {"EMQ_DATA": os.fspath(tmp_path), "EMQ_TLS_PROXY": tls},
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert int(ran.stdout) == proxies
