"""A file is marked as long as the process that writes it lives, whatever replaces the file."""

from __future__ import annotations

import subprocess
import sys

from msgbook_format.files import WriteMark, is_marked, replace_bytes


def test_a_mark_moves_to_the_file_that_replaces_the_marked_one_and_ends(tmp_path):
    file = tmp_path / "a.msg.md"
    file.write_bytes(b"one")
    assert not is_marked(file)
    with WriteMark(file) as mark:
        assert not is_marked(file)
        mark.renew()
        assert is_marked(file)
        replace_bytes(file, b"two")
        mark.renew()
        assert is_marked(file)
    assert not is_marked(file)


def test_a_mark_ends_with_a_process_that_is_killed(tmp_path):
    file = tmp_path / "a.msg.md"
    file.write_bytes(b"one")
    code = (
        "import sys; from pathlib import Path; from msgbook_format.files import WriteMark\n"
        "mark = WriteMark(Path(sys.argv[1])); mark.renew(); print('marked', flush=True)\n"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"marked\n"
        assert is_marked(file)
        process.kill()
    assert not is_marked(file)


def test_a_file_that_is_not_there_has_no_mark(tmp_path):
    with WriteMark(tmp_path / "gone.msg.md") as mark:
        mark.renew()
    assert not is_marked(tmp_path / "gone.msg.md")
    assert not is_marked(tmp_path)
