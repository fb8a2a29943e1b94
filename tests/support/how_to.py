"""The commands of a page, run as a reader would: it writes the files that the page shows and types its commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pexpect

_FENCE = re.compile(r"^(?!```)([^\n]+)\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TYPED = re.compile(r"(?<=no: )\w+$", re.MULTILINE)
_ID = re.compile(r"\b[0-9a-f]{8}\b")


class Command(NamedTuple):
    """One command of a page, and the lines of its output that the page shows. `...` stands for others."""

    typed: str
    shown: list[str]


class HowTo:
    """Follows a page in a folder. Types a reader's own ids in place of those that the page shows.

    That a page tells its readers to do so is a rule of tests/docs/test_snippets.py.

    Args:
        folder: Where the reader is at the start.
        env: Environment variables beside the test's own.
    """

    def __init__(self, page: str, folder: Path, env: dict[str, str]) -> None:
        self._page = page
        self._folder = folder
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self._env = {**os.environ, "PATH": tools, **env}
        self._ids: dict[str, str] = {}
        self.commands: list[str] = []
        """Those that have run."""

    def follow(self) -> None:
        """Write each file and run each command, in the order of the page. A shown line has to come."""
        for before, language, body in _FENCE.findall(self._page):
            name = re.search(r"\bWrite `([^`]+)`:$", before)
            if name:
                (self._folder / name[1]).write_text(body, "utf-8")
            elif language == "console":
                for command in _commands(body):
                    self._type(command)

    def _type(self, command: Command) -> None:
        typed = _ID.sub(lambda found: self._ids.get(found[0], found[0]), command.typed)
        self.commands.append(typed)
        if typed.startswith("cd "):
            self._folder = self._folder / typed.removeprefix("cd ")
            return
        printed = self._run(typed, command.shown)
        lines = {_plain(line): line for line in printed.splitlines()}
        for line in command.shown:
            assert _plain(line) in lines, f"$ {typed}\n{line}\nis not in\n{printed}"
            for shown, real in zip(
                _ID.findall(line), _ID.findall(lines[_plain(line)]), strict=True
            ):
                self._ids[shown] = real

    def _run(self, typed: str, shown: list[str]) -> str:
        """Run a command in a shell and return what it printed; answer as the page does if it asks."""
        answers = _TYPED.findall("\n".join(shown))
        if not answers:
            done = subprocess.run(
                ["bash", "-c", typed],
                cwd=self._folder,
                env=self._env,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"$ {typed}\n{done.stdout}"
            return done.stdout
        terminal = pexpect.spawn(
            "bash",
            ["-c", typed],
            cwd=str(self._folder),
            env=self._env,
            encoding="utf-8",
            timeout=60,
            dimensions=(100, 300),
        )
        printed = ""
        for answer in answers:
            terminal.expect("no: ")
            printed += terminal.before + terminal.after
            terminal.sendline(answer)
        printed += terminal.read()
        terminal.close()
        assert terminal.exitstatus == 0, f"$ {typed}\n{printed}"
        return printed


def _commands(body: str) -> Iterator[Command]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        typed, *shown = part.rstrip("\n").split("\n")
        yield Command(typed, [line for line in shown if line != "..."])


def _plain(line: str) -> str:
    """Return a line without what differs from run to run: numbers, ids, styles of a terminal."""
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
    return re.sub(r"\d+(?:[.,:-]\d+)*", "N", _ID.sub("ID", line)).strip()
