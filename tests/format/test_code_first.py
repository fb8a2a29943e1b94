"""Files of a Python notebook that talks: messages without their bare line, code as Python."""

from __future__ import annotations

import jupytext
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import v4

from msgbook_format import check, reads, writes
from msgbook_format.syntax import CODE_FIRST_KERNELSPEC

from . import fuzz, strategies
from .laws import assert_content_survives, assert_notebook_laws, assert_text_laws
from .test_laws import SLICE

TOP = "---\njupyter:\n  kernelspec:\n    name: msgbook-python\n---\n\n"
PIECES = [
    "%%msg",
    "%continue",
    "%model m",
    "\n",
    " ",
    "x = 1",
    "```",
    "# %%",
    "!ls",
    "\\",
    "agent=a",
]


def notebook(*sources):
    cells = [v4.new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(sources)]
    metadata = {"kernelspec": dict(CODE_FIRST_KERNELSPEC), "language_info": {"name": "python"}}
    return v4.new_notebook(cells=cells, metadata=metadata)


def sources(nb):
    return [cell["source"] for cell in nb["cells"]]


def test_messages_and_code_are_written_as_everywhere_and_the_bare_line_comes_back():
    nb = notebook("df = 1", "%%msg\nWhat is @[py:df]?", "%%msg agent=a\nAnd?", "%matplotlib inline")

    text = writes(nb)

    assert "[cell-1]: [markdown]\n\nWhat is @[py:df]?\n" in text.replace("[^", "[")
    assert "[markdown]\n\n%%msg agent=a\nAnd?\n" in text
    assert "[code]\n\n```python\ndf = 1\n```\n" in text
    assert "```python\n%matplotlib inline\n```\n" in text

    assert sources(reads(text)) == sources(nb)
    assert reads(text)["metadata"] == nb["metadata"]


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("[markdown]\n\nHello", "%%msg\nHello"),
        ("[markdown]\n\n!ls", "%%msg\n!ls"),
        ("[markdown]\n\n%foo", "%%msg\n%foo"),
        ("[markdown]\n\n%%msg model=m\nHello", "%%msg model=m\nHello"),
        ("[markdown]\n\n%continue", "%continue"),
        ("[markdown]\n\n\\Hello", "%%msg\n\\Hello"),
        ("[code]\n\nx = 1", "x = 1"),
        ("[code]\n\n```\nx = 1\n```", "x = 1"),
        ("[code]\n\n```python\n%%time\nx = 1\n```", "%%time\nx = 1"),
        ("[code]\n\n```ipython\n!ls\n```", "!ls"),
        ("[code]\n\n```bash\nls\n```", "%%bash\nls"),
        ("[code]\n\n```python\n%%python\nx = 1\n```", "%%python\nx = 1"),
    ],
)
def test_a_cell_written_by_hand_is_what_its_type_says(written, source):
    text = f"{TOP}# %% [^a]\n\n[^a]: {written}\n"

    assert sources(reads(text)) == [source]
    assert writes(reads(text)) == text


def test_the_same_file_is_a_chat_without_the_kernelspec():
    text = "# %% [^a]\n\n[^a]: [code]\n\n```python\nx = 1\n```\n\n# %% [^b]\n\n[^b]: [markdown]\n\nHello\n"

    assert sources(reads(text)) == ["%%python\nx = 1", "Hello"]
    assert sources(reads(TOP + text)) == ["x = 1", "%%msg\nHello"]


@SLICE
@given(st.lists(st.lists(st.sampled_from(PIECES)).map("".join), max_size=4))
def test_any_notebook_comes_back(given_sources):
    assert_notebook_laws(notebook(*given_sources, "the_end"))


@SLICE
@given(strategies.texts | strategies.damaged(list(fuzz.sources().values())))
def test_any_text_is_written_as_it_was_read(text):
    assert_text_laws(TOP + text)
    assert_content_survives(TOP + text)


def test_a_message_that_begins_like_code_waits_for_the_default_agent_as_any_other():
    top = TOP.removesuffix("---\n\n") + "default_agent: late\n---\n\n"
    late = "# %% [^b]\n\n[^b]: [code]\n\n```python\n%agent new late model=m\n```\n"
    message = "# %% [^a]\n\n[^a]: [markdown]\n\n!important: read this\n\n"

    assert [finding.code for finding in check(top + message + late)] == ["agent-too-late"]


@pytest.mark.parametrize("form", ["py:percent", "py:light", "md"])
@pytest.mark.parametrize(
    "source",
    [
        "%%msg\nIt's what @[py:x] is, isn't it?\n\n# %% a heading\n\nif x:\n\n\n- a",
        '%%msg agent="my agent" history=exclude\nWhat?',
        "%%msg\n%%bash\nls",
        "%%msg\n\n# comment?\nx = 1",
        '%%msg\nThe docstring opens with """ and never ends',
        "%%msg\nIs ''' one, or \"\"\" and '?\n\n- a",
        "%%msg\n!ls\n%time x",
        "%continue",
        "%model gpt-5",
        "await x",
    ],
)
def test_a_script_beside_the_notebook_holds_its_messages_in_comments(form, source):
    nb = notebook(source, "after = 1")

    text = jupytext.writes(nb, form)

    assert sources(jupytext.reads(text, form)) == [source, "after = 1"]
    if form != "md":
        compile(text.replace("await ", ""), "notebook.py", "exec")


@pytest.mark.parametrize("form", ["py:percent", "py:light", "md"])
@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("\n \n%%msg\nWhat?", "%%msg\nWhat?"),
        ("  %%msg  \n What?", "%%msg\n What?"),
        ("%%msg\tagent=a\nWhat?", "%%msg agent=a\nWhat?"),
        ("%%msg", "%%msg\n"),
    ],
)
def test_blanks_about_the_line_of_a_message_do_not_make_it_code_of_the_script(form, source, read):
    nb = notebook(source, "after = 1")

    text = jupytext.writes(nb, form)

    assert sources(jupytext.reads(text, form)) == [read, "after = 1"]
    if form != "md":
        compile(text, "notebook.py", "exec")
