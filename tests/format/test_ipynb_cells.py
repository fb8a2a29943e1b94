"""Changes of one cell in the text of an `.ipynb`, written in many ways: they read back, and all else stays to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from msgbook_format.files import with_cell_source, with_new_cell

SOURCES = st.text(st.sampled_from('au"\\\n\r\té\u2028\x0b{}[],: '), max_size=12)
CELLS = st.lists(
    st.fixed_dictionaries(
        {
            "cell_type": st.sampled_from(["code", "markdown"]),
            "source": SOURCES.map(lambda text: text.splitlines(True)) | SOURCES,
            "metadata": st.sampled_from(
                [{}, {"execution": {}}, {"a": 1, "execution": {}, "b": []}]
            ),
        },
        optional={"outputs": st.just([{"data": {"source": ['"cells"']}}])},
    ),
    max_size=4,
)
STYLES = [
    {"indent": 1}, {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")},
    {"indent": 1, "ensure_ascii": False, "separators": (",", ": ")},
]  # fmt: skip


def written(cells: list[Any], style: Any) -> str:
    return json.dumps({"a": {"cells": []}, "cells": cells, "nbformat": 4, "z": "cells"}, **style)


def source_of(cell: Any) -> str:
    return "".join(cell["source"])


@pytest.mark.parametrize("style", STYLES)
@given(cells=CELLS.filter(bool), source=SOURCES, data=st.data())
def test_one_cell_gets_another_source(style, cells, source, data):
    number = data.draw(st.integers(0, len(cells) - 1))
    text = written(cells, style)

    changed = with_cell_source(text, number, source)

    after = json.loads(changed)["cells"]
    assert source_of(after[number]) == source
    assert type(after[number]["source"]) is type(cells[number]["source"])
    if cells[number]["cell_type"] == "code":
        assert "execution" not in after[number]["metadata"]
        assert not after[number].get("outputs")
    else:
        assert after[number]["metadata"] == cells[number]["metadata"]
    cells[number] = after[number]
    assert after == cells
    # The parts of the text in front of the cell and behind it are the same.
    marked = [*cells[:number], "HERE", *cells[number + 1 :]]
    head, tail = written(marked, style).split('"HERE"')
    assert changed.startswith(head)
    assert changed.endswith(tail)


def cell_of(*lines: str) -> Any:
    return {"cell_type": "code", "source": [*lines], "metadata": {}}


@pytest.mark.parametrize("style", STYLES)
@given(cells=CELLS, source=SOURCES, place=st.integers(0, 4))
@example(cells=[], source="\x0bé", place=0)
@example(cells=[cell_of("\x0b")], source="é", place=0)
@example(cells=[cell_of("\\usepackage")], source="é", place=0)
@example(cells=[cell_of("\\é")], source="é", place=0)
def test_a_cell_more_is_written_like_the_others(style, cells, source, place):
    number = min(place, len(cells))
    cell = {"cell_type": "markdown", "id": "n", "metadata": {}, "source": source}

    changed = with_new_cell(written(cells, style), number, cell)

    lines = {**cell, "source": source.splitlines(True)}
    expected = [*cells[:number], lines, *cells[number:]]
    assert json.loads(changed)["cells"] == expected
    if style.get("indent") == 1:
        if json.dumps(cells, ensure_ascii=False).isascii():
            # These cells look the same with escapes and without.
            style = {**style, "ensure_ascii": False}
        assert changed == written(expected, style)


def test_windows_line_ends_stay():
    text = written([{"cell_type": "code", "source": ["a"], "metadata": {}}], {"indent": 1})
    text = text.replace("\n", "\r\n")

    changed = with_new_cell(text, 1, {"cell_type": "markdown", "source": "x", "metadata": {}})

    assert changed.count("\n") == changed.count("\r\n")
    assert len(json.loads(changed)["cells"]) == 2
