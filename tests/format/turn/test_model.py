"""What counts as a turn; the tests of `labextension/src/turn/model.ts` read the same cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msgbook_format.turn import TURN_MIME, turn_of

CASES = json.loads((Path(__file__).parent / "fixtures/turn_values.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_an_output_holds_a_turn_if_it_has_what_every_version_requires(case):
    output = {"output_type": "display_data", "data": {TURN_MIME: case["value"]}, "metadata": {}}

    assert turn_of(output) is (case["value"] if case["is_turn"] else None)


@pytest.mark.parametrize("output", [None, [], "text", {}, {"data": None}, {"data": {}}])
def test_other_outputs_hold_no_turn(output):
    assert turn_of(output) is None
