"""The how-tos of docs/contributing.md: their code runs, and what they name exists."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from fences import Fence
from scripted_server import ScriptedServer, text
from typed import type_in

from msgbook.notebook import magics_table

USE_CLOCK = """
import asyncio, re
from clock import clock_tool

"""
USE_COUNT = """
import asyncio
from types import SimpleNamespace
from count import count

def play(*cells):
    async def transcript():
        return SimpleNamespace(earlier=cells[:-1])

    assert cells[-1] == "%count"
    return asyncio.run(count(SimpleNamespace(transcript=transcript), []))

"""


def run(folder: Path, **sources: str) -> None:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    subprocess.run([sys.executable, folder / "use.py"], check=True)


def test_the_tool_answers_a_call_as_its_test_says(fences: list[Fence], tmp_path: Path) -> None:
    module, test = (fence.body for fence in fences)
    name = re.findall(r"def (test_\w+)", test)[0]

    run(tmp_path, clock=module, use=f"{USE_CLOCK}{test}\n{name}()\n")


def test_the_magic_and_its_row_are_what_the_table_takes(
    fences: list[Fence], tmp_path: Path
) -> None:
    row, module, test = (fence.body for fence in fences)
    name = re.findall(r"def (test_\w+)", test)[0]
    magic = eval(row, vars(magics_table))

    run(tmp_path, count=module, use=f"{USE_COUNT}{test}\n{name}(play)\n")
    assert (magic.name, magic.function, magic.most_words) == ("%count", "count.count", 0)


def test_a_server_shows_each_piece_of_its_answer_to_curl(
    fences: list[Fence], server: ScriptedServer, tmp_path: Path
) -> None:
    (ask,) = fences
    server.answers = [text("It is 391.")]

    printed = type_in(
        ask.script.replace("http://localhost:8000/v1", server.url), tmp_path, os.environ
    )

    assert server.paths == ["/chat/completions", "/responses"]
    chat, responses = server.requests
    assert chat["messages"][-1]["content"] == responses["input"] == "What is 17 * 23?"
    assert printed.count("391") >= 2
    assert printed.count("data: ") > 8
