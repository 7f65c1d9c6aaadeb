"""The README says of the roles what the code declares."""

from __future__ import annotations

from pathlib import Path

from echomq_admin.operations.actions import ACTIONS
from echomq_admin.operations.roles import Role

README = Path(__file__).resolve().parents[2] / "README.md"


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
