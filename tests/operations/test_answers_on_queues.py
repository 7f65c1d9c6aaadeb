"""What an action on a queue or a lane says, and how its steps go on."""

import pytest

from echomq_admin.emq.audit import tail
from echomq_admin.operations import services
from echomq_admin.operations.services import Call
from tests.operations.scenes import A, B, C, D, G, P, Q, active, pending

pytestmark = pytest.mark.usefixtures("main")


def test_a_sweep_names_what_became_of_each_lease(client, do):
    active(client, A, 1)
    active(client, B, 2)
    client.hset(P + b"job:" + B.encode(), "stalled", 1)
    client.zadd(P + b"active", {C: 3})
    active(client, D, 4, attempts="x")
    done = do("sweep", max_stalled=2)
    assert done.outcomes == {A: "recovered", B: "dead", C: "orphaned", D: "unreadable"}
    assert done.sentence == (
        "1 recovered, 1 dead, 1 row missing, id dropped, 1 unreadable, sent to dead, "
        "at max stalled 2"
    )
    assert not done.refusals
    assert not done.more


def test_a_sweep_of_an_orphan_writes_no_row(client, do):
    client.zadd(P + b"active", {A: 1})
    assert do("sweep").sentence == "0 recovered, 1 row missing, id dropped, at max stalled 1"
    assert not client.exists(P + b"job:" + A.encode())


def test_a_sweep_that_reaches_its_limit_says_how_many_are_left(client, do):
    for number in range(250):
        active(client, f"JOB{number:011}", 1)
    done = do("sweep", max_stalled=2, limit=100)
    assert done.more
    assert done.sentence == (
        "100 of 250 lapsed leases swept, sweep again for the rest: 100 recovered, at max stalled 2"
    )


def test_a_sweep_of_exactly_its_limit_leaves_nothing(client, do):
    active(client, A, 1)
    done = do("sweep", max_stalled=2, limit=1)
    assert (done.sentence, done.more) == ("1 recovered, at max stalled 2", False)


def test_a_sweep_without_lapsed_leases_says_so(client, do):
    active(client, A)
    assert do("sweep").sentence == "no lease has lapsed, nothing was swept"


def test_a_sweep_larger_than_one_call_takes_all(client, do):
    for number in range(1_500):
        active(client, f"JOB{number:011}", 1)
    done = do("sweep", max_stalled=2, limit=5_000)
    assert done.sentence == "1,500 recovered, at max stalled 2"


def test_a_reap_counts_no_stall(client, do):
    active(client, A, 1)
    assert do("reap").sentence == "1 put back"
    assert client.hget(P + b"job:" + A.encode(), "stalled") is None


def test_a_reap_of_a_lane_says_when_it_did_not_see_every_lapsed_lease(client, do):
    for job_id, deadline in ((A, 1), (B, 2), (C, 3)):
        active(client, job_id, deadline)
    client.hset(P + b"job:" + A.encode(), "group", G)
    done = do("reap_group", group=G, limit=1)
    assert done.sentence == (
        f"1 put back in lane {G}; only the first 1 of 3 lapsed leases were looked at"
    )


def test_a_reap_of_a_lane_that_saw_every_lapsed_lease_has_no_more(client, do):
    for job_id, deadline in ((A, 1), (B, 2), (C, 3)):
        active(client, job_id, deadline)
    client.hset(P + b"job:" + A.encode(), "group", G)
    done = do("reap_group", group=G, limit=3)
    assert (done.sentence, done.more) == (f"1 put back in lane {G}", False)
    done = do("reap_group", group="unknown", limit=3)
    assert (done.sentence, done.more) == ("0 put back in lane unknown", False)
    assert do("reap_group", group="unknown", limit=1).more


def test_promote_counts_and_says_how_many_are_left(client, do, emq):
    for number in range(3):
        emq.schedule(Q, f"JOB{number:011}", b"{}", in_ms=0)
    done = do("promote", limit=2)
    assert done.sentence == "2 promoted, 1 more is due, promote again for the rest"
    assert do("promote", limit=2).sentence == "1 promoted"


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("pause", "pause", "queue orders was paused already, nothing was changed"),
        ("pause", "resume", "queue orders resumed"),
        ("resume", "resume", "queue orders was not paused, nothing was changed"),
    ],
)
def test_a_switch_says_whether_it_changed_anything(client, member, first, second, said):
    pending(client)
    admin = member("admin")
    services.perform(admin, Call(first, "main", Q))
    assert services.perform(admin, Call(second, "main", Q)).sentence == said


def test_drain_goes_on_until_nothing_is_left(client, member):
    for number in range(5):
        pending(client, f"JOB{number:011}")
    call = Call("drain", "main", Q, args={"budget": 2}, op_id="press")
    done = list(services.steps(member("admin"), call))
    assert [step.result.removed for step in done] == [2, 2, 1]
    assert done[0].sentence == "2 jobs deleted, there are more"
    assert done[-1].sentence == "1 job deleted, nothing is left to drain"
    assert [entry.op_id for entry in tail(client, Q).entries] == ["press.2", "press.1", "press"]


def test_a_drain_that_broke_off_goes_on_under_the_same_op_id(client, member):
    admin = member("admin")
    for number in range(5):
        pending(client, f"JOB{number:011}")
    call = Call("drain", "main", Q, args={"budget": 2}, op_id="press")
    services.perform(admin, call)
    done = list(services.steps(admin, call))
    assert sum(step.result.removed for step in done) == 5


def test_an_action_without_steps_is_performed_once(client, member):
    for number in range(3):
        active(client, f"JOB{number:011}", 1)
    call = Call("sweep", "main", Q, args={"limit": 1})
    assert len(list(services.steps(member("admin"), call))) == 1


def test_the_longest_op_id_lasts_for_every_step(client, member):
    for number in range(5):
        pending(client, f"JOB{number:011}")
    call = Call("drain", "main", Q, args={"budget": 2}, op_id="x" * 80)
    done = list(services.steps(member("admin"), call))
    assert sum(step.result.removed for step in done) == 5
    assert tail(client, Q).entries[0].op_id == "x" * 80 + ".2"


def test_a_step_that_fails_behind_others_speaks_only_of_itself(client, member, settings):
    for number in range(5):
        pending(client, f"JOB{number:011}")
    call = Call("drain", "main", Q, args={"budget": 2})
    steps = services.steps(member("admin"), call)
    next(steps)
    client.set(P + b"ring", "x")
    with pytest.raises(services.Refused, match=r"Nothing was changed in this step\."):
        next(steps)
    steps = services.steps(member("admin"), call)
    client.delete(P + b"ring")
    next(steps)
    settings.EMQ_READ_ONLY = True
    with pytest.raises(services.ReadOnly, match=r"Nothing was sent in this step\."):
        next(steps)
