"""The plug-in of pytest: a conversation with a cassette beside it is a test that replays it.

`chat.msg.md` is collected if `chat.cassette.jsonl` stands beside it. pytest loads this module at each start, so it
imports nothing else of msgbook before such a test runs.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_CHAT, _CASSETTE = ".msg.md", ".cassette.jsonl"
_LINES = 80
"""Lines that a difference shows."""


class DifferenceError(Exception):
    """A replay that differs. The message is all that is shown."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options to pytest's."""
    group = parser.getgroup("msgbook", "conversations as tests (msgbook)")
    group.addoption(
        "--msgbook-record",
        action="store_true",
        default=False,
        help="ask the models again and record the cassettes anew. Tool calls that need approval run only if "
        "one of your approval rules allows them: nobody is asked. A conversation without a cassette is recorded if "
        "it is named on the command line.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ChatFile | None:
    """Return the test file of a conversation; None for any other file."""
    if not file_path.name.endswith(_CHAT):
        return None
    records = parent.config.getoption("msgbook_record")
    is_new = records and parent.session.isinitpath(file_path)
    if not (is_new or cassette_of(file_path).is_file()):
        return None
    found: ChatFile = ChatFile.from_parent(parent, path=file_path)
    return found


def cassette_of(path: Path) -> Path:
    """Return the cassette beside a conversation."""
    return path.with_name(path.name.removesuffix(_CHAT) + _CASSETTE)


class ChatFile(pytest.File):
    """A conversation."""

    def collect(self) -> Iterator[ChatItem]:
        """Yield its only test."""
        name = "record" if self.config.getoption("msgbook_record") else "replay"
        yield ChatItem.from_parent(self, name=name)


class ChatItem(pytest.Item):
    """The test of a conversation: it is replayed, or recorded."""

    def runtest(self) -> None:
        """Replay the conversation, or record it anew.

        Raises:
            DifferenceError: The replay differs, or the recording failed.
        """
        if self.name == "record":
            _record(self.path)
        else:
            _replay(self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what a person reads of a failure."""
        from msgbook.errors import MsgbookError

        if isinstance(excinfo.value, (DifferenceError, MsgbookError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, its line, from 0, and the name of the test."""
        return self.path, 0, f"{self.name} of {self.path.name}"


def _replay(path: Path) -> None:
    from msgbook.extras.cassettes.replay import replay_file

    replayed = replay_file(path, cassette_of(path))
    if replayed.difference is not None:
        raise DifferenceError("\n".join([replayed.difference, *replayed.diff, _how_to_go_on(path)]))
    if replayed.document.is_changed:
        saved = path.read_text("utf-8").splitlines()
        now = replayed.document.text.splitlines()
        lines = list(difflib.unified_diff(saved, now, str(path), "replayed", lineterm="", n=2))
        words = f"{path} is not what its cassette gives:"
        raise DifferenceError("\n".join([words, *lines[:_LINES], _how_to_go_on(path)]))


def _how_to_go_on(path: Path) -> str:
    return f"If that is meant, `pytest {path.name} --msgbook-record` asks the models again."


def _record(path: Path) -> None:
    """Run the command, which has a process and an environment of its own."""
    cassette = cassette_of(path)
    command = [sys.executable, "-P", "-m", "msgbook", "run", str(path), "--record", str(cassette)]
    again = [] if cassette.exists() else ["--all"]
    ran = subprocess.run(  # noqa: S603
        [*command, "--approval", "deny", *again],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    print(ran.stdout, end="")  # noqa: T201 - pytest captures it
    if ran.returncode != 0:
        raise DifferenceError(ran.stderr.strip() or f"msgbook run ended with {ran.returncode}")
