"""The how-tos of docs/contributing.md: their code runs, and what they name exists."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from msgbook.engine import Conversation
from msgbook.notebook import magics_table
from msgbook.provider import answer_quirks, request_quirks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing.md").read_text("utf-8")


def test_the_method_that_gets_the_tool_also_makes_those_of_sub_agents() -> None:
    file, method = re.search(r"`Conversation\.(\w+)` of `([^`]+)`", PAGE).group(2, 1)

    assert (ROOT / file).samefile(inspect.getfile(Conversation))
    assert "shell_tool(" in inspect.getsource(getattr(Conversation, method))
    assert f".{method}()" in inspect.getsource(Conversation.__init__)
    assert "Conversation(" in inspect.getsource(Conversation.for_subagent)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("REASONING_KEYS", answer_quirks),
        ("ADAPTATIONS", request_quirks),
        ("LINE_MAGICS", magics_table),
    ],
)
def test_each_table_that_a_how_to_names_is_there(name: str, where: object) -> None:
    assert f"`{name}`" in PAGE
    assert hasattr(where, name)


def test_each_test_that_a_how_to_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests/provider").rglob("*.py"))

    assert named
    assert [name for name in named if f"def {name}(" not in tests] == []
