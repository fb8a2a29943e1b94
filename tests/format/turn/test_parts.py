"""Parts of a tool result's content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msgbook_format.turn import image_url

CASES: list[tuple[str, Any, str | None]] = json.loads(
    Path(__file__).with_name("fixtures").joinpath("result_parts.json").read_text()
)


@pytest.mark.parametrize(("part", "url"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_the_url_of_an_image_is_found_in_each_spelling(part: Any, url: str | None) -> None:
    assert image_url(part) == url
