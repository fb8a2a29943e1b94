"""Words about a turn that Python and the page have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msgbook_format.exporters.harmless_notebook import ANSWER, build_harmless_outputs
from msgbook_format.turn import TURN_MIME, model_words, to_markdown, to_plain
from msgbook_format.turn.wording import HIDDEN_REASONING, hidden_reasoning_lines

FIXTURE: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).with_name("fixtures") / "turn_wording.json").read_text()
)
HIDDEN = {"type": "reasoning", "text": "", "extra": {"item": {"type": "reasoning", "id": "rs_1"}}}


def turn(*blocks: Any, **keys: Any) -> Any:
    return {"version": 1, "status": "done", "blocks": list(blocks), **keys}


@pytest.mark.parametrize("case", FIXTURE["models"], ids=lambda case: case["title"])
def test_the_model_is_named_as_on_the_page(case: dict[str, Any]) -> None:
    assert model_words(case["turn"]) == case["words"]


@pytest.mark.parametrize("case", FIXTURE["reasoning"], ids=lambda case: case["title"])
def test_hidden_reasoning_has_the_words_of_the_page(case: dict[str, Any]) -> None:
    lines = hidden_reasoning_lines(case["turn"])
    assert {str(position): line for position, line in lines.items()} == case["lines"]


def test_markdown_has_one_line_for_hidden_reasoning() -> None:
    said = turn(HIDDEN, {"type": "text", "text": "Hi"}, usage={"reasoning_tokens": 64})
    tokens = "(64 reasoning tokens in this turn)"
    assert to_markdown(said) == f"> 💭 {HIDDEN_REASONING} {tokens}\n\nHi"


@pytest.mark.parametrize("text", ["", " \n", None])
def test_markdown_never_has_an_empty_thinking_process(text: str | None) -> None:
    keys = {} if text is None else {"text": text}
    for status in ("running", "done"):
        markdown = to_markdown(turn({"type": "reasoning", **keys}, status=status))
        assert markdown == ""


def test_plain_text_says_that_the_model_reasoned_if_it_said_nothing_else() -> None:
    assert to_plain(turn(HIDDEN, status="incomplete")) == f"[incomplete] {HIDDEN_REASONING}"
    assert to_plain(turn(HIDDEN, {"type": "text", "text": "Hi"})) == "[done] Hi"


def test_the_model_that_answered_is_named_in_plain_text_and_exports() -> None:
    said = turn({"type": "text", "text": "Hi"}, model="m", answered_model="m-1")
    assert to_plain(said) == "[done · m (answered by m-1)] Hi"
    output = {"output_type": "display_data", "data": {TURN_MIME: said}}
    (shown,) = build_harmless_outputs([output])
    assert shown["metadata"][ANSWER] == "m (answered by m-1)"
