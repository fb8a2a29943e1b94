"""Notebooks as text, for references, `read` and `grep`: by cells, clean, and with one count of lines."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from file_calls import FileCalls
from hypothesis import given
from hypothesis import strategies as st

from msgbook.approval import Roots
from msgbook.request.context.files import FileSources
from msgbook.request.context.sources import ReferencedText
from msgbook.request.context.tags import Lines
from msgbook.tools.files.notebooks import NotANotebookError, notebook_text
from msgbook_format.turn import bundle

DATA = "iVBORw0KGgo" + "AbC/d+9z" * 20_000
PYTHON = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
CHAT = {"kernelspec": {"name": "msgbook", "language": "msgbook", "display_name": "Chat (msgbook)"}}


def code(source: Any, *outputs: Any, count: int | None = 1) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "outputs": list(outputs),
        "metadata": {},
        "execution_count": count,
    }


def shown(**data: Any) -> dict[str, Any]:
    names = {key.replace("_", "/", 1): value for key, value in data.items()}
    return {"output_type": "display_data", "data": names, "metadata": {}}


def stream(text: Any, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def notebook(*cells: Any, metadata: Any = PYTHON, **keys: Any) -> bytes:
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}
    return json.dumps({**whole, **keys}).encode()


FIGURES = notebook(
    {"cell_type": "markdown", "source": ["# Title\n", "text"], "metadata": {}},
    code(
        "import pandas as pd\ndf",
        stream("\x1b[31m 10%\x1b[0m\r 50%\r100%\n"),
        stream(["one\n", "two\n"]),
        shown(text_html="<table>" * 100, text_plain="   a\n0  1"),
    ),
    code("plot()", shown(image_png=DATA, text_plain="<Figure size 640x480>")),
    code("later()", count=None),
    {"cell_type": "raw", "source": "raw text", "metadata": {}},
    code(
        "1/0",
        {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division", "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division"]},
    ),
)  # fmt: skip

TEXT = """\
[cell 1: markdown]
# Title
text

[cell 2: code]
```python
import pandas as pd
df
```
Output:
```
100%
one
two
   a
0  1
```

[cell 3: code]
```python
plot()
```
Output:
```
[image/png, 120 kB]
<Figure size 640x480>
```

[cell 4: code, not run]
```python
later()
```

[cell 5: raw]
raw text

