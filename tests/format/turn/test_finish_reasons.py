"""The finish reasons of incomplete turns; `labextension/` is tested against the same fixture."""

import json
from pathlib import Path

from msgbook_format.turn import to_markdown
from msgbook_format.turn.model import LIMIT_REASONS, PROVIDER_REASONS

FIXTURE = json.loads(Path(__file__, "../fixtures/finish_reasons.json").resolve().read_text())


def test_the_fixture_holds_the_table() -> None:
    table = [
        {"reason": reason, "origin": origin, "words": words}
        for origin, reasons in (("provider", PROVIDER_REASONS), ("limit", LIMIT_REASONS))
        for reason, words in reasons.items()
    ]

    assert table == FIXTURE


def test_the_markdown_of_an_incomplete_turn_ends_with_the_words_of_its_reason() -> None:
    for case in FIXTURE:
        turn = {"version": 1, "status": "incomplete", "blocks": []}
        markdown = to_markdown({**turn, "finish_reason": case["reason"]})  # type: ignore[typeddict-item]

        assert markdown == f"> ⚠️ Incomplete: {case['words']}"
