"""The how-tos of docs/contributing.md: their code runs, and what they name exists."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from msgbook.engine import Engine
from msgbook.notebook import magics_table
from msgbook.provider import answer_quirks, request_quirks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing.md").read_text("utf-8")

USE_CLOCK = """
import asyncio, re
from clock import clock_tool

"""
USE_COUNT = """
import asyncio
from types import SimpleNamespace
from count import count

async def transcript():
    return SimpleNamespace(earlier=["a cell", "another"])

assert asyncio.run(count(SimpleNamespace(transcript=transcript), [])) == "Cells above: 2"
"""


def code_blocks(heading: str) -> list[str]:
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"^   ```python\n(.*?)^   ```$", section, re.MULTILINE | re.DOTALL)
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in found]


def run(folder: Path, **sources: str) -> None:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    subprocess.run([sys.executable, folder / "use.py"], check=True)


def test_the_tool_answers_a_call_as_its_test_says(tmp_path: Path) -> None:
    module, test = code_blocks("Add a tool")
    name = re.findall(r"def (test_\w+)", test)[0]

    run(tmp_path, clock=module, use=f"{USE_CLOCK}{test}\n{name}()\n")


def test_the_method_that_gets_the_tool_also_makes_those_of_sub_agents() -> None:
    file, method = re.search(r"`Engine\.(\w+)` of `([^`]+)`", PAGE).group(2, 1)

    assert (ROOT / file).samefile(inspect.getfile(Engine))
    assert "shell_tool(" in inspect.getsource(getattr(Engine, method))
    assert f".{method}()" in inspect.getsource(Engine.for_subagent)


def test_the_magic_and_its_row_are_what_the_table_takes(tmp_path: Path) -> None:
    row, module, test = code_blocks("Add a magic")
    magic = eval(row, vars(magics_table))

    run(tmp_path, count=module, use=USE_COUNT)
    assert (magic.name, magic.function, magic.most_words) == ("%count", "count.count", 0)
    assert "Cells above: 2" in test


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("_REASONING", answer_quirks),
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
