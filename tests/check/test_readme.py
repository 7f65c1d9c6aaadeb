"""The README says of roles and settings what the code declares."""

from __future__ import annotations

import re
from pathlib import Path

from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.roles import Role
from tests.check.files import PACKAGE

README = Path(__file__).resolve().parents[2] / "README.md"
# `up` alone looks at these.
SET_ELSEWHERE = {"EMQ_HOST", "EMQ_PORT"}


def test_the_role_table_names_each_action_under_its_role():
    rows = dict(
        line.strip("| \n").split(" | ", 1)
        for line in README.read_text(encoding="utf-8").splitlines()
        if line.startswith(tuple(f"| {role} |" for role in Role))
    )
    for role in Role:
        declared = [f"`{action.verb}`" for action in ACTIONS.values() if action.role is role]
        named = [word.strip(",") for word in rows[role.value].split() if word.startswith("`")]
        assert named == declared


def test_every_setting_of_the_environment_is_in_the_table_and_no_other():
    settings = (PACKAGE / "settings.py").read_text()
    known = set(re.findall(r'"(EMQ_[A-Z_]+)"', settings)) | SET_ELSEWHERE
    table = [line for line in README.read_text().splitlines() if line.startswith("| `EMQ_")]
    named = {name for line in table for name in re.findall(r"`(EMQ_[A-Z_]+)`", line.split("|")[1])}
    assert named == known
