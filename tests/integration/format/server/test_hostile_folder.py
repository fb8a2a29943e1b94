"""What came with a folder is not run, where the server was started in that folder, too."""

from __future__ import annotations

import json

import pytest
from contents_server import started

CHAT = "# %% [^a]\n\n[^a]: [markdown]\n\nHello\n"
FILES = ("chat.msg.md", "sub/chat.msg.md", "chat.ipynb")


@pytest.fixture
def hostile(tmp_path):
    """Make a folder with conversations and programs that leave a trace; return the trace."""
    root, trace = tmp_path / "root", tmp_path / "trace"
    (root / "sub").mkdir(parents=True)
    for name in (".jupytext.py", "jupytext.py", "sub/.jupytext.py"):
        (root / name).write_text(f"open({str(trace)!r}, 'a').write(__file__ + '\\n')\n")
    program = {"type": "subprocess.Popen", "args": ["touch", str(trace)]}
    for name in ("base", "lab", "latex", "msghtml", "rst"):
        (root / name).mkdir()
        settings = {"preprocessors": {"100-program": program}}
        (root / name / "conf.json").write_text(json.dumps(settings))
    for name in FILES[:2]:
        (root / name).write_text(CHAT)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    (root / "chat.ipynb").write_text(json.dumps(notebook))
    return root, trace


def test_opening_saving_and_exporting_run_nothing_of_the_folder(hostile, tmp_path):
    root, trace = hostile
    options = ["--ContentsManager.allow_hidden=True"]
    with started(root, tmp_path / "jupyter", options, cwd=root) as server:
        for name in FILES:
            notebook = server.get(name, type="notebook", content=1)["content"]
            server.put(name, {"type": "notebook", "format": "json", "content": notebook})
        assert "msghtml" in server.exporters()
        for path in ("msghtml/chat.msg.md", "msghtml/chat.ipynb", "html/chat.ipynb"):
            assert "<body" in server.export(path)

    assert not trace.exists()
