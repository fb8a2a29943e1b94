"""Files that are no files, or hold what no program has written: each verb says so in a line."""

from __future__ import annotations

import errno
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from random import Random

import damaged
import pytest
from command import settings as settings_of
from hypothesis import settings
from nbconvert.utils.exceptions import ConversionException
from scripted_server import text

import msgbook_format
from msgbook.__main__ import main
from msgbook.approval import ProjectError, read_config
from msgbook_format.exporters import MsgHTMLExporter

SEEDS = settings.default.max_examples
"""Damaged files that each verb reads."""

VERBS = {
    "list": lambda path: ["list", path],
    "list-agents": lambda path: ["list", f"{path}/agent"],
    "check": lambda path: ["check", path],
    "preview": lambda path: ["preview", path],
    "fork": lambda path: ["fork", path, "--at", "a"],
    "set-default": lambda path: ["set-default", path, "a"],
    "run": lambda path: ["run", path],
    "chat": lambda path: ["chat", path, "hello", "--continue"],
    "jupytext": lambda path: ["jupytext", path, "--to", "py:percent", "-o", f"{path}.py"],
}
NO_FILE = re.compile(r"regular file|at most")
WRITES = {"set-default", "run", "chat"}


@pytest.fixture
def asked(server, monkeypatch):
    """The environment of a user whose model says ok."""
    server.answers = [text("ok") for _ in range(4 * SEEDS)]
    for name, value in settings_of(server).items():
        monkeypatch.setenv(name, value)


@pytest.mark.hypothesis
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "made"), [("x.ipynb", damaged.notebook), ("x.msg.md", damaged.text)]
)
def test_a_damaged_file_is_read_or_named_and_left_alone(verb, name, made, tmp_path, capsys, asked):
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = folder / name
        data = made(Random(seed))
        path.write_bytes(data)

        code = main(VERBS[verb](str(path)))

        out, err = capsys.readouterr()
        assert code in (0, 1, 2), seed
        assert "Traceback" not in err, (seed, err)
        assert "\x1b" not in out + err, seed
        if code == 2 or verb not in WRITES:
            assert path.read_bytes() == data, seed
        if code == 2:
            assert err, seed


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    ("name", "made"), [("x.ipynb", damaged.notebook), ("x.msg.md", damaged.text)]
)
def test_a_damaged_file_becomes_a_page_or_a_conversion_error(name, made, tmp_path):
    exporter = MsgHTMLExporter()
    for seed in range(SEEDS):
        (tmp_path / name).write_bytes(made(Random(seed)))
        with suppress(ConversionException):
            exporter.from_filename(str(tmp_path / name))


@pytest.mark.parametrize("ids", [["a", [None]], ["a", "a"], ["cell-1-of-2", 5], ["", "a b"]])
def test_cells_without_ids_of_their_own_become_a_page_without_a_warning(ids, tmp_path):
    cells = [{"cell_type": "raw", "id": id_, "source": "", "metadata": {}} for id_ in ids]
    path = tmp_path / "x.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )

    MsgHTMLExporter().from_filename(str(path))


def no_file(tmp_path: Path, kind: str, name: str) -> Path:
    path = tmp_path / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(10**10)
    return path


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["x.msg.md", "x.ipynb"])
@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
def test_what_is_no_file_ends_no_verb_in_a_wait(verb, name, kind, tmp_path, capsys):
    path = no_file(tmp_path, kind, name)

    assert main(VERBS[verb](str(path))) == 2

    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert ("at most" if kind == "endless" else "regular file") in said
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
@pytest.mark.parametrize("name", ["x.msg.md", "x.ipynb"])
def test_what_is_no_file_becomes_no_page(kind, name, tmp_path):
    path = no_file(tmp_path, kind, name)

    with pytest.raises(ConversionException, match=NO_FILE):
        MsgHTMLExporter().from_filename(str(path))


@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
def test_what_is_no_file_is_not_read_as_a_notebook(kind, tmp_path):
    with pytest.raises(OSError, match=NO_FILE) as raised:
        msgbook_format.read(no_file(tmp_path, kind, "x.msg.md"))

    assert raised.value.errno in (errno.EINVAL, errno.EFBIG)


@pytest.mark.parametrize("kind", ["pipe", "device", "endless"])
def test_the_configuration_of_a_project_is_a_file(kind, tmp_path):
    (tmp_path / ".msgbook").mkdir()
    no_file(tmp_path / ".msgbook", kind, "config.toml")

    with pytest.raises(ProjectError, match=NO_FILE):
        read_config(tmp_path)