[cell 6: code]
```python
1/0
```
Output:
```
ZeroDivisionError: division
```
"""


def referenced(folder: Path, path: str, lines: Lines | None = None) -> ReferencedText:
    return asyncio.run(FileSources(Roots(folder)).read(path, lines, nested=False))


def test_cells_stand_with_their_text_and_pictures_with_their_sizes():
    assert notebook_text(FIGURES) == TEXT


@pytest.mark.parametrize("program", [None, shutil.which("rg")])
def test_references_read_and_grep_count_the_same_lines(tmp_path, program):
    (tmp_path / "An.IPYNB").write_bytes(FIGURES)
    (tmp_path / "b.txt").write_text("needle, two\n")
    files = FileCalls(tmp_path, ripgrep=program)
    lines = TEXT.removesuffix("\n").split("\n")

    assert referenced(tmp_path, "An.IPYNB") == ReferencedText(TEXT, "literal")
    assert files.run("read", path="An.IPYNB") == TEXT
    for number, line in enumerate(lines, 1):
        assert referenced(tmp_path, "An.IPYNB", Lines(number, number)).text == line
        assert files.run("read", path="An.IPYNB", start=number, end=number) == line
    number = lines.index("two") + 1
    found = f"An.IPYNB:{number}:two\nb.txt:1:needle, two"
    assert files.run("grep", pattern="two") == found
    assert files.run("grep", pattern="two", path="An.IPYNB") == found.split("\n")[0]
    assert files.run("grep", pattern="AbC") == "(nothing matches)"
    assert files.run("grep", pattern="cell_type|nbformat") == "(nothing matches)"


def test_a_range_beyond_the_end_says_how_many_lines_there_are(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(FIGURES)

    with pytest.raises(Exception, match=r"as text, the notebook has 4\d lines"):
        referenced(tmp_path, "a.ipynb", Lines(99, 100))
    assert "The file has no line 99" in FileCalls(tmp_path).error("read", path="a.ipynb", start=99)


def turn(*blocks: dict[str, Any]) -> dict[str, Any]:
    whole = {"version": 1, "status": "done", "blocks": list(blocks)}
    return {"output_type": "display_data", "data": bundle(whole), "metadata": {}}


def test_a_chat_has_each_answer_once():
    answer = turn(
        {"type": "reasoning", "step": 1, "text": "I think."},
        {"type": "text", "step": 1, "text": "The sea is <b>blue</b>."},
        {"type": "tool_call", "step": 1, "id": "c", "name": "read", "arguments": '{"path": "a"}'},
        {"type": "tool_result", "step": 1, "id": "c", "status": "success", "content": "found"},
        {"type": "notice", "level": "info", "text": "a note"},
        {"type": "text", "step": 2, "text": "Done."},
    )
    failed = turn({"type": "error", "name": "RateLimitError", "message": "wait"})
    again = {"output_type": "error", "ename": "RateLimitError", "evalue": "wait", "traceback": []}
    data = notebook(
        code("What colour?", answer), code("%%python\nx = 1", stream("1\n")), code("Hm", failed, again), metadata=CHAT
    )  # fmt: skip

    text = notebook_text(data)

    assert text == (
        "[cell 1: message]\nWhat colour?\n[answer]\nThe sea is <b>blue</b>.\n\n"
        '(calls read with {"path": "a"})\n\n(result: found)\n\nDone.\n\n'
        "[cell 2: code]\n```python\nx = 1\n```\nOutput:\n```\n1\n```\n\n"
        "[cell 3: message]\nHm\n[answer]\nRateLimitError: wait\n"
    )


BASE64 = {
    "a picture in several lines": code("x", shown(image_png=[DATA[:76] + "\n"] * 3000)),
    "a picture with line ends": code("x", shown(image_png="\n".join([DATA[:76]] * 3000))),
    "an attachment": {"cell_type": "markdown", "source": "![](attachment:a.png)", "attachments": {"a.png": {"image/png": DATA}}},
    "a data URL in a note": {"cell_type": "markdown", "source": f"![](data:image/png;base64,{DATA})"},
    "a data URL in a stream": code("x", stream(f'<img src="data:image/png;base64,{DATA}">\n')),
    "a stream of nothing else": code("x", stream(DATA)),
    "a text that is data": code("x", shown(text_plain=DATA)),
    "a document": code("x", shown(application_pdf=DATA)),
    "a picture beside others": code("x", shown(image_jpeg=DATA, image_png=DATA, text_markdown="**b**", text_plain="b")),
    "a widget": code("x", shown(**{"application_vnd.jupyter.widget-view+json": {"model_id": "a"}, "text_plain": "Slider()"})),
}  # fmt: skip


@pytest.mark.parametrize("cell", BASE64.values(), ids=BASE64)
def test_no_data_is_ever_in_the_text(cell):
    text = notebook_text(notebook(cell))

    assert DATA[:80] not in text
    assert len(text) < 400


def test_of_an_outputs_texts_the_best_is_there_once():
    cell = code(
        "x", shown(text_markdown="**bold**", text_plain="bold", text_latex="$b$", text_html="<b>")
    )

    assert notebook_text(notebook(cell)) == (
        "[cell 1: code]\n```python\nx\n```\nOutput:\n```\n**bold**\n```\n"
    )


def test_an_output_that_has_only_html_is_shown_by_its_text():
    page = shown(text_html="<h1>Sales</h1><table><tr><td>1</td><td>2</td></tr></table>")
    plot = shown(text_html=f"<script>draw('{DATA}')</script><div></div>")

    assert notebook_text(notebook(code("x", page))).endswith("Output:\n```\nSales\n1 | 2\n```\n")
    assert "[text/html, " in notebook_text(notebook(code("x", plot)))


def test_a_notebook_of_format_3_is_read_by_cells_too():
    old = [
        {"cell_type": "heading", "level": 2, "source": ["Title"]},
        {
            "cell_type": "code",
            "input": ["x = 1\n", "x"],
            "prompt_number": 1,
            "outputs": [
                {"output_type": "stream", "stream": "stdout", "text": ["out\n"]},
                {"output_type": "pyout", "prompt_number": 1, "text": ["1"]},
                {"output_type": "display_data", "png": "iVBORw0KGgo=" * 500},
                {
                    "output_type": "pyerr",
                    "ename": "E",
                    "evalue": "v",
                    "traceback": ["\x1b[31mE: v"],
                },
                None,
            ],
        },
        "no cell",
        {"cell_type": "code", "input": None, "outputs": {}},
    ]
    sheets = [{"cells": old}, {"cells": [{"cell_type": "markdown", "source": "end"}]}, None]
    data = json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": sheets})

    assert notebook_text(data.encode()) == (
        "[cell 1: markdown]\n## Title\n\n"
        "[cell 2: code]\n```python\nx = 1\nx\n```\n"
        "Output:\n```\nout\n1\n[image/png, 4 kB]\nE: v\n```\n\n"
        "[cell 4: markdown]\nend\n"
    )


NOT_BY_CELLS = {
    "not JSON": (b'{"cells": [', "it is not valid JSON"),
    "merge conflict": (b"<<<<<<< HEAD\n{}\n=======\n", "it is not valid JSON"),
    "empty": (b"", "it is not valid JSON"),
    "deep": (b"[" * 100_000, "it is not valid JSON"),
    "a list": (b"[1, 2]", "it is JSON, but not a notebook"),
    "other JSON": (b'{"a": 1}', "it is JSON, but not a notebook"),
    "format 2": (b'{"nbformat": 2, "worksheets": []}', "it is a notebook of format 2; formats 3 and 4 are read"),
    "format 5": (b'{"nbformat": 5, "cells": []}', "it is a notebook of format 5; formats 3 and 4 are read"),
    "no cells": (b'{"nbformat": 4, "cells": {}}', "it is a notebook without a list of cells"),
    "no sheets": (b'{"nbformat": 3, "worksheets": {}}', "it is a notebook without a list of cells"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "words"), NOT_BY_CELLS.values(), ids=NOT_BY_CELLS)
def test_what_is_no_notebook_is_sent_as_text_and_that_is_said(tmp_path, data, words):
    (tmp_path / "a.ipynb").write_bytes(data)

    found = referenced(tmp_path, "a.ipynb")

    assert found.text == data.decode()
    assert f"its cells are not sent: {words}" in found.note
    assert f"[not shown by cells: {words}" in FileCalls(tmp_path).run("read", path="a.ipynb")


@pytest.mark.parametrize("name", ["a.ipynb", "A.IPYNB"])
def test_edit_and_write_change_the_file_as_it_is(tmp_path, name):
    (tmp_path / name).write_bytes(FIGURES)
    files = FileCalls(tmp_path)
    files.run("read", path=name)

    files.run_approved("edit", path=name, old="import pandas as pd", new="import polars as pl")

    assert (tmp_path / name).read_bytes() == FIGURES.replace(
        b"import pandas as pd", b"import polars as pl"
    )
    assert "import polars" in files.run("read", path=name)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cell_type", "source", "outputs", "data", "text", "name", "text/plain", "image/png", "output_type",
                 "traceback", "metadata", "kernelspec", "language", "application/json", "execution_count"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=4), JSON)
def test_a_malformed_cell_breaks_nothing(cells, metadata):
    assert notebook_text(notebook(*cells, metadata=metadata)).endswith("\n")


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_any_bytes_are_a_notebook_or_a_reason(data):
    with pytest.raises(NotANotebookError, match="it is"):
        notebook_text(data)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ("[]", "without a cell that says anything"),
        ('[{"cell_type": "code", "source": "", "outputs": []}]', "without a cell that says"),
        ('[null, 3, {"source": 5}, {"source": "x"}]', "malformed: 3 cells"),
        ('[{"cell_type": "markdown", "source": "\\ud83d x"}]', "\ufffd x"),
    ],
)
def test_nothing_of_a_notebook_is_left_out_without_a_word(cells: str, said: str) -> None:
    text = notebook_text(f'{{"nbformat": 4, "metadata": {{}}, "cells": {cells}}}'.encode())

    assert said in text
    assert text.encode()
