"""`python -OO`, which removes docstrings and assertions: what the command does stays the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doctor_answers import CALLS, NUMBERS
from scripted_server import ScriptedServer, text

CHAT = "# %% [^a]\n\nHi\n"


def _outcome(folder: Path, words: list[str], *options: str, **env: str) -> tuple[int, str, str]:
    folder.mkdir()
    (folder / "a.msg.md").write_text(CHAT, "utf-8")
    done = subprocess.run(
        [sys.executable, *options, "-m", "msgbook", *words],
        cwd=folder, env={**os.environ, "MSGBOOK_MODEL": "demo", **env}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    said = (done.stdout, done.stderr)
    return done.returncode, *(re.sub(r"[\d.]+ m?s\b|\d\d:\d\d", "", one) for one in said)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["preview", "--help"], ["preview", "--json", "--run", "a.msg.md"], ["agents"], ["run", "a.msg.md"]],
)  # fmt: skip
def test_a_verb_says_the_same_without_docstrings(tmp_path: Path, words: list[str]) -> None:
    with_them, without = (
        _outcome(tmp_path / "one", words),
        _outcome(tmp_path / "two", words, "-OO"),
    )

    assert str(without).replace("/two", "/one") == str(with_them)
    assert with_them[0] == 0


def test_doctor_checks_the_same_without_docstrings(tmp_path: Path) -> None:
    outcomes = []
    for name, options in (("one", ()), ("two", ("-OO",))):
        with ScriptedServer([text(NUMBERS), CALLS]) as server:
            env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
            words = ["doctor", "--timeout", "30"]
            outcome = _outcome(tmp_path / name, words, *options, **env)
            outcomes.append(str(outcome).replace(server.url, "URL"))

    assert outcomes[1].replace("/two", "/one") == outcomes[0]
    assert "pass     tools" in outcomes[0]
