"""The actions of operators, on jobs, leases and queues."""

from __future__ import annotations

from echomq_admin.operations import words
from echomq_admin.operations.action import Action, Consent
from echomq_admin.operations.arguments import Before, Flag, Length, Name, Whole
from echomq_admin.operations.roles import Role

WEEK_MS = 604_800_000
GROUP = Name("group", "Lane", "the lane (group) that is meant", required=True)


def _limit(what: str, high: int = 100_000) -> Whole:
    return Whole("limit", "Limit", f"at most so many {what}", default=100, high=high)


_MAX_STALLED = Whole(
    "max_stalled",
    "Max stalled",
    "a job whose stall count reaches this number goes to dead, all others go back",
    default=1,
    by_default="the first stall kills; the page starts at 2",
)

OPERATING = (
    Action(
        verb="requeue",
        label="Requeue",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="jobs",
        help=f"Puts dead jobs back, each into its own lane. {words.ATTEMPTS_STAY}",
        args=(Flag("reset_stalls", "Reset stall count", "the job gets a fresh budget of stalls"),),
        fenced="may",
        undo="return_to_dead",
        outcomes=words.REQUEUE,
        ticked_on=("dead",),
        own_on=("dead",),
        key="r",
        busy="Requeueing…",
    ),
    Action(
        verb="return_to_dead",
        label="Return to dead",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="jobs",
        help="Undoes a requeue of jobs that still wait; their error and stall count come back.",
        args=(
            Before(
                "before",
                "What the jobs were",
                "for each job its attempts, stall count and error before the requeue",
                required=True,
            ),
        ),
        outcomes=words.RETURN_TO_DEAD,
        address="",
    ),
    Action(
        verb="sweep",
        label="Sweep",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="queue",
        help="Takes lapsed leases away and counts a stall: back, or dead at the stall limit.",
        args=(_MAX_STALLED, _limit("lapsed leases")),
        outcomes=words.SWEEP,
        address="own",
    ),
    Action(
        verb="reap",
        label="Reap",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="queue",
        help="Puts jobs with lapsed leases back without counting a stall.",
        args=(_limit("lapsed leases"),),
        outcomes=words.REAP,
        address="own",
    ),
    Action(
        verb="reap_group",
        label="Reap lane",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="lane",
        help="Of the first lapsed leases, puts those of one lane back without counting a stall.",
        args=(GROUP, _limit("lapsed leases are looked at", 1000)),
        outcomes=words.REAP,
        address="own",
    ),
    Action(
        verb="recover_now",
        label="Recover now",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="job",
        help="Sweeps one active job before its lease ends, for a worker known to be dead.",
        args=(_MAX_STALLED,),
        fenced="must",
        outcomes=words.RECOVER_NOW,
        own_on=("active",),
        key="v",
        short="Recover",
    ),
    Action(
        verb="extend",
        label="Extend lease",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="job",
        help="Lets the lease of one active job end later, counted from now.",
        args=(
            Length(
                "lease_ms",
                "Lease",
                "how long it lasts from now, as 5 min, 90 s, or a number of ms",
                required=True,
                high=WEEK_MS,
            ),
        ),
        fenced="must",
        outcomes=words.EXTEND,
        own_on=("active",),
        key="e",
        short="Extend",
    ),
    Action(
        verb="promote",
        label="Promote due jobs",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="queue",
        help="Puts scheduled jobs back whose time has come.",
        args=(_limit("due jobs"),),
    ),
    Action(
        verb="promote_now",
        label="Promote now",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="jobs",
        help="Puts scheduled jobs back at once, before their time.",
        fenced="may",
        outcomes=words.PROMOTE_NOW,
        ticked_on=("scheduled",),
        own_on=("scheduled",),
        key="n",
        short="Promote",
        busy="Promoting…",
    ),
    Action(
        verb="pause",
        label="Pause queue",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="queue",
        help="Workers claim nothing more from the queue. Nothing is moved.",
        undo="resume",
    ),
    Action(
        verb="resume",
        label="Resume queue",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="queue",
        help="Workers claim from the queue again.",
        undo="pause",
    ),
)
