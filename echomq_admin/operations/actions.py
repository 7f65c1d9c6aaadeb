"""Every action as data: who may, how it is confirmed, what it needs, what it says.

Buttons, permission checks, the command line, the documentation and the tests are derived from
`ACTIONS`; nothing about an action is decided anywhere else.
"""

from __future__ import annotations

from echomq_admin.operations import words
from echomq_admin.operations.action import MANY, MAX_JOBS, Action, Consent
from echomq_admin.operations.arguments import Before, Blob, Digest, Flag, Name, Text, Whole
from echomq_admin.operations.housekeeping import BY_ADMINS, BY_OPERATORS
from echomq_admin.operations.roles import VIEW, Role

__all__ = ["ACTIONS", "MANY", "MAX_JOBS", "VIEW", "Action", "Consent", "Role"]

TEN_YEARS_MS = 315_360_000_000
LAST_MS = 253_402_300_799_999
WEEK_MS = 604_800_000


def _limit(what: str, high: int = 100_000) -> Whole:
    return Whole("limit", "Limit", f"at most so many {what}", default=100, high=high)


_MAX_STALLED = Whole(
    "max_stalled",
    "Max stalled",
    "a job whose stall count reaches this number goes to dead, all others go back",
    default=1,
    by_default="the first stall kills; the page starts at 2",
)
_GROUP = Name("group", "Lane", "the lane (group) that is meant", required=True)
_FORCE = Flag("force", "Force", "also a job that is active, locked or the child of a flow")
_PAYLOAD = Blob("payload", "Payload", "the payload, opaque bytes", required=True)
_BUDGET = Whole("budget", "Budget", "how many jobs one step deletes", default=1000, high=1000)
_ENQUEUE_GROUP = Name("group", "Lane", "the lane (group) of the job", by_default="in no lane")

_OPERATOR = (
    Action(
        verb="requeue",
        label="Requeue",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="jobs",
        help="Puts dead jobs back, each into its own lane. Attempts are kept, they fence claims.",
        args=(Flag("reset_stalls", "Reset stall count", "the job gets a fresh budget of stalls"),),
        fenced="may",
        undo="return_to_dead",
        outcomes=words.REQUEUE,
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
    ),
    Action(
        verb="reap_group",
        label="Reap lane",
        role=Role.OPERATOR,
        consent=Consent.DIALOG,
        target="lane",
        help="Of the first lapsed leases, puts those of one lane back without counting a stall.",
        args=(_GROUP, _limit("lapsed leases are looked at", 1000)),
        outcomes=words.REAP,
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
    ),
    Action(
        verb="extend",
        label="Extend lease",
        role=Role.OPERATOR,
        consent=Consent.CLICK,
        target="job",
        help="Lets the lease of one active job end later, counted from now.",
        args=(
            Whole("lease_ms", "Lease", "the new lease, ms from now", required=True, high=WEEK_MS),
        ),
        fenced="must",
        outcomes=words.EXTEND,
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

_ADMIN = (
    Action(
        verb="bury",
        label="Bury",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="jobs",
        help="Sends jobs to dead with a reason, for poison jobs. An active one needs its token.",
        args=(Text("reason", "Reason", "why; it becomes the job's error", required=True), _FORCE),
        fenced="may",
        needs_yes=True,
        undo="requeue",
        outcomes=words.BURY,
    ),
    Action(
        verb="remove",
        label="Remove",
        role=Role.ADMIN,
        consent=Consent.TYPE_NAME,
        target="jobs",
        help="Moves jobs with all they have to the trash; of an id without a row, deletes it.",
        args=(
            _FORCE,
            Name("dedup_id", "Dedup id", "the job's idempotency key, deleted with it (one job)"),
            Flag(
                "unkept",
                "Without the trash",
                "keep nothing of the job: then it cannot be restored",
            ),
        ),
        fenced="may",
        needs_yes=True,
        destroys=True,
        outcomes=words.REMOVE,
    ),
    Action(
        verb="restore",
        label="Restore",
        role=Role.ADMIN,
        consent=Consent.CLICK,
        target="jobs",
        help="Puts removed jobs of the trash back to where each waited. Attempts are kept.",
        fenced="may",
        max_jobs=MANY,
        creates=True,
        outcomes=words.RESTORE,
    ),
    Action(
        verb="update_payload",
        label="Edit payload",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Replaces the payload of one job.",
        args=(
            _PAYLOAD,
            Digest("seen", "SHA1 seen", "only if this is the SHA-1 of the payload now, in hex"),
        ),
        fenced="may",
        outcomes=words.UPDATE_PAYLOAD,
    ),
    Action(
        verb="pause_lane",
        label="Pause lane",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="lane",
        help="Workers claim nothing more from one lane. Nothing is moved.",
        args=(_GROUP,),
        undo="resume_lane",
    ),
    Action(
        verb="resume_lane",
        label="Resume lane",
        role=Role.ADMIN,
        consent=Consent.CLICK,
        target="lane",
        help="Workers claim from the lane again.",
        args=(_GROUP,),
        undo="pause_lane",
    ),
    Action(
        verb="limit_lane",
        label="Limit lane",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="lane",
        help="Sets how many jobs of a lane may be active at once, or takes the limit away.",
        args=(
            _GROUP,
            Whole("n", "Jobs at once", "the limit", required=True, may_be_none=True),
        ),
    ),
    Action(
        verb="drain",
        label="Drain",
        role=Role.ADMIN,
        consent=Consent.TYPE_NAME,
        target="queue",
        help="Deletes every pending job outside of lanes, on request the scheduled ones too.",
        args=(Flag("include_schedule", "Scheduled too", "also the scheduled jobs"), _BUDGET),
        needs_yes=True,
        destroys=True,
        in_steps=True,
    ),
    Action(
        verb="obliterate",
        label="Obliterate",
        role=Role.ADMIN,
        consent=Consent.TYPE_NAME,
        target="queue",
        help="Deletes a paused queue with everything in it; only its audit stays.",
        args=(Flag("force", "Force", "also while jobs are active"), _BUDGET),
        needs_yes=True,
        destroys=True,
        in_steps=True,
    ),
    Action(
        verb="enqueue",
        label="Enqueue",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Creates a job that waits from now on.",
        args=(_PAYLOAD, _ENQUEUE_GROUP),
        creates=True,
        outcomes=words.ENQUEUE,
    ),
    Action(
        verb="schedule",
        label="Schedule",
        role=Role.ADMIN,
        consent=Consent.DIALOG,
        target="job",
        help="Creates a job that waits from an instant on.",
        args=(
            _PAYLOAD,
            Whole("at_ms", "At", "when, unix ms", low=0, high=LAST_MS),
            Whole("in_ms", "In", "ms from now", low=0, high=TEN_YEARS_MS),
        ),
        creates=True,
        outcomes=words.SCHEDULE,
    ),
)

ACTIONS: dict[str, Action] = {
    action.verb: action for action in (*_OPERATOR, *BY_OPERATORS, *_ADMIN, *BY_ADMINS)
}
