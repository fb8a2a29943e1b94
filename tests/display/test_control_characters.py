"""Nothing that a kernel sends as text steers the terminal that shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.display.failure import Failure, error_content
from msgbook.text import controls_visible, visible

# The tests of `labextension/src/turn/text.ts` read the same cases.
CASES = json.loads((Path(__file__).parent / "fixtures/visible_characters.json").read_text())
EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e\u2028!"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_characters_that_are_not_seen_are_written_out_as_on_the_page(case):
    assert controls_visible(case["text"]) == case["controls_visible"]
    assert visible(case["text"], keep="\n\t") == case["visible"]


@given(st.text(st.characters() | st.sampled_from(EVIL)))
def test_control_characters_are_made_visible_and_ordinary_text_stays(words):
    shown = controls_visible(words)

    assert not STEERING.search(shown)
    assert controls_visible(shown) == shown
    assert (
        controls_visible("Grüße, 漢字 ⚠️ \u00a0\tand\nlines") == "Grüße, 漢字 ⚠️ \u00a0\tand\nlines"
    )


def test_an_error_shows_control_characters_without_obeying_them():
    content = error_content(Failure(f"Name{EVIL}", f"words {EVIL}"))

    assert not STEERING.search(
        "".join([content["ename"], content["evalue"], *content["traceback"]])
    )
    assert "\\u001b[2J" in content["evalue"]
