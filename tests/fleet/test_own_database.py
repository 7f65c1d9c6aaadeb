"""The console's own database in trouble, in words that anyone may read."""

from __future__ import annotations

import psycopg
import pytest
from django.db import Error as DatabaseError
from django.db import OperationalError

from echomq_admin.fleet.own_database import is_busy, said
from tests.valkey import free_port


def raised(cause: Exception) -> DatabaseError:
    """As Django raises what a driver did."""
    try:
        raise OperationalError(str(cause)) from cause
    except OperationalError as error:
        return error


def test_a_server_out_of_reach_is_told_without_its_address_and_user():
    port = free_port()
    with pytest.raises(psycopg.OperationalError) as refused:
        psycopg.connect(host="127.0.0.1", port=port, user="emq", password="s3cret")
    error = raised(refused.value)
    assert str(port) in str(error)
    assert said(error) == "it cannot be reached"
    assert not is_busy(error)


@pytest.mark.parametrize("kind", ["LockNotAvailable", "DeadlockDetected", "QueryCanceled"])
def test_what_another_is_in_the_way_of_may_work_in_a_moment(kind):
    assert is_busy(raised(getattr(psycopg.errors, kind)("LINE 1: SELECT")))


def test_what_sqlite_says_is_told_in_one_short_line():
    assert is_busy(OperationalError("database is locked"))
    assert said(OperationalError("disk I/O\nerror")) == r"disk I/O\x0aerror"
    assert len(said(OperationalError("x" * 5_000))) == 500
