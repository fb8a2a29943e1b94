"""A long conversation over a server that bills as Anthropic does: nearly all that is sent is read from its cache."""

from __future__ import annotations

import pytest
from billed_conversation import KINDS, converse

GOAL = 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_nine_tenths_of_fifty_turns_are_read_from_the_cache(server, tmp_path, kind):
    bill = converse(server, tmp_path, kind)

    assert {turn["status"] for turn in bill.turns} == {"done"}
    assert bill.share >= GOAL
    # What a reader is shown is what was billed.
    shown = [turn["usage"] for turn in bill.turns]
    assert sum(usage["cached_tokens"] for usage in shown) == bill.read
    assert sum(usage["input_tokens"] for usage in shown) == bill.input
