"""Files that are no files, or hold what no program has written: each verb says so in a line."""

from __future__ import annotations

import json
import subprocess
import sys


def test_a_heading_of_an_old_notebook_takes_no_memory_to_speak_of(tmp_path):
    cell = {"cell_type": "heading", "level": 10**9, "source": "h", "metadata": {}}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [cell]}]}
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps(old))
    program = (
        "import resource, sys; from msgbook.__main__ import main\n"
        "resource.setrlimit(resource.RLIMIT_AS, (900_000_000, 900_000_000))\n"
        "sys.exit(main(['list', sys.argv[1]]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "expected a notebook" in done.stderr
