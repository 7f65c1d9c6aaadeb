import pytest

from echomq_admin.operations import arguments
from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.calls import Call
from echomq_admin.operations.checks import checked
from echomq_admin.operations.refusals import Invalid

A = "JOB0KHTOWnGLuA"


def _check(action, job_ids=(), tokens=None, op_id="", queue="orders", **args):
    call = Call(action, "main", queue, job_ids, tokens or {}, args, op_id)
    return checked(ACTIONS[action], call)


def _sentence(*given, **args):
    with pytest.raises(Invalid) as refused:
        _check(*given, **args)
    return refused.value.sentence


@pytest.mark.parametrize("value", ["1", " 7 ", 7, "+7"])
def test_a_number_may_be_decimal_text(value):
    assert _check("sweep", max_stalled=value).args["max_stalled"] in {1, 7}


@pytest.mark.parametrize(
    "value", ["", "x", "1.5", "1e3", 1.0, None, True, [], "٣", "0x1", "1_000", "9" * 5000]
)
def test_what_is_no_whole_number_is_refused_by_the_name_of_its_field(value):
    assert "Max stalled must be a whole number" in _sentence("sweep", max_stalled=value)


@pytest.mark.parametrize("value", [0, -1, "0", 1_000_001, 2**70])
def test_a_number_out_of_range_is_refused_with_the_range(value):
    assert "Max stalled must be from 1 to 1,000,000" in _sentence("sweep", max_stalled=value)


def test_defaults_fill_what_was_not_given():
    assert _check("sweep").args == {"max_stalled": 1, "limit": 100}


def test_an_argument_that_the_action_does_not_know_is_refused():
    assert "takes no 'force'" in _sentence("sweep", force=True)


def test_a_missing_argument_is_named():
    assert _sentence("extend", (A,), {A: 1}) == "Lease is missing."


def test_a_lane_limit_is_taken_away_only_by_an_explicit_none():
    assert _check("limit_lane", group="g", n=None).args["n"] is None
    assert _sentence("limit_lane", group="g") == "Jobs at once is missing."


@pytest.mark.parametrize("value", ["  ", "", "\n"])
def test_a_reason_must_say_something(value):
    assert "Reason must not be empty" in _sentence("bury", (A,), reason=value)


def test_a_reason_is_bounded():
    assert "longer than 1,000 bytes" in _sentence("bury", (A,), reason="ä" * 501)


def test_a_payload_is_bounded():
    payload = b"x" * (arguments.MAX_PAYLOAD + 1)
    assert "longer than 5,000,000 bytes" in _sentence("update_payload", (A,), payload=payload)


def test_a_payload_of_text_becomes_its_bytes():
    assert _check("update_payload", (A,), payload="ü\udcff").args["payload"] == b"\xc3\xbc\xff"


def test_the_payload_that_was_seen_is_named_by_its_digest():
    digest = "AB" * 20
    assert _check("update_payload", (A,), payload="x", seen=digest).args["seen"] == "ab" * 20
    assert _check("update_payload", (A,), payload="x", seen="").args["seen"] is None
    for wrong in ("ab", "x" * 40, 7):
        assert "40 hex digits" in _sentence("update_payload", (A,), payload="x", seen=wrong)


@pytest.mark.parametrize("value", [True, "on", "true", "1", "yes"])
def test_a_flag_is_set(value):
    assert _check("requeue", (A,), reset_stalls=value).args["reset_stalls"] is True


@pytest.mark.parametrize("value", [False, "off", "", "0"])
def test_a_flag_is_not_set(value):
    assert _check("requeue", (A,), reset_stalls=value).args["reset_stalls"] is False


def test_a_flag_is_nothing_else():
    assert "is yes or no" in _sentence("requeue", (A,), reset_stalls="maybe")


@pytest.mark.parametrize("bad", ["\ud800", "a\udfff"])
def test_a_name_without_bytes_is_refused(bad):
    assert "cannot be written as bytes" in _sentence("requeue", (bad,))
    assert "cannot be written as bytes" in _sentence("pause_lane", group=bad)
    assert "cannot be written as bytes" in _sentence("pause", queue=bad)


def test_a_name_is_text():
    assert "Job id must be text" in _sentence("requeue", (b"JOB",))


def test_a_repeated_id_counts_once():
    assert _check("requeue", (A, "b", A)).job_ids == (A, "b")


def test_actions_on_jobs_need_a_job():
    assert "needs a job" in _sentence("requeue")


def test_actions_on_one_job_take_one():
    assert "one job at a time" in _sentence("extend", ("a", "b"), {"a": 1, "b": 1}, lease_ms=1)


def test_actions_on_a_queue_take_no_job():
    assert "not on named jobs" in _sentence("sweep", (A,))


def test_a_call_names_a_bounded_number_of_jobs():
    ids = tuple(str(number) for number in range(10_001))
    assert "at most 10,000 jobs" in _sentence("requeue", ids)


def test_a_token_that_must_be_given_is_asked_for():
    assert "needs the token" in _sentence("recover_now", (A,))


@pytest.mark.parametrize("token", ["x", 1.5, None, 2**64])
def test_a_token_is_a_whole_number(token):
    assert "Token must be" in _sentence("requeue", (A,), {A: token})


def test_tokens_of_jobs_that_are_not_named_are_left_out():
    assert _check("requeue", (A,), {A: "3", "other": "x"}).tokens == {A: 3}


def test_an_action_that_is_not_fenced_drops_tokens():
    assert _check("sweep", (), {A: 3}).tokens == {}


@pytest.mark.parametrize("op_id", ["a b", "x" * 81, "é", "a\n", "{}"])
def test_an_op_id_is_a_short_plain_word(op_id):
    assert "op_id" in _sentence("pause", op_id=op_id)


def test_an_empty_op_id_becomes_a_fresh_one():
    assert _check("pause").op_id != _check("pause").op_id


@pytest.mark.parametrize(
    "before", [None, [], "x", {A: None}, {A: (1, "e")}, {A: "abc"}, {A: 5}, {A: ("x", "e", 1)}]
)
def test_what_jobs_were_must_be_whole(before):
    assert _sentence("return_to_dead", (A,), before=before)


def test_what_jobs_were_is_given_for_exactly_the_named_jobs():
    assert "exactly the jobs" in _sentence("return_to_dead", (A,), before={"b": (1, None, 0)})


@pytest.mark.parametrize("stalled", [None, ""])
def test_a_job_may_have_had_no_stall_count_and_no_error(stalled):
    call = _check("return_to_dead", (A,), before={A: [3, None, stalled]})
    assert call.args["before"] == {A: (3, None, None)}


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("drain", {"budget": 1_001}),
        ("obliterate", {"budget": 1_001}),
        ("reap_group", {"limit": 1_001, "group": "g"}),
    ],
)
def test_what_one_script_does_is_bounded(action, given):
    assert "must be from 1 to 1,000" in _sentence(action, **given)


def test_what_a_job_was_becomes_numbers_and_bytes():
    call = _check("return_to_dead", (A,), before={A: ["3", "boom", "1"]})
    assert call.args["before"] == {A: (3, b"boom", 1)}
