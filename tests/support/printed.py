"""What tests of `tests/docs/test_command_output.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import re

from fences import Fence


def shown(fences: list[Fence]) -> str:
    return fences[0].body.partition("\n")[2]


def without_numbers(output: str) -> str:
    return re.sub(r"\d[\d,.:-]*", "N", output).strip()
