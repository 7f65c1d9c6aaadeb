"""How the database means to answer a statement, so that tests can hold an index against it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import connection

# With few rows PostgreSQL reads them all, so what it would do with many is asked for.
_AS_IF_MANY = "SET LOCAL enable_seqscan = off"
_IN_ORDER = f"{_AS_IF_MANY}; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
_IN_ANY_ORDER = f"{_AS_IF_MANY}; SET LOCAL enable_indexscan = off"


@dataclass(frozen=True)
class Plan:
    """`first` is the step that leads, `sorts` whether rows are put in order by more than an
    index."""

    first: str
    sorts: bool


def plan(sql: str, *, is_ordered: bool = True) -> Plan:
    """Of a statement with its values in it, within a transaction; `is_ordered` when an index is
    to give the rows in their order.

    Which of several indexes PostgreSQL takes, its statistics tell it, which a test has none of.
    """
    if connection.vendor == "postgresql":
        return _of_postgresql(sql, _IN_ORDER if is_ordered else _IN_ANY_ORDER)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [step for *_, step in cursor.fetchall()]
    using = next((step for step in steps if "USING" in step), "")
    return Plan(using, any("TEMP B-TREE" in step for step in steps))


def _of_postgresql(sql: str, as_if: str) -> Plan:
    with connection.cursor() as cursor:
        cursor.execute(as_if)
        cursor.execute(f"EXPLAIN {sql}")
        steps = [step for (step,) in cursor.fetchall()]
    using = next((step for step in steps if "Index " in step), "")
    return Plan(using, any("Sort " in step for step in steps))
