"""Completion in prompts offers what there is, and nothing that may not be seen."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from completion_cells import READ, cell, prompt_scope
from hostile_strings import SHORT
from hypothesis import given
from hypothesis import strategies as st

from msgbook.agents import AgentSources, list_available_agents
from msgbook.config import LIMIT_KEYS, Settings
from msgbook.errors import ProviderError
from msgbook.kernel.assist.assistant import MODELS_KEPT, MODELS_RETRY, Assistant, ModelNames
from msgbook.kernel.assist.complete import complete, reply
from msgbook.kernel.assist.prompt_scope import is_unfinished
from msgbook.notebook.cells import find_cell
from msgbook.notebook.transcript import Notebook, SessionMemory
from msgbook.text import visible
from msgbook_format.syntax import ChatCells


@pytest.fixture
def scope(tmp_path):
    folder = tmp_path / "book"
    folder.mkdir()
    return prompt_scope(folder)


def texts(code, scope, cursor=None):
    matches = complete(code, len(code) if cursor is None else cursor, scope)
    return [match.text for match in matches.found]


def test_a_reference_completes_to_files_and_folders_of_the_notebook(scope):
    (scope.roots.folder / "src").mkdir()
    (scope.roots.folder / "src" / "main.py").touch()
    (scope.roots.folder / "sum.txt").touch()
    (scope.roots.folder / ".hidden").touch()

    assert texts("see @[s", scope) == ["src/", "sum.txt"]
    assert texts("see @[src/", scope) == ["src/main.py"]
    assert texts("see @[./src/m", scope) == ["./src/main.py"]
    assert texts("see @[.h", scope) == [".hidden"]
    assert set(texts("see @[", scope)) == {"src/", "sum.txt", "cell:", "py:"}


def book(*cells):
    found = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [*cells]}
    return json.dumps(found)


def test_the_cells_of_another_notebook_are_offered_by_number_and_words(scope):
    cells = [cell("# Fits") | {"id": "5fb8acd8-11"}, cell("plot(fit)"), cell(" "), 3]
    (scope.roots.folder / "an.ipynb").write_text(book(*cells))
    start = "an.ipynb:cell:"

    assert texts("@[an.ipynb:", scope) == texts("@[an.ipynb:c", scope) == [start]
    assert texts("@[an.ipynb:cell:", scope) == [f"{start}5fb8acd8", f"{start}#2"]
    assert texts("@[an.ipynb:cell:plo", scope) == [f"{start}#2"]
    assert texts("@[an.ipynb:cell:5f", scope) == [f"{start}5fb8acd8"]
    (found,) = complete("@[an.ipynb:cell:#2", 18, scope).found
    assert (found.kind, found.note) == ("cell", "[2] plot(fit)")


@pytest.mark.parametrize("where", ["", "an.ipynb:"])
def test_the_calls_of_a_completion_grow_with_the_cells_and_not_with_their_square(tmp_path, where):
    def completed(count):
        cells = [cell("x") | {"id": f"5fb8acd8-{number}"} for number in range(count)]
        (tmp_path / "an.ipynb").write_text(book(*cells))
        scope = prompt_scope(tmp_path, cells=cells)
        return calls_of(lambda: texts(f"@[{where}cell:none", scope))

    assert completed(1_000) < 20 * completed(100)


def calls_of(function):
    """Return the number of calls, of Python and C, that a function makes in this thread."""
    calls = 0

    def count(_frame, event, _called):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


def test_no_cell_is_offered_of_a_notebook_that_cannot_be_read_freely(scope, tmp_path):
    (tmp_path / "out.ipynb").write_text(book(cell("secret") | {"id": "5fb8acd8"}))
    folder = scope.roots.folder
    (folder / "link.ipynb").symlink_to(tmp_path / "out.ipynb")
    (folder / "broken.ipynb").write_text("{")
    (folder / "list.ipynb").write_text(book() + "]")
    (folder / "folder.ipynb").mkdir()
    (folder / "odd.ipynb").write_text(book(cell("x") | {"id": "a]\u202e"}))
    os.mkfifo(folder / "pipe.ipynb")

    for name in ("../out", "link", "broken", "list", "folder", "odd", "pipe", "none", "a\0"):
        assert texts(f"@[{name}.ipynb:cell:", scope) == []


def test_files_that_need_approval_are_not_offered(scope, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").touch()
    for name in (".env", "id_rsa", "server.pem"):
        (scope.roots.folder / name).touch()
    (scope.roots.folder / "away").symlink_to(tmp_path / "outside")
    (scope.roots.folder / "leak.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (scope.roots.folder / "here.txt").touch()
    (scope.roots.folder / "same.txt").symlink_to(scope.roots.folder / "here.txt")
    os.mkfifo(scope.roots.folder / "pipe")

    assert [t for t in texts("@[", scope) if ":" not in t] == ["here.txt", "same.txt"]
    for typed in ("@[../", "@[away/", "@[/etc/", "@[../outside/s", "@[.e", "@[i", "@[\0"):
        assert texts(typed, scope) == []


def test_a_link_to_itself_hides_no_other_file(scope):
    (scope.roots.folder / "loop").symlink_to("loop")
    (scope.roots.folder / "here.txt").touch()

    assert [t for t in texts("@[", scope) if ":" not in t] == ["here.txt"]


def test_names_that_a_tag_cannot_hold_are_not_offered(scope):
    for name in ("a]b", "a\nb", "a\u202eb", "a\x1bb", "a:1", os.fsdecode(b"a\xff")):
        (scope.roots.folder / name).touch()

    assert texts("@[a", scope) == []


def test_a_huge_folder_gives_a_bounded_number_of_matches(scope):
    for number in range(300):
        (scope.roots.folder / f"f{number}").touch()

    assert len(texts("@[f", scope)) == 200


def test_cells_are_offered_by_number_and_first_words(scope):
    matches = complete("@[cell:a", 8, scope)

    assert matches.found == [("cell:a1", "cell", "[1] What is 文?")]


def test_the_cells_above_are_offered_newest_first_by_ids_that_references_take(tmp_path):
    ids = ["5fb8acd8-1111", "5fb8acd9-2222", "5fb8acd9-3333", "own", "below"]
    cells = [cell(f"message {name}") | {"id": name} for name in ids]
    cells[3]["source"] = "see @[cell:"
    empty = cell("  \n") | {"id": "empty"}
    scope = prompt_scope(tmp_path, cells=[empty, *cells])

    found = complete("see @[cell:", 11, scope).found

    assert [(match.text, match.note) for match in found] == [
        ("cell:5fb8acd9-3", "[4] message 5fb8acd9-3333"),
        ("cell:5fb8acd9-2", "[3] message 5fb8acd9-2222"),
        ("cell:5fb8acd8", "[2] message 5fb8acd8-1111"),
    ]
    for match in found:
        position = find_cell(scope.cells[:4], match.text.removeprefix("cell:"), "above")
        assert match.note.startswith(f"[{position + 1}] ")


@pytest.mark.parametrize("typed", ["", "5fb8", "WHAT do", "1"])
def test_a_cell_is_found_by_its_id_its_number_and_its_words(tmp_path, typed):
    scope = prompt_scope(tmp_path, cells=[cell("What do you see?") | {"id": "5fb8acd8-1111"}])

    assert texts(f"@[cell:{typed}", scope) == ["cell:5fb8acd8"]
    assert texts("@[cell:nothing", scope) == []


@pytest.mark.parametrize("hostile", SHORT)
def test_a_cell_with_any_text_and_id_is_offered_on_one_line_that_can_be_seen(tmp_path, hostile):
    scope = prompt_scope(
        tmp_path, cells=[cell(hostile) | {"id": "5fb8acd8"}, cell("x") | {"id": hostile}]
    )

    for match in complete("@[cell:", 7, scope).found:
        assert "\n" not in match.note
        assert visible(match.note) == match.note
        assert visible(match.text) == match.text


def test_a_reply_shows_the_title_of_a_cell_and_inserts_its_id(scope):
    content = reply(complete("@[cell:a", 8, scope), 8)

    assert content["matches"] == ["cell:a1"]
    assert content["metadata"]["_jupyter_types_experimental"] == [
        {
            "start": 2,
            "end": 8,
            "text": "cell:a1",
            # Without a place where JupyterLab would begin a new line.
            "type": "cell:\u00a0[1]\u00a0What\u00a0is\u00a0文\u2060?\u2060",
            "signature": "[1] What is 文?",
        }
    ]


def test_names_of_the_notebooks_python_are_offered(scope):
    assert texts("@[py:ta", scope) == ["py:table", "py:tail"]


def test_tools_are_offered_where_a_reference_begins(tmp_path):
    scope = prompt_scope(tmp_path, tools=(READ,))

    assert texts("@[rea", scope) == ["read{"]
    assert texts('@[read{"pa', scope) == []


def test_a_tool_is_offered_if_the_agent_that_answers_has_it(tmp_path):
    sources = AgentSources("agents: {reviewer: {tools: []}, writer: {tools: read}}")
    prompt = cell("@[rea") | {"metadata": {"msgbook": {"agent": "writer"}}}
    known = {"tools": (READ,), "agents": lambda above: list_available_agents(above, sources)}
    scope = prompt_scope(tmp_path, **known)

    assert texts("@[rea", scope) == []
    assert texts("%%msg agent=writer\n@[rea", scope) == ["read{"]
    assert texts("@[rea", prompt_scope(tmp_path, cells=[prompt], **known)) == ["read{"]
    choice = cell("%agent default writer")
    assert texts("@[rea", prompt_scope(tmp_path, cells=[choice], **known)) == ["read{"]
    assert texts("%%msg agent=nobody\n@[rea", scope) == ["read{"]


def test_a_closed_reference_and_plain_text_complete_to_nothing(scope):
    (scope.roots.folder / "a.txt").touch()

    assert texts("@[a.txt] a", scope) == []
    assert texts("mail me@[home]", scope) == []
    assert texts("a", scope) == []
    assert texts("@[a.txt:1", scope) == []


def test_macros_of_this_cell_and_the_cells_above_are_offered(scope):
    assert texts("@{define TONE, dry} {{", scope) == ["GOAL", "TONE"]
    assert texts("{{G", scope) == ["GOAL"]
    assert texts("{{GOAL}} {", scope) == []


def test_a_lone_percent_completes_to_magics(scope):
    assert texts("%", scope) == ["%%msg", "%%python", "%model", "%models", "%time"]
    assert texts("%%m", scope) == ["%%msg"]
    assert texts("50 %", scope) == []


def test_models_are_offered_where_a_model_is_named(scope):
    assert texts("%model ", scope) == ["gpt-5", "qwen3"]
    assert texts("%model q", scope) == ["qwen3"]
    assert texts("%%msg history=exclude model=g", scope) == ["gpt-5"]


def test_the_msg_line_offers_its_attributes(scope):
    assert texts("%%msg h", scope) == ["history="]
    assert texts("%%msg history=", scope) == ["exclude", "include", "summary"]
    assert texts("%%msg max_steps=", scope) == []
    assert texts("%%msg history=exclude\nh", scope) == []
    names = {"agent", "history", "model", *LIMIT_KEYS}
    assert set(texts("%%msg ", scope)) == {f"{name}=" for name in names}


def test_a_line_that_makes_an_agent_offers_its_properties_and_models(scope):
    assert texts("%agent new fast mo", scope) == ["model=", "models="]
    assert texts("%agent new fast model=g", scope) == ["gpt-5"]
    assert texts("%agent new fast temperature=0 models=q", scope) == ["qwen3"]
    assert "system_prompt=" not in texts("%agent new fast ", scope)


def test_agents_are_offered_where_an_agent_is_named(tmp_path):
    sources = AgentSources("agents: {writer: {description: Writes prose.}}", {"local": ""})
    new = cell("%agent new fast models=m")
    scope = prompt_scope(
        tmp_path, cells=[new], agents=lambda above: list_available_agents(above, sources)
    )

    assert texts("%agent default ", scope) == ["fast", "writer", "local", "assistant"]
    assert texts("%%msg model=m agent=w", scope) == ["writer"]
    assert complete("%agent default w", 16, scope).found[0].note == "Writes prose."


class _Page:
    """A page that shows a notebook."""

    is_connected = True

    def __init__(self, shown):
        self.shown = shown

    async def all_cells(self):
        return self.shown


def test_agents_of_notebook_project_and_configuration_are_offered_as_they_are_now(tmp_path):
    frontmatter = {"msgbook": {"frontmatter": "agents: {writer: {}}"}}
    folder = tmp_path / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    assistant = Assistant(
        tmp_path,
        (),
        live=_Page(Notebook([cell("%agent new fast models=m")], frontmatter)),
        memory=SessionMemory(),
        tools=tuple,
        magics=lambda: ("%agent",),
        namespace={},
        hidden={},
        models=ModelNames(None),
        settings=lambda: Settings(agents={"mine": {}}),
    )

    def offered():
        return asyncio.run(assistant.complete("%agent default ", 15))["matches"]

    assert offered() == ["fast", "writer", "mine", "assistant"]
    (folder / "local.md").write_text("Be brief.")
    assert offered() == ["fast", "writer", "local", "mine", "assistant"]


def test_the_words_of_a_magic_are_offered(scope):
    assert texts("%agent ", scope) == ["default", "list", "new"]
    assert texts("%agent n", scope) == ["new"]
    assert texts("%agent new ", scope) == ["gpt-5", "qwen3"]
    assert texts("%context ", scope) == ["full"]
    assert texts("%display t", scope) == ["text"]
    assert texts("%macros ", scope) == ["-d"]
    assert texts("%macros -d OTHER G", scope) == ["GOAL"]


def test_a_prompt_that_begins_like_a_magic_is_a_prompt(scope):
    (scope.roots.folder / "a.txt").touch()

    assert texts("%50 of @[a", scope) == ["a.txt"]
    assert texts("%agent default\n@[a", scope) == ["a.txt"]


def test_only_the_cells_above_count(tmp_path):
    cells = [cell("#define A 1"), cell("I use {{"), cell("#define B 2")]

    assert texts("I use {{", prompt_scope(tmp_path, cells=cells)) == ["A"]
    # Of two cells that read the same nobody can say which one it is.
    assert texts("I use {{", prompt_scope(tmp_path, cells=[*cells, cells[1]])) == ["A", "B"]


def test_macros_of_the_notebook_count_and_removed_ones_do_not(tmp_path):
    scope = prompt_scope(
        tmp_path,
        cells=[cell("#define A 1"), cell("%macros -d A")],
        metadata={"msgbook": {"macros": {"NOTED": "x"}}},
        cell_rule=ChatCells(lambda name: name == "%macros"),
    )

    assert texts("{{", scope) == ["NOTED"]


def test_positions_are_code_points(scope):
    (scope.roots.folder / "文.txt").touch()
    code = "😀😀 @[文 and more"

    content = reply(complete(code, 6, scope), 6)

    assert (content["matches"], content["cursor_start"], content["cursor_end"]) == (
        ["文.txt"],
        5,
        6,
    )
    assert content["metadata"]["_jupyter_types_experimental"] == [
        {"start": 5, "end": 6, "text": "文.txt", "type": "file", "signature": ""}
    ]


@given(st.text(st.sampled_from("@[]{}%msg =:/\\.\n文😀")), st.integers(-3, 40))
def test_no_text_and_no_cursor_position_raises_an_error(code, cursor):
    complete(code, cursor, prompt_scope(Path("/nowhere-at-all")))
    is_unfinished(code)


@pytest.mark.parametrize(
    ("code", "unfinished"),
    [
        ("hello", False),
        ("see @[a.txt", True),
        ("see @[a.txt]", False),
        ("@[a] and @[b", True),
        ("go on \\", True),
        ("a] @[", True),
        ("", False),
    ],
)
def test_an_open_reference_and_a_backslash_go_on(code, unfinished):
    assert is_unfinished(code) is unfinished


def test_the_server_is_asked_for_models_rarely_and_only_when_they_are_needed():
    asked = []
    now = 0.0

    async def offered():
        asked.append(now)
        return ["a"]

    async def use():
        nonlocal now
        names = ModelNames(offered, lambda: now)
        names.refresh()
        assert asked == []
        seen = []
        for time in (1.0, 2.0, 2.0 + MODELS_KEPT):
            now = time
            seen.append(names.known())
            names.refresh()
            await asyncio.sleep(0)
        names.close()
        return seen

    assert asyncio.run(use()) == [[], ["a"], ["a"]]
    assert asked == [1.0, 2.0 + MODELS_KEPT]


def test_a_server_that_named_no_models_is_soon_asked_again():
    now = 0.0

    async def offered():
        if now < MODELS_RETRY:
            raise ProviderError("X", "not yet")
        return ["a"]

    async def use():
        nonlocal now
        names = ModelNames(offered, lambda: now)
        for time in (0.0, 1.0, 2 * MODELS_RETRY):
            now = time
            names.known()
            names.refresh()
            await asyncio.sleep(0)
        return names.known()

    assert asyncio.run(use()) == ["a"]


def test_a_server_that_cannot_be_asked_offers_no_models():
    async def offered():
        raise ProviderError("X", "no")

    async def use():
        names = ModelNames(offered)
        names.known()
        names.refresh()
        await asyncio.sleep(0)
        return names.known()

    assert asyncio.run(use()) == []
