"""Files on disk: which are ours, and that a write is done or not begun."""

from __future__ import annotations

import pytest

import msgbook_format
from msgbook_format import read, reads, write
from msgbook_format.errors import NotAMessageFile, NotUtf8Error

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


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(TEXT)

    with pytest.raises(TypeError):
        write({"nbformat": 4, "metadata": {"x": {1, 2}}, "cells": []}, path)

    assert path.read_text() == TEXT
    assert [entry.name for entry in tmp_path.iterdir()] == ["chat.msg.md"]


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
