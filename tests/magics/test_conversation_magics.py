"""Magics that tell of the conversation, or steer it: played as cells of one session."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from apis import over_all_apis
from engine_turns import run_turn
from responses_as_chat import chat_messages
from scripted_server import text

from msgbook.agents import UnknownAgentError, build_system_prompt
from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook.cells import is_own_magic
from msgbook.notebook.transcript import Transcript
from msgbook_format.turn import TURN_MIME

AGENTS = """\
agents:
  writer: {models: gpt-5, context_window: 9000}
  reviewer: {models: strict-1, rules: [style.md], system_prompt: You review.}
"""


class Play:
    """Runs cells one below the other in one session; keeps what its magics printed."""

    def __init__(self, server, folder):
        self.server = server
        server.answers = [text("Yes.")]
        self.folder = folder
        self.env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
        self.metadata = {}
        self.source = "live"
        self.page = None
        self.marked = []

    def __call__(self, *cells):
        """What the last magic printed.

        Args:
            cells: Sources to run, notes, or functions that edit the cells when it is their turn.
        """
        return asyncio.run(self._play([cell(*numbered) for numbered in enumerate(cells)]))

    async def _play(self, cells):
        engine = Conversation(Services(load_settings(self.env)), self.folder)
        said = ""
        try:
            for position, one in enumerate(cells):
                above = Transcript(self.source, cells[:position], one, metadata=self.metadata)
                if callable(one["source"]):
                    edit, one["source"] = one["source"], "%help"
                    edit(cells)
                elif one["cell_type"] == "markdown":
                    continue
                elif is_own_magic(one["source"]):
                    said = await self._magic(engine, one["source"], above)
                else:
                    await answer(engine, one, above)
        finally:
            await engine.services.close()
        return said

    async def _magic(self, engine, source, above):
        async def transcript():
            return above

        def mark(message):
            self.marked.append(message)
            return self.page

        return await run_magic(source, MagicContext(engine, transcript, mark=mark))


def cell(number, source):
    empty = {"id": f"c{number + 1}", "cell_type": "code", "metadata": {}, "outputs": []}
    return empty | (source if isinstance(source, dict) else {"source": source})


def note(source):
    return {"cell_type": "markdown", "source": source}


async def answer(engine, one, above):
    turn = json.loads(json.dumps(await run_turn(engine, one["source"], above)))
    one["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}]


@pytest.fixture
def play(server, tmp_path):
    folder = tmp_path / "notebook"
    folder.mkdir()
    return Play(server, folder)


@pytest.fixture
def with_agents(play):
    play.metadata = {"msgbook": {"frontmatter": AGENTS}}
    return play


def edited(position, words):
    """A cell that, when it is its turn, edits another one."""

    def edit(cells):
        cells[position]["source"] = words

    return edit


def test_the_agent_that_a_cell_chooses_answers_below_it(with_agents):
    said = with_agents("%agent default reviewer", "Look.", "%agent")

    assert said == "reviewer (frontmatter, strict-1)\nmodel: strict-1"
    request = with_agents.server.requests[-1]
    assert request["model"] == "strict-1"
    assert chat_messages(request) == [
        {"role": "system", "content": build_system_prompt("You review.", [], ["."])},
        {"role": "user", "content": "Look."},
    ]


def test_a_new_agent_answers_where_a_prompt_names_it_and_makes_no_message(play):
    play("%agent new fast models=small temperature=0", "%%msg agent=fast\nHi")

    request = play.server.requests[-1]
    assert (request["model"], request["temperature"]) == ("small", 0)
    assert [m["role"] for m in chat_messages(request)] == ["system", "user"]


def test_an_agent_that_is_not_defined_is_no_default(with_agents):
    with pytest.raises(UnknownAgentError, match="writer, reviewer, assistant"):
        with_agents("%agent default nobody")


def test_agents_of_all_places_are_listed(with_agents):
    folder = with_agents.folder / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "local.md").write_text("---\nmodels: qwen3\n---\nBe brief.")
    (with_agents.folder / "msgbook.toml").write_text('[agents.mine]\nmodels = ["own"]\n')
    with_agents.env["MSGBOOK_CONFIG"] = str(with_agents.folder / "msgbook.toml")

    said = with_agents("%agent new fast models=small", "%agent list")

    assert [line[3:].split()[0] for line in said.splitlines()[:-2]] == [
        "fast",
        "writer",
        "reviewer",
        "local",
        "mine",
        "assistant",
    ]


def test_the_model_that_would_answer_is_that_of_the_agent(with_agents):
    assert with_agents("%model") == "gpt-5"
    assert with_agents("%agent default reviewer", "%model") == "strict-1"
    assert with_agents("%model other", "%model") == "other"
    with_agents.metadata = {}
    assert with_agents("%model") == "m"


def test_the_agent_says_the_model_without_asking_a_server(no_settings, play):
    play.server.models = ["one"]
    del play.env["MSGBOOK_MODEL"]

    assert play("%agent").endswith("model: the server's only model")
    assert play("%model") == "one"
    play.env.clear()
    assert play("%agent").endswith("model: demo")


def test_rules_and_skills_are_those_of_the_project(with_agents):
    rules = with_agents.folder / ".msgbook" / "rules"
    rules.mkdir(parents=True)
    (rules / "style.md").write_text("Be brief.")
    (rules / "other.md").write_text("Be long.")
    skill = with_agents.folder / ".agents" / "skills" / "pdf"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: pdf\ndescription: Reads PDF.\n---\n")
    with_agents.metadata["msgbook"]["skills"] = ["pdf"]

    assert with_agents("%rules").startswith("*  other.md  length 8\n*  style.md  length 9\n")
    below = with_agents("%agent default reviewer", "%rules")
    assert below.startswith("   other.md  length 8\n*  style.md  length 9\n")
    assert with_agents("%skills").startswith("*  pdf  Reads PDF.\n")


@over_all_apis
def test_the_cache_names_the_cell_that_broke_it(play):
    assert "two turns" in play("One", "%cache")
    assert "Nothing broke the cache" in play("One", "Two", "%cache")
    assert "cell 1 (Changed): it was edited" in play(
        "One", "Two", edited(0, "Changed"), "Three", "%cache"
    )


@over_all_apis
def test_turns_that_were_asked_something_else_are_stale(with_agents):
    cells = ["One", "%agent default reviewer", "Two", "%%msg agent=writer\nThree"]

    assert with_agents(*cells, "%stale").startswith("No turn above is stale")
    said = with_agents(*cells, edited(0, "Changed"), "%stale")
    assert "3 turns" in said
    assert "cell 3 [c3] (Two)" in said


def test_a_turn_of_an_agent_that_is_gone_is_not_judged(with_agents):
    cells = ["%agent new fast models=small", "%%msg agent=fast\nOne", edited(0, "Nobody")]

    assert with_agents(*cells, "%stale").startswith("No turn above is stale")


@over_all_apis
def test_compact_has_the_page_mark_old_turns(play):
    play.page = True

    said = play("One", "Two", "%compact 1")

    assert said.startswith("Sent as summaries from now on (1):\n  cell 1 (One)")
    assert play.marked == [{"type": "cells.mark", "cells": ["c1"], "history": "summary"}]


@pytest.mark.parametrize("source", ["live", "memory"])
def test_without_a_page_that_shows_the_cells_compact_says_what_to_write(play, source):
    play.page = source == "memory"
    play.source = source

    said = play("One", "Two", "%compact 0")

    assert said.startswith(
        "No page is open that could mark the cells. These turns can be summed up (2):"
    )
    assert len(play.marked) == (source == "live")


@over_all_apis
def test_the_context_is_told_cell_by_cell(with_agents):
    (with_agents.folder / "AGENTS.md").write_text("Be brief. " * 40)

    said = with_agents("What is a quine?", "%model other", "%context").splitlines()

    assert said[0] == (
        "writer answers, with other at openai. 1 of 2 cells above is sent, from the open notebook."
    )
    assert said[1] == ""
    assert said[2].startswith("system message: ")
    assert re.match(r"\d+ tools: ", said[3])
    assert said[4].startswith("cell 1 [c1] (What is a quine?): ")
    assert said[5] == ""
    assert said[6].startswith("In all about ")
    assert "of a context window of 9,000, plus what you write" in said[6]


def test_rules_that_the_next_prompt_brings_count(play):
    (play.folder / "AGENTS.md").write_text("Be brief. " * 40)

    assert "\nproject rules, with your next prompt: 1" in play("%context")
    assert "your next prompt" not in play("One", "%context")


def test_of_very_many_cells_the_heaviest_are_named(play):
    said = play(*(note("x" * 40 * n) for n in range(1, 105)), "%context")

    assert "4 smaller cells, together: 100 tokens" in said
    assert "cell 4 [" not in said
    assert "cell 5 [" in said


@over_all_apis
def test_a_context_in_full_is_the_messages_as_they_would_be_sent(play):
    (play.folder / "a.txt").write_text("text of a file")

    found = json.loads(play("See @[a.txt].", "%context full"))

    assert found[:2] == play.server.messages()
    assert found[2:] == [
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "(your next prompt)"},
    ]


def test_a_long_context_in_full_is_bounded_and_says_so(play):
    said = play(*(note("y" * 100_000) for _ in range(300)), "%context full")

    assert len(said) < 210_000
    assert "98000 characters left out" in said
    assert "`msgbook preview FILE --json` prints everything" in said


def test_a_context_asks_no_server_runs_nothing_and_says_what_is_wrong(play):
    del play.env["MSGBOOK_MODEL"]
    play.server.models_body = "nobody should ask"
    play.metadata = {"msgbook": {"skills": ["gone"]}}

    said = play("%context")

    assert "with the server's only model at openai" in said
    assert said.endswith("skills of the notebook: there is no 'gone'.")
    assert play.server.requests == []


def test_a_context_that_does_not_fit_is_said_with_the_cells(with_agents):
    said = with_agents(note("long " * 9000), "%context")

    assert "fit into the context_window of agent writer" in said


@pytest.mark.parametrize("words", ["all", "full now"])
def test_other_words_are_refused(play, words):
    with pytest.raises(UsageError, match=r"%context"):
        play(f"%context {words}")
