"""A conversation counts as running exactly as long as the process that runs it lives."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager
from fcntl import LOCK_SH, flock
from itertools import combinations

import pytest
from running_files import (
    chat,  # noqa: F401 - fixtures
    files,
)

from msgbook_format.agent_states import claim, mark_running, read_marks
from msgbook_format.files import replace_bytes


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path, monkeypatch):
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


def test_a_mark_lasts_as_long_as_its_context(chat, runtime_folder):
    assert not read_marks().is_running(chat, "u")
    with mark_running(chat, "u"):
        assert read_marks().is_running(chat, "u")
        assert read_marks().is_running(chat, "")
        assert not read_marks().is_running(chat.with_name("other.msg.md"), "other")
    assert not read_marks().is_running(chat, "u")
    assert files(runtime_folder) == []


def test_only_one_claim_of_a_file_is_open_at_a_time(chat, runtime_folder):
    link = chat.with_name("link.msg.md")
    link.symlink_to(chat)
    for _ in range(2):
        with claim(chat) as first, claim(link) as second, claim(chat.with_name("b")) as other:
            assert (first, second, other) == (True, False, True)
        assert files(runtime_folder) == []


@contextmanager
def before_system_calls(acts):
    """Act before the system calls of this thread that have a number, counted from 0."""
    calls = 0

    def watch(_frame, event, function):
        nonlocal calls
        if event == "c_call" and function.__name__ in ("open", "flock", "fstat", "stat", "lstat"):
            sys.setprofile(None)
            acts.get(calls, lambda: None)()
            calls += 1
            sys.setprofile(watch)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


def test_a_claim_is_the_only_one_whatever_others_end_and_begin_meanwhile(chat):
    for ends, ends_again in combinations(range(20), 2):
        with ExitStack() as other, ExitStack() as ours:
            assert other.enter_context(claim(chat))
            acts = {
                ends: lambda: other.close() or other.enter_context(claim(chat)),
                ends_again: other.close,
            }
            with before_system_calls(acts):
                is_ours = ours.enter_context(claim(chat))
            with claim(chat) as second:
                assert not (is_ours and second), (ends, ends_again)


def test_where_nothing_can_be_locked_a_claim_keeps_nobody_from_a_file(chat, runtime_folder):
    runtime_folder.write_text("no folder")

    with claim(chat) as first:
        assert first


def test_two_turns_of_a_conversation_are_two_marks(chat):
    with mark_running(chat, "u"):
        with mark_running(chat, "u"):
            pass
        assert read_marks().is_running(chat, "u")


def test_a_copy_of_a_running_conversation_does_not_run(chat, tmp_path):
    with mark_running(chat, "u"):
        assert not read_marks().is_running(tmp_path / "copy.msg.md", "u")


def test_a_file_that_was_moved_while_it_runs_is_known_by_its_id(chat, tmp_path):
    with mark_running(chat, "u"):
        moved = chat.rename(tmp_path / "moved.msg.md")
        assert read_marks().is_running(moved, "u")
    with mark_running(None, "u"):
        assert read_marks().is_running(moved, "u")


def test_a_file_is_known_behind_a_link(chat, tmp_path):
    link = tmp_path / "link.msg.md"
    link.symlink_to(chat)
    with mark_running(link, "u"):
        assert read_marks().is_running(chat, "")


def test_a_reader_that_looks_at_a_mark_is_no_turn(chat, runtime_folder):
    with mark_running(chat, "u"):
        (mark,) = files(runtime_folder)
        left = mark.read_bytes()
    mark.write_bytes(left)
    with mark.open("rb") as other_reader:
        flock(other_reader, LOCK_SH)
        assert not read_marks().is_running(chat, "u")


def test_junk_among_the_marks_is_no_error(chat, runtime_folder):
    with mark_running(chat, "u"):
        (folder,) = {path.parent for path in files(runtime_folder)}
        (folder / "junk.running.json").write_text("{")
        (folder / "folder.running.json").mkdir()
        (folder / "gone.running.json").symlink_to("nowhere")
        os.mkfifo(folder / "pipe.running.json")
        assert read_marks().is_running(chat, "u")


def test_a_mark_that_cannot_be_made_changes_nothing(chat, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file"))
    with mark_running(chat, "u"):
        assert not read_marks().is_running(chat, "u")


def test_a_file_is_written_if_the_process_that_runs_it_says_so(chat, runtime_folder):
    with mark_running(chat, "u"):
        assert not read_marks().is_written(chat)
        with mark_running(chat, "u", writes=True):
            replace_bytes(chat, b"A step.")
            assert read_marks().is_written(chat)
    assert not read_marks().is_written(chat)
