"""`msgbook convert`, and the other verbs on `.mtm` files."""

from __future__ import annotations

import json

import pytest
from agent_chat_file import chat  # noqa: F401 - fixtures

from msgbook.__main__ import main


@pytest.mark.smoke
def test_a_notebook_of_another_kernel_becomes_no_agent_file_and_is_the_one_that_is_named(
    chat, capsys
):
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": []}
    chat.with_name("py.ipynb").write_text(json.dumps(notebook))

    assert main(["convert", "py.ipynb", "py.mtm"]) == 2

    assert capsys.readouterr().err.splitlines()[0] == (
        "msgbook convert: py.ipynb has the kernel python3, not msgbook, so it cannot become an .mtm file. "
        "Nothing was written."
    )
    assert not chat.with_name("py.mtm").exists()


@pytest.mark.parametrize("levels", [5000, 100_000])
def test_a_notebook_nested_too_deep_is_refused_in_words_on_every_python(tmp_path, capsys, levels):
    deep = '{"a":' * levels + "1" + "}" * levels
    notebook, new = tmp_path / "deep.ipynb", tmp_path / "deep.msg.md"
    kernel = '{"name": "msgbook", "display_name": "x"}'
    metadata = f'{{"kernelspec": {kernel}, "x": {deep}}}'
    notebook.write_text(
        f'{{"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {metadata}}}'
    )

    assert main(["convert", str(notebook), str(new)]) == 2

    assert "nested too deep" in capsys.readouterr().err
    assert not new.exists()
