"""`.ipynb` files are read and written as nbformat does it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("name", ["chat.msg.md", "chat.ipynb"])
@pytest.mark.parametrize("verb", ["list", "check"])
def test_a_command_that_reads_a_file_does_not_wait_for_nbformat(tmp_path, verb, name):
    path = tmp_path / name
    notebook = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}'
    path.write_text(notebook if name.endswith(".ipynb") else "# %% [^a]\n\nhello\n")
    program = (
        "import sys\nfrom msgbook.__main__ import main\n"
        "main(sys.argv[1:])\nprint({'nbformat', 'jsonschema', 'openai'} & set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, verb, str(path)], capture_output=True, check=True
    )

    assert done.stdout.decode().splitlines()[-1] == "set()"
