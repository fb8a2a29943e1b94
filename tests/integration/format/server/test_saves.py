"""A save replaces a file in one step: it has the old text or the new one, and whatever ends the server, never a cut one."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import tempfile
import urllib.error
from contextlib import contextmanager
from pathlib import Path

import pytest
from contents_notebooks import open_notebook, save_notebook
from contents_server import SYNC, started

LIMIT = 1_000_000
"""The size of a file beyond which nothing can be written."""

_LIMITED = """\
import resource, signal
signal.signal(signal.SIGXFSZ, signal.{action})
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
"""

NAMES = ["chat.msg.md", "chat.ipynb", "notes.txt"]


@contextmanager
def limited(tmp_path, kind, action):
    """A server that can write no large file: within one it gets an error, or is killed."""
    root, runtime = tmp_path / "root", tmp_path / "jupyter"
    root.mkdir()
    (runtime / "CONFIG").mkdir(parents=True)
    settings = _LIMITED.format(action=action, limit=LIMIT)
    (runtime / "CONFIG" / "jupyter_server_config.py").write_text(settings)
    options = [] if kind == "async" else [f"--ServerApp.contents_manager_class={SYNC}"]
    with started(root, runtime, options) as server:
        yield server


def save(server, name, words):
    """Save a text in a file, which is a chat by its name or a plain text."""
    if name.endswith(".txt"):
        server.put(name, {"type": "file", "format": "text", "content": words})
        return
    cell = {"cell_type": "code", "id": "a", "source": words, "outputs": []}
    cell.update(execution_count=None, metadata={})
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    save_notebook(server, name, content)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file())


@pytest.mark.parametrize(
    ("kind", "name"), [("async", "chat.msg.md"), ("async", "chat.ipynb"), ("sync", "chat.msg.md")]
)
def test_a_server_that_is_killed_within_a_write_leaves_the_old_text(tmp_path, kind, name):
    with limited(tmp_path, kind, "SIG_DFL") as server:
        save(server, name, "What is this?")
        before = server.read(name)

        with pytest.raises((ConnectionError, http.client.HTTPException, urllib.error.URLError)):
            save(server, name, "x" * 2 * LIMIT)

        assert server.read(name) == before


@pytest.mark.parametrize("kind", ["async", "sync"])
def test_what_does_not_fit_on_the_disk_is_refused_with_the_files_name(tmp_path, kind):
    with limited(tmp_path, kind, "SIG_IGN") as server:
        for name in NAMES:
            save(server, name, "What is this?")
            before = server.read(name)

            with pytest.raises(server.Refused, match=name) as refused:
                save(server, name, "x" * 2 * LIMIT)

            assert "too large" in refused.value.message
            assert server.read(name) == before
        assert names_in(server.root) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_saved_file_keeps_its_mode_and_a_link_stays_one(server, name):
    folder = server.root / "elsewhere"
    folder.mkdir()
    target = folder / name
    save(server, f"elsewhere/{name}", "What is this?")
    target.chmod(0o640)
    (server.root / name).symlink_to(f"elsewhere/{name}")
    before = target.stat().st_ino

    save(server, name, "And that?")

    assert (server.root / name).is_symlink()
    assert b"And that?" in target.read_bytes()
    assert target.stat().st_mode & 0o777 == 0o640
    assert target.stat().st_ino != before
    assert names_in(folder) == [name]


def test_a_new_file_has_the_usual_mode_and_the_text_of_its_cells(server):
    save(server, "new.msg.md", "What is this?")
    (server.root / "usual").touch()

    assert (server.root / "new.msg.md").stat().st_mode == (server.root / "usual").stat().st_mode
    assert open_notebook(server, "new.msg.md")["cells"][0]["source"] == "What is this?"


_SAVE = """\
import os, sys
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from msgbook_format.server.unpaired import build_unpaired_class

manager = build_unpaired_class(LargeFileManager)(root_dir=sys.argv[1])
if os.geteuid() == 0:
    # Root may write everywhere.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
manager.save({"type": "file", "format": "text", "content": "And that?"}, "chat.msg.md")
"""


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
def test_in_a_folder_that_takes_no_new_files_a_file_is_saved_in_place():
    # Not in a folder of pytest's, in which only one user may look.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "chat.msg.md")
        path.write_text("What is this?")
        path.chmod(0o666)
        path.parent.chmod(0o555)
        before = path.stat().st_ino

        done = subprocess.run([sys.executable, "-c", _SAVE, folder], check=False)

        assert done.returncode == 0
        assert (path.read_text(), path.stat().st_ino) == ("And that?", before)
        path.parent.chmod(0o755)
