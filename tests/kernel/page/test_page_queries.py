"""What toolbars ask: the agents and models to choose from, and a fork."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_comm import Page

from msgbook.kernel.session import Session
from msgbook_format import reads
from msgbook_format.syntax import CHAT_CELLS

FRONTMATTER = "# Who speaks here.\nagents:\n  writer: {models: gpt-5}\n  critic:\n"
AGENTS = {"cells": [], "metadata": {"frontmatter": FRONTMATTER}}


@pytest.fixture
def ask(server, tmp_path, monkeypatch):
    """Asks a kernel in `tmp_path`, and returns its answer."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("MSGBOOK_MODEL", "set-by-user")

    def ask(name: str, /, **params: Any) -> dict[str, Any]:
        return asyncio.run(_ask(Session(tmp_path, dict, CHAT_CELLS), name, params))

    return ask


async def _ask(session: Session, name: str, params: dict[str, Any]) -> dict[str, Any]:
    session.answer_queries(asyncio.get_running_loop())
    answered = asyncio.Event()
    page = Page(session.page, "a page", lambda _message: answered.set())
    page.say({"type": "query", "request_id": "r", "name": name, "params": params})
    await answered.wait()
    await session.close()
    return {key: page.sent[0][key] for key in page.sent[0].keys() & {"result", "error"}}


def magic(source: str) -> dict[str, str]:
    return {"id": "m", "cell_type": "code", "source": source}


def test_the_agents_of_all_places_are_listed_with_the_one_that_answers(ask, tmp_path):
    (tmp_path / ".msgbook" / "agents").mkdir(parents=True)
    (tmp_path / ".msgbook" / "agents" / "helper.md").write_text("---\ndescription: Helps.\n---\n")
    cells = [magic("%agent new fast models=small")]

    found = ask("agents.list", **{**AGENTS, "cells": cells})["result"]

    assert [(a["name"], a["origin"], a["models"], a["is_default"]) for a in found["agents"]] == [
        ("fast", "cell", ["small"], False),
        ("writer", "notebook", ["gpt-5"], True),
        ("critic", "notebook", [], False),
        ("helper", "project", [], False),
        ("assistant", "built-in", [], False),
    ]
    assert (found["agent"], found["model"], found["provider"]) == ("writer", "gpt-5", None)


@pytest.mark.parametrize(
    ("metadata", "cells", "answering"),
    [
        ({}, [], ("assistant", "set-by-user")),
        ({"model": "chosen"}, [], ("assistant", "chosen")),
        ({"model": "chosen", "frontmatter": FRONTMATTER}, [], ("writer", "chosen")),
        ({"model": "chosen"}, [magic("%model above")], ("assistant", "above")),
        ({"model": "chosen"}, [2, magic("%model above"), 999], ("assistant", "above")),
        ({"model": ["no", "name"]}, [], ("assistant", "set-by-user")),
    ],
)
def test_the_model_of_the_notebook_is_less_than_a_cells_and_more_than_an_agents(
    ask, metadata, cells, answering
):
    found = ask("agents.list", cells=cells, metadata=metadata)["result"]
    assert (found["agent"], found["model"]) == answering


def test_an_agent_that_is_missing_is_a_problem_and_the_others_are_listed(ask):
    found = ask("agents.list", cells=[], metadata={"frontmatter": "default_agent: gone\n"})[
        "result"
    ]
    assert "There is no agent 'gone'" in found["problem"]
    assert [agent["name"] for agent in found["agents"]] == ["assistant"]


def test_a_chosen_agent_changes_one_line_of_the_frontmatter(ask):
    chosen = ask("agents.choose", frontmatter=FRONTMATTER, agent="critic")["result"]["frontmatter"]
    assert chosen == FRONTMATTER + "default_agent: critic\n"
    again = ask("agents.choose", frontmatter=chosen, agent="writer")["result"]["frontmatter"]
    assert again == FRONTMATTER + "default_agent: writer\n"


@pytest.mark.parametrize("agent", ["", " ", "a\nb", "a\u2028b"])
def test_an_agent_without_a_name_on_one_line_is_not_chosen(ask, agent):
    assert "Expected the name" in ask("agents.choose", frontmatter="", agent=agent)["error"]


@pytest.mark.parametrize(
    "frontmatter", ["[not, a mapping]\n", "default_agent:\n  a\n", "jupyter: {}\n", "a\n---\nb\n"]
)
def test_a_frontmatter_that_one_line_cannot_change_stays_and_says_why(ask, frontmatter):
    answer = ask("agents.choose", frontmatter=frontmatter, agent="writer")
    assert answer["error"].startswith("The agent was not chosen: ")


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"cells": {}, "metadata": {}},
        {"cells": ["a"], "metadata": {}},
        {"cells": [-1], "metadata": {}},
        {"cells": [1.5], "metadata": {}},
        {"cells": [True], "metadata": {}},
        {"cells": [10**6, 1], "metadata": {}},
        {"cells": [10**15], "metadata": {}},
        {"cells": [{"cell_type": "code"}], "metadata": {}},
        {"cells": [], "metadata": []},
    ],
)
def test_cells_of_wrong_types_are_refused_in_words(ask, params):
    assert "has to be" in ask("agents.list", **params)["error"]


def test_models_are_those_of_the_named_provider(ask, server):
    server.models = ["one", "two"]
    assert ask("models.list")["result"] == {"models": ["one", "two"]}
    assert "not in your configuration" in ask("models.list", provider="other")["error"]
    assert "has to be a text" in ask("models.list", provider=["other"])["error"]


def test_a_fork_is_made_beside_the_saved_file(ask, tmp_path):
    text = "# %% [^one]\n\nOne\n\n# %% [^two]\n\nTwo\n"
    (tmp_path / "chat.msg.md").write_text(text)
    assert ask("conversation.fork", name="chat.msg.md", cell_id="one") == {
        "result": {"name": "chat-fork.msg.md"}
    }
    [cell] = reads((tmp_path / "chat-fork.msg.md").read_text()).cells
    assert cell.id == "one"
    assert (tmp_path / "chat.msg.md").read_text() == text


@pytest.mark.parametrize("name", ["", ".", "..", "../chat.msg.md", "a/b", "a\\b", "gone.msg.md"])
def test_no_other_file_is_forked(ask, tmp_path, name):
    assert "error" in ask("conversation.fork", name=name, cell_id="one")
    assert list(tmp_path.iterdir()) == []
