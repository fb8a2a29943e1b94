"""Inspection says what a tag brings, within what may be read, and runs nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from completion_cells import READ, prompt_scope
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents import AgentSources, list_available_agents, read_project
from msgbook.config import ProviderSettings, Settings
from msgbook.kernel.assist.assistant import Assistant, ModelNames
from msgbook.kernel.assist.inspect import inspect
from msgbook.kernel.assist.prompt_scope import python_name_at
from msgbook.kernel.page.page_comms import PageComms
from msgbook.notebook.transcript import SessionMemory


@pytest.fixture
def look(tmp_path):
    folder = tmp_path / "book"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("not yours")
    (folder / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 41)))
    (folder / "src").mkdir()
    (folder / "src" / "b.py").touch()
    (folder / ".env").write_text("KEY=hidden")
    (folder / "data.bin").write_bytes(b"\0\1\2")
    scope = prompt_scope(folder, tools=(READ,))
    return lambda code, cursor=3: asyncio.run(inspect(code, cursor, scope))


def test_a_file_is_shown_with_its_size_and_its_head(look):
    text = look("@[a.txt] and more")

    assert text.startswith("a.txt: 40 lines, about 78 tokens\n\nline 1\nline 2\n")
    assert text.endswith("line 20\n...")


def test_one_line_is_written_in_the_singular(look, tmp_path):
    (tmp_path / "book" / "one.txt").write_text("\n")

    assert look("@[one.txt]").startswith("one.txt: 1 line, about 1 token\n")


def test_lines_of_a_file_are_shown(look):
    assert look("@[a.txt:10:12]").startswith(
        "a.txt:10:12: 3 lines, about 6 tokens\n\nline 10\nline 11\nline 12"
    )
    assert look("@[a.txt:7]").startswith("a.txt:7: 1 line, about 2 tokens")
    assert "a.txt:39:99: 2 lines" in look("@[a.txt:39:99]")
    assert "the file has 40 lines" in look("@[a.txt:41:50]")
    assert "expected lines FIRST:LAST" in look("@[a.txt:0]")


def test_a_cell_of_another_notebook_is_shown_as_it_would_be_sent(look, tmp_path):
    cell = {"cell_type": "code", "id": "fit", "source": "lm(y)\nplot(y)", "metadata": {}}
    cells = [cell | {"execution_count": 1, "outputs": []}]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "book" / "an.ipynb").write_text(json.dumps(book))

    whole, line = look("@[an.ipynb:cell:fit]"), look("@[an.ipynb:cell:fit:2]")

    assert whole.startswith("an.ipynb:cell:fit: 5 lines, about ")
    assert "The cell's output is sent with it." in whole
    assert line.startswith("an.ipynb:cell:fit:2: 1 line, about ")
    assert line.endswith("\n\nplot(y)")
    assert "no cell in an.ipynb has the id 'none'" in look("@[an.ipynb:cell:none]")


def test_a_folder_shows_what_would_be_sent_of_it(look):
    assert "[FILE] a.txt\n[FILE] data.bin\n[DIR] src" in look("@[.]")


def test_several_files_are_shown_with_their_sizes_and_the_sum(look, tmp_path):
    (tmp_path / "book" / "b.txt").write_text("four" * 3)

    assert look("@[*.txt]").startswith(
        "a.txt: 40 lines, about 78 tokens\nb.txt: 1 line, about 3 tokens\n"
        "together: about 81 tokens\n\nline 1\n"
    )


def test_files_that_a_file_refers_to_count(look, tmp_path):
    (tmp_path / "book" / "notes.md").write_text("See @[a.txt] and @[gone.txt].")

    text = look("@[notes.md]")

    assert text.startswith("notes.md: 1 line, about 8 tokens\na.txt: 40 lines, about 78 tokens\n")
    assert "notes.md: @[gone.txt] is not sent: there is no such file" in text


def test_macros_in_a_path_are_expanded(look, tmp_path):
    (tmp_path / "book" / "short.txt").write_text("found")

    assert look("@[{{GOAL}}.txt]").startswith("short.txt: 1 line, about 2 tokens\n\nfound")


def test_a_path_with_brackets_is_one(look, tmp_path):
    (tmp_path / "book" / "a[1].txt").write_text("one")

    assert look("@[a[1].txt]", 9).startswith("a[1].txt: 1 line")


def test_a_bare_path_is_a_reference_only_if_there_is_such_a_file(look):
    assert look("@a.txt, please").startswith("a.txt: 40 lines")
    assert look("@someone, please") is None


def test_text_in_code_is_no_reference(look):
    assert look("`@[a.txt]`") is None
    assert look("\\@[a.txt]", 4) is None


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", ".env"])
def test_a_file_that_needs_approval_is_named_and_not_shown(look, path):
    text = look(f"@[{path}]")

    assert "needs approval" in text
    assert [word for word in ("not yours", "root:", "hidden") if word in text] == []


def test_a_missing_or_binary_file_is_named_as_such(look):
    assert look("@[nothing.txt]").startswith("@[nothing.txt] is not sent: ")
    assert "(binary file, application/octet-stream, 3 bytes)" in look("@[data.bin]")
    assert "no cell above has the id 'zz'" in look("@[cell:zz]")
    assert "there is no such variable in the notebook" in look("@[py:zz]")


def test_invisible_characters_are_shown(look, tmp_path):
    (tmp_path / "book" / "esc.txt").write_text("\x1b[31mred\u202e")

    assert look("@[esc.txt]").isascii()
    assert "\x1b" not in look("@[esc.txt]")


def test_a_cell_is_shown_by_its_first_lines(look):
    text = look("@[cell:a1]")

    assert text.startswith("cell:a1: ")
    assert "The cell's output is sent with it.\n" in text
    assert "What is 文?" in text


def test_a_macro_shows_its_value_and_where_it_is_expanded(look):
    assert look("{{GOAL}}").startswith("GOAL = short\n\nIt is expanded in references")
    assert "neither this cell nor a cell above defines it" in look("{{OTHER}}")


def test_a_tool_shows_its_parameters_and_does_not_run(look):
    text = look('@[read{"path": "a"}]')

    assert text.startswith("read(path, start?)\n\nRead a file.\n")
    assert "It runs before the model is called" in text
    assert look('@[read {"path":\n "a"}]', 12) == text
    assert look('@[gone{"path": "a"}]').startswith("gone: there is no such tool.")


def test_a_tool_that_the_agent_does_not_have_is_described_as_such(tmp_path):
    sources = AgentSources("agents: {reviewer: {tools: []}}")
    scope = prompt_scope(
        tmp_path, tools=(READ,), agents=lambda above: list_available_agents(above, sources)
    )

    text = asyncio.run(inspect('@[read{"path": "a"}]', 5, scope))

    assert text.startswith("read(path, start?)")
    assert text.endswith("the call would fail.")


def test_a_variable_shows_what_is_sent_of_it_with_its_tokens(tmp_path):
    async def describe(name: str) -> str:
        return f"int: the value of {name}"

    scope = prompt_scope(tmp_path, describe=describe)
    for code in ("@[py:n]", "@[py:n", "@[py: n ]"):
        text = asyncio.run(inspect(code, 4, scope))
        assert text.startswith("py:")
        assert "1 line, about 5 tokens\n\nint: the value of n" in text


def test_a_magic_shows_its_help(look):
    assert "the models that the server offers" in look("%models")
    assert look("%%msg model=x", 2).splitlines()[-1].endswith("max_cost= money")
    assert "%agent new NAME" in look("%agent")


def test_an_open_reference_shows_what_it_would_bring(look):
    assert look("see @[a.txt", 11).startswith("a.txt: 40 lines")


def test_plain_text_shows_nothing(look):
    assert look("just words") is None
    assert look("@[a.txt] and more", 14) is None


def test_the_name_in_a_python_reference_is_found():
    assert python_name_at("see @[py:table]", 11) == "table"
    assert python_name_at("see @[table]", 8) is None


@given(st.text(st.sampled_from("@[]{}%m=:1/.\n\0文")), st.integers(-3, 30))
def test_no_text_and_no_cursor_position_raises_an_error(code, cursor):
    asyncio.run(inspect(code, cursor, prompt_scope(Path("/nowhere-at-all"))))


def test_a_tooltip_shows_no_key(tmp_path):
    key = "the key is sk-0123456789"
    (tmp_path / "notes.txt").write_text(key)
    (tmp_path / "long.txt").write_text(key.rjust(2010, "-"))  # its first lines end within the key
    provider = ProviderSettings("openai", api_key="sk-0123456789")
    assistant = Assistant(
        tmp_path,
        (),
        live=PageComms(),
        memory=SessionMemory(),
        tools=tuple,
        magics=tuple,
        namespace={},
        hidden={},
        models=ModelNames(None),
        settings=lambda: Settings({"openai": provider}),
    )

    async def shown(code: str) -> str:
        return (await assistant.inspect(code, 5))["data"]["text/plain"]

    assert "the key is [redacted]" in asyncio.run(shown("@[notes.txt]"))
    assert "sk-" not in asyncio.run(shown("@[long.txt]"))


def test_the_name_of_an_agent_shows_what_the_agent_is(tmp_path):
    folder = tmp_path / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "helper.md").write_text(
        "---\nname: helper\ndescription: Reads\u202e files\ntools: [read]\n---\nHelp.\n"
    )
    project = read_project(tmp_path, tmp_path)
    sources = AgentSources.from_notebook({}, project, Settings().agents)
    scope = prompt_scope(tmp_path, agents=lambda above: list_available_agents(above, sources))
    shown = asyncio.run(inspect("%%msg agent=helper\nHi", 14, scope))
    assert shown is not None
    assert shown.startswith("helper: Reads\\u202e files")
    assert "tools: read" in shown
    nobody = asyncio.run(inspect("%agent default nobody", 18, scope))
    assert nobody == "nobody: there is no such agent here."
    assert asyncio.run(inspect("%%msg agent=helper\nHi", 20, scope)) is None
