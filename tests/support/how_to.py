"""The commands of a page, run as a reader would: it writes the files that the page shows and types its commands."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pexpect
from fences import SHELLS, Fence
from typed import environment

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
        fences: The files and commands of the page.
        folder: Where the reader is at the start.
        env: Environment variables beside the test's own.
    """

    def __init__(self, fences: Iterable[Fence], folder: Path, env: dict[str, str]) -> None:
        self._fences = fences
        self._folder = folder
        self._env = environment(env)
        self._ids: dict[str, str] = {}

    def follow(self) -> None:
        """Write each file and run each command, in the order of the page. A shown line has to come."""
        for fence in self._fences:
            name = re.search(r"\bWrite `([^`]+)`:$", fence.above)
            if name:
                (self._folder / name[1]).write_text(fence.body, "utf-8")
                continue
            assert fence.language in SHELLS, (
                f"{fence.page}:{fence.line} is neither written nor typed"
            )
            for command in _commands(fence):
                self._type(command)

    def _type(self, command: Command) -> None:
        typed = _ID.sub(lambda found: self._ids.get(found[0], found[0]), command.typed)
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
            timeout=300,
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


def _commands(fence: Fence) -> Iterator[Command]:
    if fence.language != "console":
        yield from (Command(line, []) for line in fence.commands)
        return
    assert fence.body.startswith("$ "), fence.body
    for part in re.split(r"^\$ ", fence.body, flags=re.MULTILINE)[1:]:
        typed, *shown = part.rstrip("\n").split("\n")
        yield Command(typed, [line for line in shown if line != "..."])


def _plain(line: str) -> str:
    """Return a line without what differs from run to run: numbers, ids, styles of a terminal."""
    line = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
    return re.sub(r"\d+(?:[.,:-]\d+)*", "N", _ID.sub("ID", line)).strip()
