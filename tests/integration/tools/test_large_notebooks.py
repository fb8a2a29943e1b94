"""Large notebooks are read by cells in a process of their own, up to limits that are said."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from msgbook.approval import Roots
from msgbook.request.context.files import FileSources
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.context.tags import Lines


def referenced(folder: Path, lines: Lines | None = None, cell: str = "") -> ReferencedText:
    sources = FileSources(Roots(folder))
    return asyncio.run(sources.read("a.ipynb", lines, nested=False, cell=cell))


def write(folder: Path, cells: list[Any]) -> int:
    data = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    return (folder / "a.ipynb").write_text(data)


def figure(size: int) -> dict[str, Any]:
    output = {"output_type": "display_data", "data": {"image/png": "AbC9" * (size // 4)}}
    return {"cell_type": "code", "source": "plot()", "execution_count": 1, "outputs": [output]}


def test_figures_alone_are_named(tmp_path):
    assert write(tmp_path, [figure(1_000_000)] * 60) > 60_000_000

    found = referenced(tmp_path)

    assert found.text.count("[image/png, 750 kB]") == 60
    assert len(found.text) < 10_000
    assert found.note == ""


def test_one_of_its_cells_is_found(tmp_path):
    write(tmp_path, [figure(1_000_000)] * 20 + [{"cell_type": "markdown", "source": "a\nb"}])

    assert referenced(tmp_path, cell="#21").text == "[cell: markdown]\na\nb\n"
    assert referenced(tmp_path, Lines(2, 2), "#21").text == "b"
    assert "[image/png, 750 kB]" in referenced(tmp_path, cell="#1").text
    with pytest.raises(SourceError, match=r"no cell in a\.ipynb has the id '#22'"):
        referenced(tmp_path, cell="#22")


def test_a_hundred_thousand_cells_are_all_there(tmp_path):
    write(tmp_path, [{"cell_type": "markdown", "source": f"note {n}"} for n in range(100_000)])

    assert referenced(tmp_path).text.endswith("[cell 100000: markdown]\nnote 99999\n")


def test_a_notebook_with_too_much_beside_its_figures_is_named(tmp_path):
    size = write(tmp_path, [{"cell_type": "markdown", "source": "many words " * 5_000_000}])

    found = referenced(tmp_path)

    assert "without its pictures; notebooks of at most 50,000,000 such bytes" in found.note
    assert f"{size:,} bytes: too large to be sent" in found.text


@pytest.mark.parametrize("size", [250_000_001, 10_000_000_000])
def test_a_file_that_is_too_large_is_not_even_read(tmp_path, size):
    with (tmp_path / "a.ipynb").open("wb") as file:
        file.write(b'{"nbformat": 4, "cells": [\n')
        file.truncate(size)

    found = referenced(tmp_path)

    assert f"it has {size:,} bytes; notebooks of at most 250,000,000 bytes" in found.note
