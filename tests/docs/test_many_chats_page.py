"""docs/many-chats.md: its commands do what it says, and its table is the one that a run prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from command import settings
from scripted_server import text

from msgbook.cli.many.job import Status

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "many-chats.md").read_text("utf-8")
TYPED = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def typed(server, tmp_path):
    """Types commands in a folder of their own; what they print on standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def run(commands):
        done = subprocess.run(
            ["bash", "-ec", commands],
            cwd=tmp_path,
            env={**os.environ, **settings(server), "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    server.choose = lambda request: text(f"{request['model']} says")
    return run


def without_numbers(table):
    return [
        [re.sub(r"\d+(?:[.,]\d+)*", "N", word) for word in line.split()]
        for line in table.splitlines()
    ]


def test_the_commands_answer_what_the_page_says_and_compare_the_models(server, typed, tmp_path):
    folder, compare, cluster = TYPED
    shown = re.search(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]

    assert without_numbers(typed(folder)) == without_numbers(shown)
    assert len(server.requests) == 3
    typed(compare)
    assert sorted({request["model"] for request in server.requests}) == ["gpt-5", "gpt-5-mini", "m"]
    for kind in ("html", "json"):
        name = f"compared/primes.comparison.{kind}"
        assert f"`{name}`" in PAGE
        assert "gpt-5-mini says" in (tmp_path / name).read_text("utf-8")
    assert "--dask tcp://scheduler:8786" in cluster  # there is none: tests/cli/test_run_dask.py


def test_each_status_of_the_table_is_explained():
    page = (DOCS / "commands.md").read_text("utf-8")
    explained = re.findall(
        r"^\| `([a-z ]+)` \|", page.partition("| status | |")[2].split("\n\n")[0], re.MULTILINE
    )

    assert sorted([*explained, "other"]) == sorted(get_args(Status))
