"""`msgbook demo`, as somebody types it first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from msgbook.__main__ import main
from msgbook.demo import prepare


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "msgbook", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_headless_it_runs_the_sample_and_exports_it(tmp_path: Path):
    done = run("demo", str(tmp_path / "new"), "--headless")

    assert (done.returncode, done.stdout.split()) == (
        0,
        [str(tmp_path / "new" / "demo.msg.md"), str(tmp_path / "new" / "demo.html")],
    )
    text = (tmp_path / "new" / "demo.msg.md").read_text("utf-8")
    page = (tmp_path / "new" / "demo.html").read_text("utf-8")
    assert "reasoning=1" in text
    assert '[tool] name="read"' in text
    assert "2 messages" in text
    assert page.count("<details") >= 3
    assert "<details open" not in page


def test_an_existing_conversation_is_used_not_replaced(tmp_path: Path):
    (tmp_path / "demo.msg.md").write_text("My own words.")

    assert prepare(tmp_path).read_text() == "My own words."


def test_what_cannot_be_used_is_said_in_one_line(tmp_path: Path, capsys):
    (tmp_path / "file").write_text("")

    assert main(["demo", str(tmp_path / "file"), "--headless"]) == 2

    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "demo.msg.md" in said
