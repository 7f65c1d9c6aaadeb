"""Where row and sets disagree, in sentences."""

from __future__ import annotations

import pytest

from echomq_admin.console import job_words
from echomq_admin.emq.detail import JobLook
from echomq_admin.emq.flow import Flow, Parent
from echomq_admin.emq.lanes import LaneState
from echomq_admin.emq.rows import Job
from echomq_admin.emq.whereabouts import Held


def look(*held: Held, state: bytes | None = b"pending", group: str | None = None, **facts):
    of_row = {name: facts.pop(name) for name in ("fault", "odd", "attempts") if name in facts}
    job = Job("JOBx", state=state, group=group, **of_row)
    given = {
        "now_ms": 0, "job": job, "fields": (), "unlisted_fields": 0, "held": held,
        "is_settled": True, "lanes_asked": 0, "lane": None, "lock": None, "log_lines": 0,
        "dedup": None, "flow": Flow(None, None, None, ()), "audited": 0, "faults": {},
    }  # fmt: skip
    return JobLook(**(given | facts))


PENDING, ACTIVE, DEAD = Held("pending", 0), Held("active", 9), Held("dead", 0)
LANE = Held("lane", 0, "A")


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (look(PENDING), []),
        (look(LANE, group="A"), []),
        (look(ACTIVE, state=b"active", group="A"), []),
        (look(Held("schedule", 5), state=b"scheduled"), []),
        (look(state=b"awaiting_children"), []),
        (look(state=None, fault="row missing"), []),
        (look(state=b"active"),
         ["The row says active, but no set holds the id: no sweep will ever see it."]),
        (look(state=b"pending", lanes_asked=7),
         ["The row says pending, but no set and none of the 7 lanes asked holds the id: "
          "no worker will ever claim it."]),
        (look(state=b"<b>", ),
         ["The row says <b>, but no set holds the id: "
          "no worker, sweep or list will ever meet it."]),
        (look(state=None), ["The row names no state, and no set holds the id."]),
        (look(state=b"active", faults={"active": "the key holds another type"}),
         ["No set that was looked into holds the id, and not all of them were."]),
        (look(state=b"pending", lanes_asked=7, lanes_known=8),
         ["No set that was looked into holds the id, and not all of them were."]),
        (look(state=None, odd="state is 9,000 bytes long"),
         ["The state of the row is not read, and no set holds the id."]),
        (look(PENDING, DEAD, state=b"active"),
         ["It is in pending and dead at once, where it belongs in one set only.",
          "The row says that it is active, but it is in pending and dead. The set is the truth."]),
        (look(ACTIVE, PENDING, LANE, state=b"active", group="A"),
         ["It is in active, pending and lane A at once, where it belongs in one set only.",
          "It waits outside of its lane A: who serves lanes will never claim it."]),
        (look(LANE, group="B"), ["It waits in lane A, which its row does not name."]),
        (look(LANE), ["It waits in lane A, which its row does not name."]),
        (look(PENDING, group="A"),
         ["It waits outside of its lane A: who serves lanes will never claim it."]),
        (look(DEAD, state=b"awaiting_children"),
         ["The row says that it waits for its children, but it is in dead. "
          "The set is the truth."]),
        (look(DEAD, state=None, fault="row missing"),
         ["Only its id is left, in dead: the row is missing."]),
        (look(Held("dead", 5.5), state=b"dead"),
         ["Its score in dead is 5.5, where all scores are 0."]),
        (look(DEAD, state=b"pending", is_settled=False), []),
        (look(state=b"active", is_settled=False), []),
    ],
)  # fmt: skip
def test_what_disagrees_is_said_and_only_that(seen, said):
    assert job_words.oddities(seen) == said


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (LaneState("A", 12, 1, 2, None, False, "on ring"),
         "12 waiting, 1 in flight of at most 2; on the ring"),
        (LaneState("A", 1, 0, None, None, False, "off ring"),
         "1 waiting, 0 in flight; off the ring: no worker takes its jobs, "
         "though it could be served"),
        (LaneState("A", None, None, None, None, None, "?", "ring: odd"),
         "depth unknown, in flight unknown; not known to be on the ring (ring: odd)"),
    ],
)  # fmt: skip
def test_a_lane_is_told_in_numbers_and_where_it_stands(state, said):
    assert job_words.lane(state) == said


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("awaiting_children", "waits for its children"),
        ("dead", "in dead"),
        ("gone", "gone: it finished, was removed or was never here"),
        ("no set", "in no set, and not waiting for children"),
        ("?", "not known: moved"),
    ],
)
def test_what_a_parent_does_is_told(where, said):
    assert job_words.parent(Parent("p", "q", None, where, "moved")) == said


@pytest.mark.parametrize(
    ("seen", "head", "said"),
    [
        (look(DEAD), "", ""),
        (look(DEAD, odd="group is 9,000 bytes long", attempts=1), "Odd row:",
         "group is 9,000 bytes long. It can be moved all the same."),
        (look(DEAD, fault="unreadable row: it has none of state", attempts=0), "Odd row:",
         "it has none of state. It can be moved all the same."),
        (look(DEAD, fault="unreadable row: attempts is no integer"), "Unreadable:",
         "unreadable row: attempts is no integer. It cannot be moved as it is."),
        (look(DEAD, fault="row missing"), "Row missing:",
         "only the id is left in the sets below. The job finished, was removed or was evicted."),
    ],
)  # fmt: skip
def test_only_a_row_that_no_verb_can_work_on_is_called_unreadable(seen, head, said):
    assert job_words.fault_note(seen) == (head, said)


@pytest.mark.parametrize(
    ("left_in", "seen", "said"),
    [
        ("waiting", look(PENDING, attempts=3), ""),
        ("waiting", look(LANE, attempts=3), ""),
        ("waiting", look(ACTIVE, attempts=4), "Since then it was claimed again, attempt 4."),
        ("waiting", look(DEAD, attempts=4), "Since then it died again, attempt 4."),
        ("waiting", look(Held("schedule", 9), attempts=4),
         "Since then it failed, attempt 4, and waits for its next run."),
        ("waiting", look(fault="row missing"), "Since then it has finished or was removed."),
        ("dead", look(DEAD, attempts=0), ""),
        ("dead", look(LANE, attempts=0), "Since then it was requeued."),
        ("active", look(ACTIVE, attempts=1), ""),
        ("active", look(DEAD, attempts=1), "Since then it died, attempt 1."),
        ("gone", look(fault="row missing"), ""),
        ("", look(DEAD, attempts=1), ""),
    ],
)  # fmt: skip
def test_what_became_of_a_job_since_it_was_moved_is_told(left_in, seen, said):
    assert job_words.moved_on(seen, left_in) == said


def test_a_parent_that_waits_although_a_set_holds_it_is_told_as_both():
    parent = Parent("p", "q", None, "pending", awaits=True)
    assert job_words.parent(parent) == "in pending, though its row waits for its children"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"fp", "its failure fails the parent"),
        (b"id", "if it fails, the parent goes on without it"),
        (b"odd", "policy odd"),
        (None, ""),
    ],
)
def test_a_policy_is_told_in_words(raw, said):
    assert job_words.policy(raw) == said
