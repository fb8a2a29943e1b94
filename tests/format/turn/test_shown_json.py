"""JSON of unknown origin is shortened alike on the page and in Markdown."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from msgbook_format.turn import to_markdown
from msgbook_format.turn.wording import STRING_LIMIT, shown_json

FIXTURE = Path(__file__).with_name("fixtures") / "shown_json.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_json_is_shown_as_the_page_shows_it(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["value"])
    assert shown_json(case["value"]) == case["shown"]
    assert case["value"] == before


def test_long_values_are_cut_and_counted() -> None:
    text = "x" * STRING_LIMIT
    assert shown_json(text) == text
    assert shown_json(f"{text}x") == f"{'x' * 200}… (501 characters)"
    assert shown_json(list(range(102))) == [*range(100), "… (2 more)"]
    assert shown_json({str(n): n for n in range(102)})["…"] == "(2 more)"


def test_json_of_any_size_is_shown_in_bounded_space() -> None:
    wide: Any = "x" * STRING_LIMIT
    for _ in range(10):
        wide = [wide] * 100
    assert len(json.dumps(shown_json(wide))) < 300_000


def test_markdown_shows_no_encrypted_value() -> None:
    item = {"type": "compaction", "encrypted_content": "SECRET" * 10**5}
    notice = {
        "type": "notice",
        "text": "The server sent an item that msgbook cannot display: `compaction`.",
    }
    blocks: Any = [
        {**notice, "extra": {"item": item}},
        {"type": "reasoning", "text": "", "extra": {"item": item}},
        {"type": "reasoning", "text": "I look.", "extra": {"item": item}},
        {"type": "text", "text": "Hi", "extra": {"item": item}},
        {"type": "of a newer version", "extra": {"item": item}},
    ]
    markdown = to_markdown({"version": 1, "status": "done", "blocks": blocks})
    assert "SECRET" not in markdown
    assert markdown.startswith(
        "> ℹ️ The server sent an item that msgbook cannot display: &#96;compaction&#96;.\n\n"
    )
