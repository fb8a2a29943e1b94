"""Files on disk: which are ours, and that a write is done or not begun."""

from __future__ import annotations

import os
import sys

import pytest
from ctrl_c import interrupted_at

import msgbook_format
from msgbook_format import read, reads, write
from msgbook_format.errors import (
    FileChangedError,
    NotAMessageFile,
    NotReplaceableError,
    NotUtf8Error,
)
from msgbook_format.files import Snapshot, create_bytes, replace_bytes

TEXT = "# %% [^a]\n\n[^a]: [markdown]\n\nHello\n"


def test_a_markdown_file_without_a_section_is_not_ours(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("# %% quoted\n")

    with pytest.raises(NotAMessageFile, match="message_section"):
        read(path)


def test_a_file_that_is_not_utf8_names_path_and_offset(tmp_path):
    path = tmp_path / "latin.msg.md"
    path.write_bytes(b"caf\xe9")

    with pytest.raises(NotUtf8Error, match=r"latin\.msg\.md.*0xe9 at offset 3") as raised:
        read(path)

    assert raised.value.offset == 3


def test_writing_keeps_mode_and_follows_links(tmp_path):
    target = tmp_path / "target.msg.md"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.msg.md"
    link.symlink_to(target)

    write(reads(TEXT), link)

    assert link.is_symlink()
    assert target.read_text() == TEXT
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.msg.md", "target.msg.md"]


@pytest.mark.parametrize("before", [None, 0o644, 0o200])
def test_a_file_has_the_mode_that_it_is_given(tmp_path, before):
    path = tmp_path / "new.toml"
    if before is not None:
        path.write_bytes(b"old")
        path.chmod(before)

    replace_bytes(path, b"new", mode=0o600)

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(TEXT)

    with pytest.raises(TypeError):
        write({"nbformat": 4, "metadata": {"x": {1, 2}}, "cells": []}, path)

    assert path.read_text() == TEXT
    assert [entry.name for entry in tmp_path.iterdir()] == ["chat.msg.md"]


@pytest.mark.parametrize("write_bytes", [create_bytes, replace_bytes])
def test_an_interrupted_write_leaves_no_new_file(tmp_path, write_bytes):
    with pytest.raises(KeyboardInterrupt), interrupted_at(os.fsync):
        write_bytes(tmp_path / "chat.msg.md", TEXT.encode())

    assert list(tmp_path.iterdir()) == []


def test_a_new_file_replaces_none_and_has_the_mode_that_it_is_given(tmp_path):
    path = tmp_path / "chat.msg.md"
    create_bytes(path, b"mine", mode=0o600)

    with pytest.raises(FileExistsError):
        create_bytes(path, b"other")

    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"mine", 0o600)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write what is read-only")
def test_a_read_only_file_is_not_replaced(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(TEXT)
    path.chmod(0o444)

    with pytest.raises(PermissionError, match=r"chat\.msg\.md"):
        write(reads("# %%\n"), path)

    assert path.read_text() == TEXT


def test_other_hard_links_keep_the_old_content(tmp_path):
    path, other = tmp_path / "chat.msg.md", tmp_path / "backup.msg.md"
    path.write_text("old")
    other.hardlink_to(path)

    write(reads(TEXT), path)

    assert (path.read_text(), other.read_text()) == (TEXT, "old")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_of_a_file_stays(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    path.chmod(0o660)

    write(reads(TEXT), path)

    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (12345, 23456, 0o660)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has extended attributes here")
def test_the_attributes_of_a_file_stay(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("old")
    os.setxattr(path, "user.note", b"mine")

    write(reads(TEXT), path)

    assert (path.read_text(), os.getxattr(path, "user.note")) == (TEXT, b"mine")


def test_a_folder_that_takes_no_new_file_has_an_error_of_its_own(tmp_path):
    path = tmp_path / "not there" / "chat.msg.md"

    with pytest.raises(NotReplaceableError, match="not there"):
        replace_bytes(path, b"new")


@pytest.mark.parametrize("change", ["rewrite", "delete"])
def test_a_snapshot_does_not_overwrite_what_came_after_it(tmp_path, change):
    path = tmp_path / "chat.msg.md"
    path.write_text(TEXT)
    snapshot = Snapshot.read(path)
    if change == "rewrite":
        path.write_text("# %% mine\n")
    else:
        path.unlink()

    with pytest.raises(
        FileChangedError, match=r"chat\.msg\.md: the file has been changed or removed"
    ):
        snapshot.replace("# %% other\n")

    assert [p.read_text() for p in tmp_path.iterdir()] == (
        ["# %% mine\n"] if change == "rewrite" else []
    )


def test_a_snapshot_keeps_every_byte(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_bytes("\ufeff# %%\r\nx\r\ny\n".encode())
    snapshot = Snapshot.read(path)

    snapshot.replace(snapshot.text)

    assert path.read_bytes() == "\ufeff# %%\r\nx\r\ny\n".encode()


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path):
    path = tmp_path / ("对" * 82 + ".msg.md")

    write(reads(TEXT), path)

    assert path.read_text() == TEXT


def test_lone_surrogates_reach_a_file_escaped(tmp_path):
    path = tmp_path / "chat.msg.md"

    write(reads("# %% [^a]\n\n[^a]: [markdown]\n\n\ud800\n"), path)

    assert read(path).cells[0].source == "\ud800"


def test_importing_the_package_imports_nothing_else():
    assert not {"nbformat", "yaml"} & set(vars(msgbook_format))


def test_a_link_that_leads_to_itself_is_an_error_of_the_system_and_stays(tmp_path):
    loop = tmp_path / "loop.msg.md"
    loop.symlink_to(loop)

    with pytest.raises(OSError, match="symbolic link"):
        write(reads("# %%\n\nHi\n"), loop)

    assert loop.is_symlink()
