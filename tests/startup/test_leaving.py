"""A text is there for others while it is needed, and for its owner alone."""

from __future__ import annotations

import pytest

from echomq_admin.startup.leaving import left


def test_it_is_private_and_gone_at_the_end(tmp_path):
    path = tmp_path / "servers"
    with left(path, "demo=redis://h"):
        assert path.read_text() == "demo=redis://h"
        assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_replaced(tmp_path):
    path = tmp_path / "servers"
    path.write_text("stale")
    path.chmod(0o644)
    with left(path, "fresh"):
        assert path.read_text() == "fresh"
        assert path.stat().st_mode & 0o777 == 0o600


def test_it_is_gone_after_an_error_too(tmp_path):
    with pytest.raises(KeyError), left(tmp_path / "servers", "x"):
        raise KeyError
    assert list(tmp_path.iterdir()) == []
