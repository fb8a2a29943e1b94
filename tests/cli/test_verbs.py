"""The verbs of the command stand in one table, and are imported when they run."""

from __future__ import annotations

import pytest

from msgbook.__main__ import VERBS


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_verb_can_be_run(verb):
    assert callable(verb.load())
