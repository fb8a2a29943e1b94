"""msgbook's own line magics, as one family."""

from __future__ import annotations

from msgbook.cells import OWN_MAGICS
from msgbook.magics import HELP, MAGICS


def test_what_is_taken_for_a_magic_is_one_that_runs_and_help_names_it():
    assert set(MAGICS) == OWN_MAGICS
    assert all(name in HELP for name in MAGICS)
