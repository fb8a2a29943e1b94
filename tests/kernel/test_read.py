"""The tool `read`, and the folder it stays in."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from msgbook.text import RESULT_LIMIT, capped
from msgbook.tools.base import ApprovalNeededError, CallContext, ToolError
from msgbook.tools.read import read_tool
from msgbook.tools.rights import Roots


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "outside.txt").write_text("out")
    return root


@pytest.fixture
def read(folder: Path):
    tool = read_tool(Roots(folder))

    def run(arguments: str, *, approved: bool = False) -> str:
        try:
            return asyncio.run(tool.call(arguments))
        except ApprovalNeededError as error:
            if not approved:
                raise
            return asyncio.run(tool.call(arguments, CallContext(error.need)))

    return run


def test_the_model_is_told_name_purpose_and_parameters(folder):
    function = read_tool(Roots(folder)).schema["function"]

    assert function["name"] == "read"
    assert function["description"].startswith("Read a text file")
    assert list(function["parameters"]["properties"]) == ["path", "start", "end"]
    assert function["parameters"]["required"] == ["path"]


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ('{"path": "a.txt"}', "one\ntwo\nthree\n"),
        ('{"path": "./a.txt", "start": 2}', "two\nthree"),
        ('{"path": "a.txt", "start": 2, "end": 2}', "two"),
        ('{"path": "a.txt", "end": 1}', "one"),
        ('{"path": "a.txt", "start": 3, "end": 99}', "three"),
        ('{"path": "."}', "a.txt"),
    ],
)
def test_it_reads_files_lines_and_folders(read, arguments, content):
    assert read(arguments) == content


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"path": "none.txt"}', r"^none\.txt: No such file"),
        ('{"path": "a.txt", "start": 9}', "no lines 9 to 3; the file has 3"),
        ('{"path": "a.txt", "start": 0}', "arguments do not fit: .*start"),
        ('{"path": 3}', "arguments do not fit"),
        ("{}", "arguments do not fit"),
        ("[]", "arguments do not fit"),
        ("", "arguments do not fit"),
        ('{"path": "a\\u0000b"}', "is no path"),
        ('{"path": "file:///etc/passwd"}', "is no path"),
    ],
)
def test_what_cannot_be_read_is_said_in_words_for_the_model(read, arguments, said):
    with pytest.raises(ToolError, match=said):
        read(arguments)


def test_nothing_outside_the_folder_is_free_by_any_road(read, folder, tmp_path):
    (folder / "link").symlink_to(tmp_path / "outside.txt")
    (folder / "up").symlink_to(tmp_path)
    roads = ["../outside.txt", str(tmp_path / "outside.txt"), "link", "up/outside.txt", "..", "/"]

    for road in roads:
        with pytest.raises(ApprovalNeededError):
            read(f'{{"path": "{road}"}}')


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        "server.pem",
        "server.KEY",
        "id_rsa",
        ".netrc",
        ".ssh/config",
        ".aws/credentials",
        ".git/config",
        "sub/.env",
        ".npmrc",
        ".docker/config.json",
        ".git/modules/x/config",
    ],
)
def test_what_may_hold_a_secret_is_not_free(read, folder, name):
    (folder / name).parent.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text("s")

    with pytest.raises(ApprovalNeededError):
        read(f'{{"path": "{name}"}}')


def test_an_approved_call_reads_what_is_not_free(read, tmp_path):
    assert read(f'{{"path": "{tmp_path / "outside.txt"}"}}', approved=True) == "out"


def test_in_the_home_directory_and_at_the_root_nothing_is_free(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a").write_text("a")

    for folder in (tmp_path, tmp_path.parent, Path("/")):
        with pytest.raises(ApprovalNeededError):
            Roots(folder).check_free(tmp_path / "a")


def test_the_name_of_a_folder_above_makes_nothing_secret(tmp_path):
    folder = tmp_path / "id_42" / "project"
    folder.mkdir(parents=True)

    Roots(folder).check_free(folder / "a.txt")


def test_private_folders_are_not_free_even_inside(folder):
    (folder / "jupyter").mkdir()

    with pytest.raises(ApprovalNeededError):
        Roots(folder, [folder / "jupyter"]).check_free(folder / "jupyter" / "x")


def test_a_link_that_is_swapped_in_after_the_check_is_not_followed(folder, tmp_path):
    roots = Roots(folder)
    real = roots.resolve("a.txt")
    roots.check_free(real)
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "outside.txt")

    with pytest.raises(ToolError):
        roots.open(real, free=True)


def test_a_folder_that_is_swapped_for_a_link_after_the_check_is_noticed(folder, tmp_path):
    (folder / "sub").mkdir()
    (folder / "sub" / "outside.txt").write_text("in")
    roots = Roots(folder)
    real = roots.resolve("sub/outside.txt")
    roots.check_free(real)
    (folder / "sub").rename(folder / "was")
    (folder / "sub").symlink_to(tmp_path)

    with pytest.raises(ApprovalNeededError):
        roots.open(real, free=True)


def test_a_pipe_and_a_binary_file_are_refused(read, folder):
    os.mkfifo(folder / "pipe")
    (folder / "b").write_bytes(b"\0\1")

    with pytest.raises(ToolError, match="no regular file"):
        read('{"path": "pipe"}')
    with pytest.raises(ToolError, match="binary file of 2 bytes"):
        read('{"path": "b"}')


def test_a_long_result_keeps_its_head_and_its_tail():
    text = "a" * RESULT_LIMIT + "z"

    short = capped(text)

    assert len(short) < RESULT_LIMIT + 100
    assert short.startswith("aaa")
    assert short.endswith("z")
    assert "1 characters left out" in short
