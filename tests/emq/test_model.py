"""Random lives of a queue: the scripts do what the model says and keep what the protocol promises.

A failure prints its shortest sequence, call by call. The sequences are the same in every run;
`EMQ_NEW_LIVES=1` draws new ones, `EMQ_LIVES=20000` makes them many.
"""

from __future__ import annotations

import os

import pytest
import redis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.emq.machine import Dial, Machine
from tests.emq.steps import LIVES

SEQUENCES_A_LIFE = int(os.environ.get("EMQ_LIVES", "700"))
STEP_BYTES = 8

sequences = st.lists(st.binary(min_size=STEP_BYTES, max_size=STEP_BYTES), min_size=10, max_size=50)


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("life", LIVES)
@settings(
    max_examples=SEQUENCES_A_LIFE,
    derandomize="EMQ_NEW_LIVES" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(sequence=sequences)
def test_the_scripts_and_the_model_live_alike(
    server_port: int, life: str, sequence: list[bytes]
) -> None:
    with redis.Redis(port=server_port) as client:
        machine = Machine(client)
        for raw in sequence:
            dial = Dial(raw)
            dial.pick(LIVES[life])(machine, dial)


def test_the_lives_together_are_two_thousand_sequences() -> None:
    assert len(LIVES) * SEQUENCES_A_LIFE >= 2000
