"""Values of `history`, as the page reads them as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msgbook_format.syntax.text_cell import is_excluded, is_restricted, is_summary

CASES: list[tuple[Any, bool]] = json.loads(
    Path(__file__).with_name("fixtures").joinpath("history_values.json").read_text()
)


@pytest.mark.parametrize(("history", "restricts"), CASES)
def test_only_a_known_value_sends_all_of_a_text(history: Any, restricts: bool) -> None:
    assert is_restricted(history) == restricts
    assert (is_excluded(history) or is_summary(history)) == restricts
