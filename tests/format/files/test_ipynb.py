"""`.ipynb` files are read and written as nbformat does it."""

from __future__ import annotations

import json

import nbformat
import pytest
from format.strategies import notebooks
from hypothesis import assume, given
from hypothesis import strategies as st

from msgbook_format.files.ipynb import BrokenNotebookError, reads_ipynb, writes_ipynb
from msgbook_format.nodes import as_nodes

LINES = st.text("ab\n\r\u2028", max_size=6)
MULTILINE = LINES | st.lists(LINES, max_size=3)
BUNDLES = st.dictionaries(
    st.sampled_from(
        [
            "text/plain",
            "text/html",
            "image/png",
            "image/svg+xml",
            "application/javascript",
            "application/json",
            "application/vnd.x+json",
            "application/x",
            "application/+json",
        ]
    ),
    MULTILINE | st.lists(st.none() | st.integers(), max_size=2),
)
OUTPUTS = st.one_of(
    st.fixed_dictionaries({"output_type": st.just("stream"), "text": MULTILINE}),
    st.fixed_dictionaries({"output_type": st.just("error"), "text": MULTILINE}),
    st.fixed_dictionaries(
        {"output_type": st.sampled_from(["display_data", "execute_result"]), "data": BUNDLES}
    ),
)
METADATA = st.dictionaries(
    st.sampled_from(["trusted", "signature", "orig_nbformat", "orig_nbformat_minor", "x"]),
    st.booleans(),
)
CELLS = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "novel"]),
        "metadata": METADATA,
        "source": MULTILINE,
        "outputs": st.lists(OUTPUTS, max_size=3),
    },
    optional={"attachments": st.dictionaries(st.text(max_size=2), BUNDLES, max_size=2)},
)


def has_objects_as_outputs(notebook):
    """Whether nbformat can read a notebook: what it does with others is not ours to repeat."""
    return all(
        isinstance(output, dict)
        and isinstance(output.get("output_type"), str)
        and isinstance(output.get("data", {}), dict)
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
    )


NOTEBOOKS = notebooks.filter(has_objects_as_outputs) | st.builds(
    lambda cells, metadata: {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells},
    st.lists(CELLS, max_size=3),
    METADATA,
)  # fmt: skip


@given(NOTEBOOKS)
def test_a_file_is_read_as_nbformat_reads_it(notebook):
    text = json.dumps(notebook)

    assert reads_ipynb(text) == nbformat.reader.reads(text)


@given(NOTEBOOKS)
def test_a_notebook_is_written_as_nbformat_writes_it(notebook):
    notebook = reads_ipynb(json.dumps(notebook))
    # nbformat writes no code cell without outputs, and no stream without a text.
    assume(all("outputs" in cell for cell in notebook["cells"] if cell["cell_type"] == "code"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    assume(all("text" in output for output in outputs if output["output_type"] == "stream"))
    before = json.dumps(notebook)

    written = writes_ipynb(notebook)

    try:
        expected = nbformat.v4.nbjson.writes(as_nodes(notebook))
        expected.encode()
    except UnicodeEncodeError:
        expected = nbformat.v4.nbjson.writes(as_nodes(notebook), ensure_ascii=True)
    assert written == f"{expected}\n"
    assert json.dumps(notebook) == before
    assert writes_ipynb(reads_ipynb(written)) == written


def test_an_older_notebook_is_converted():
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [{"cells": [{"cell_type": "code", "input": "1", "outputs": []}]}],
    }

    (cell,) = reads_ipynb(json.dumps(old))["cells"]

    assert (cell["cell_type"], cell["source"]) == ("code", "1")


@pytest.mark.parametrize(
    "value",
    [1, [], "x", None, {}, {"nbformat": "4"}, {"nbformat": 99}, {"nbformat": 4}, {"worksheets": 1}]
    + [{"nbformat": 4, "cells": cells, "metadata": {}} for cells in (1, [1], [{}])]
    + [{"nbformat": 4, "cells": [], "metadata": []}],
)
def test_other_json_is_no_notebook(value):
    with pytest.raises(BrokenNotebookError):
        reads_ipynb(json.dumps(value))
