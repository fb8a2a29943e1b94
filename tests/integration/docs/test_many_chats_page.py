"""docs/many-chats.md: its commands do what it says, and its table is the one that a run prints."""

from __future__ import annotations

import re
from pathlib import Path

from command import settings
from scripted_server import text
from typed import environment, type_in

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "many-chats.md").read_text("utf-8")


def without_numbers(table):
    return [
        [re.sub(r"\d+(?:[.,]\d+)*", "N", word) for word in line.split()]
        for line in table.splitlines()
    ]


def test_every_command_runs_and_prints_what_the_page_shows_and_compares_the_models(
    fences, server, tmp_path
):
    folder, shown, compare = fences
    env = environment(settings(server))
    server.choose = lambda request: text(f"{request['model']} says")

    assert without_numbers(type_in(folder.script, tmp_path, env)) == without_numbers(shown.body)
    assert len(server.requests) == 3
    type_in(compare.script, tmp_path, env)
    assert sorted({request["model"] for request in server.requests}) == ["gpt-5", "gpt-5-mini", "m"]
    for kind in ("html", "json"):
        name = f"compared/primes.comparison.{kind}"
        assert f"`{name}`" in PAGE
        assert "gpt-5-mini says" in (tmp_path / name).read_text("utf-8")
