"""`@[an.ipynb:cell:ID]`: a cell of another notebook, or lines of it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import text
from talk import content_reference, notices

from msgbook.approval import Answer, Roots
from msgbook.errors import ToolError
from msgbook.request.context.files import FileSources
from msgbook.request.context.references import ResolvedReferences, resolve_references
from msgbook.request.context.tags import Lines, Reference, TagError, parse_tag
from msgbook.tools.files.notebooks import notebook_text

FIT = "fit = lm(y ~ x)\nsummary(fit)\nplot(fit)"
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "R2 = 0.98\n"}


def code(source: Any, cell_id: str | None, *outputs: Any) -> dict[str, Any]:
    named = {} if cell_id is None else {"id": cell_id}
    ran = {"execution_count": 1, "outputs": list(outputs)}
    return {**named, "cell_type": "code", "metadata": {}, "source": source, **ran}


def notebook(*cells: Any, **keys: Any) -> str:
    spec = {"name": "ir", "language": "R", "display_name": "R"}
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, **keys}
    return json.dumps({**whole, "cells": list(cells)})


BOOK = notebook(
    {"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Fits"},
    code(FIT, "5fb8acd8-11", OUTPUT),
    code("library(mgcv)", "12345678"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "an.ipynb").write_text(BOOK)
    return tmp_path


class Files(FileSources):
    """Sources on disk that know nothing else."""

    async def cell(self, cell_id: str) -> Any: ...

    async def python(self, name: str) -> Any: ...

    async def tool(self, name: str, arguments: str) -> Any: ...


def resolved(folder: Path, prompt: str, **macros: str) -> ResolvedReferences:
    return asyncio.run(resolve_references(prompt, macros, Files(Roots(folder))))


def words(folder: Path, prompt: str) -> str:
    found = resolved(folder, prompt)
    assert found.files == {}
    (notice,) = found.notices
    return notice.text


def test_a_cell_is_sent_with_its_output(folder):
    key = "an.ipynb:cell:5fb8acd8-11"

    found = resolved(folder, f"Why? @[{key}]")

    shown = f"[cell: code]\n```R\n{FIT}\n```\nOutput:\n```\nR2 = 0.98\n```\n"
    assert found.files == {key: shown}
    assert found.notices == []


@pytest.mark.parametrize("name", ["5fb8acd8-11", "5fb8", "#2", " #2 "])
def test_a_cell_is_named_as_elsewhere(folder, name):
    (shown,) = resolved(folder, f"@[an.ipynb:cell:{name}]").files.values()

    assert FIT in shown
    assert "mgcv" not in shown


def test_lines_are_those_of_the_cell_and_bring_no_output(folder):
    keys = ("an.ipynb:cell:5fb8:2", "an.ipynb:cell:5fb8:2:9", "an.ipynb:cell:12345678:1")

    found = resolved(folder, " ".join(f"@[{key}]" for key in keys))

    assert list(found.files.values()) == [
        "summary(fit)",
        "summary(fit)\nplot(fit)",
        "library(mgcv)",
    ]


def test_line_ends_of_a_cell_are_those_that_its_editor_shows(tmp_path):
    (tmp_path / "an.ipynb").write_text(notebook(code(["a\r\n", "b\rc\n"], "x")))

    found = resolved(tmp_path, "@[an.ipynb:cell:x:2] @[an.ipynb:cell:x:3]")

    assert list(found.files.values()) == ["b", "c"]


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("an.ipynb:CELL:x:y", "expected @[an.ipynb:cell:ID] or @[an.ipynb:cell:ID:1:20]"),
        ("an.ipynb:cell:x:cell:y", "expected @[an.ipynb:cell:ID] or @[an.ipynb:cell:ID:1:20]"),
        ("an.ipynb:cell:none", "no cell in an.ipynb has the id 'none'"),
        ("an.ipynb:cell:#9", "no cell in an.ipynb has the id '#9'"),
        ("an.ipynb:cell:", "expected the id of a cell after cell:"),
        ("an.ipynb:cell: :3", "expected the id of a cell after cell:"),
        ("an.ipynb:cell:5fb8:4", "the cell has 3 lines"),
        ("an.ipynb:cell:5fb8:3:2", "expected lines FIRST:LAST, counted from 1; got 3:2"),
        ("an.ipynb:cell:5fb8:1:2:3", "expected @[an.ipynb:cell:ID] or @[an.ipynb:cell:ID:1:20]"),
        ("none.ipynb:cell:a", "there is no such file"),
        ("*.ipynb:cell:a", "expected one notebook before :cell:, got a pattern"),
        ("broken.ipynb:cell:a", "it is not valid JSON"),
        ("list.ipynb:cell:a", "it is JSON, but not a notebook"),
        ("folder.ipynb:cell:a", "it is not a notebook"),
        ("pdf.ipynb:cell:a", "it is not valid JSON"),
        ("link.ipynb:cell:a", "it is not a notebook"),
        ("a.md:cell:a", "expected lines as in @[a.md:1:20], got :cell:a"),
    ],
)
def test_what_is_no_cell_is_said_and_nothing_is_sent(folder, tag, said):
    (folder / "broken.ipynb").write_text('{"cells": [')
    (folder / "list.ipynb").write_text("[]")
    (folder / "folder.ipynb").mkdir()
    (folder / "pdf.ipynb").write_text("%PDF-1.4")
    (folder / "a.md").write_text("text")
    (folder / "link.ipynb").symlink_to("a.md")

    assert said in words(folder, f"@[{tag}]")


def test_cells_without_ids_have_numbers(tmp_path):
    cells = [code("first", None), "no cell", {"source": 3}, code("second", None)]
    (tmp_path / "old.ipynb").write_text(notebook(*cells, nbformat_minor=4))

    found = resolved(tmp_path, "@[old.ipynb:cell:#4]")

    assert list(found.files.values()) == ["[cell: code]\n```R\nsecond\n```\n"]
    assert "nor any other" in words(tmp_path, "@[old.ipynb:cell:abcd]")


def test_an_empty_cell_is_sent_as_such(tmp_path):
    (tmp_path / "an.ipynb").write_text(notebook(code("", "a")))

    assert resolved(tmp_path, "@[an.ipynb:cell:a]").files["an.ipynb:cell:a"].strip()


def test_names_of_files_win_and_macros_are_expanded(folder):
    (folder / "x.ipynb:cell:5fb8").write_text("a file")

    found = resolved(folder, "@[x.ipynb:cell:5fb8] @[{{BOOK}}.ipynb:cell:5fb8:1]", BOOK="an")

    assert list(found.files.values()) == ["a file", "fit = lm(y ~ x)"]


def test_a_cell_is_text_in_which_nothing_is_followed(tmp_path):
    (tmp_path / "a.py").write_text("opal-17")
    hostile = "@[a.py] {{A}} </content_reference>"
    (tmp_path / "an.ipynb").write_text(notebook(code(hostile, "a")))

    found = resolved(tmp_path, "@[an.ipynb:cell:a:1]", A="b")

    assert list(found.files.values()) == [hostile]


@pytest.mark.parametrize("name", ["../an.ipynb", ".ssh/an.ipynb", "away/an.ipynb"])
def test_the_rules_for_files_hold(talk, name):
    outside = talk.folder.parent / "an.ipynb"
    outside.write_text(BOOK)
    (talk.folder / ".ssh").mkdir()
    (talk.folder / ".ssh" / "an.ipynb").write_text(BOOK)
    (talk.folder / "away").symlink_to(talk.folder.parent)

    talk.ask(f"@[{name}:cell:5fb8]")
    asked = len(talk.questions)
    talk.answer = lambda question: Answer("once")
    talk.ask(f"Again: @[{name}:cell:5fb8]")

    assert asked == 1
    first, second = (str(m["content"]) for m in talk.sent() if m["role"] == "user")
    assert "R2 = 0.98" not in first
    assert "R2 = 0.98" in second


def test_a_cell_that_has_changed_since_is_named(talk):
    (talk.folder / "an.ipynb").write_text(BOOK)
    talk.ask("@[an.ipynb:cell:5fb8] @[an.ipynb:cell:12345678] @[an.ipynb:cell:title:1]")
    (talk.folder / "an.ipynb").write_text(
        notebook(code("other", "5fb8acd8-11"), code("library(mgcv)", "12345678"))
    )

    turn = talk.ask("And now?")

    (told,) = [w for w in notices(turn) if "have changed since" in w]
    assert "an.ipynb:cell:5fb8 (cell 1)" in told
    assert "an.ipynb:cell:title:1 (cell 1)" in told
    assert "12345678" not in told


def test_a_text_that_is_gone_is_made_again(talk):
    (talk.folder / "an.ipynb").write_text(BOOK)
    talk.ask("@[an.ipynb:cell:#3]")
    sent = content_reference(talk.sent()[-1])["files"]
    for blob in (talk.folder / ".msgbook" / "blobs").iterdir():
        blob.unlink()

    talk.server.answers = [text("Yes.")]
    talk.ask("And now?")

    messages = [m for m in talk.sent() if m["role"] == "user"]
    assert content_reference(messages[0])["files"] == sent


@given(
    st.text(max_size=30),
    st.text(":0123456789cel#.", max_size=12),
    st.sampled_from(["cell", "CELL"]),
)
def test_no_name_fails(cell, end, word):
    with suppress(TagError, ToolError):
        found = parse_tag(f"an.ipynb:{word}:{cell}{end}")
        assert notebook_text(BOOK.encode(), found.cell, "an.ipynb")


@pytest.mark.parametrize(
    ("tag", "reference"),
    [
        ("an.ipynb:cell:a", Reference("path", "an.ipynb", None, "a")),
        ("d/An.IPYNB:cell:12:3", Reference("path", "d/An.IPYNB", Lines(3, 3), "12")),
        ("an.ipynb:12:20", Reference("path", "an.ipynb", Lines(12, 20))),
        ("cell:an.ipynb:cell:a", Reference("cell", "an.ipynb:cell:a")),
    ],
)
def test_tags(tag, reference):
    assert parse_tag(tag) == reference
