"""A world in which nothing changes by itself: its clock stands still, and its ids are counted."""

from __future__ import annotations

import itertools
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from scripted_server import ScriptedServer

from msgbook.ids import LANE, Ids

FOLDER, SERVER = "/FOLDER", "http://server/v1"
"""What records have in place of a test's folder and its server's URL."""


class CountedIds(Ids):
    """Numbers in place of random digits, counted for each conversation, and one time for all."""

    def __init__(self) -> None:
        self._counts: dict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))

    def new_token(self, size: int) -> str:
        return f"{self._next():0{2 * size}x}"

    def new_uuid(self) -> str:
        return f"00000000-0000-4000-8000-{self._next():012x}"

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def _next(self) -> int:
        lane = LANE.get()
        # Agents that run side by side draw in any order.
        prefix = int(lane.replace(".", ""))
        return prefix * 0x1000 + next(self._counts[lane])


@dataclass
class World:
    """Where a scenario happens."""

    folder: Path
    server: ScriptedServer
    patch: pytest.MonkeyPatch
    printed: pytest.CaptureFixture[str]
    settings: str = ""
    """Text of the user's `msgbook.toml`."""

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files into the folder."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def configure(self, api: str = "chat", settings: str = "", **variables: str) -> None:
        """Be a user with a server and settings; they stand outside the folder."""
        config = self.folder.parent / "config"
        config.mkdir(exist_ok=True)
        text = f'{settings}\n[providers.openai]\napi = "{api}"\n'
        (config / "msgbook.toml").write_text(text, "utf-8")
        self.patch.setenv("JUPYTER_CONFIG_DIR", str(config))
        self.patch.setenv("HOME", str(config))
        self.patch.setenv("OPENAI_BASE_URL", self.server.url)
        self.patch.setenv("MSGBOOK_MODEL", "m")
        for name, value in variables.items():
            self.patch.setenv(name, value)

    def fixed(self, text: str) -> str:
        """Return a text without what is this run's alone."""
        for own, word in (
            (str(self.folder), FOLDER),
            (str(self.folder.parent), f"{FOLDER}/.."),
            (self.server.url, SERVER),
        ):
            text = text.replace(own, word)
        return text

    def output(self) -> str:
        """Return what was printed since the last time."""
        out, err = self.printed.readouterr()
        return "".join(
            f"--- {name}\n{text}" for name, text in (("stdout", out), ("stderr", err)) if text
        )


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@dataclass
class Record:
    """The text of a scenario: a part below each heading."""

    parts: list[str] = field(default_factory=list)

    def add(self, heading: str, value: Any) -> None:
        """Add a text as it is, or JSON."""
        text = value if isinstance(value, str) else readable(value)
        self.parts.append(f"======== {heading}\n{text}" + ("" if text.endswith("\n") else "\n"))

    def __str__(self) -> str:
        return "\n".join(self.parts)


def readable(value: Any, indent: str = "") -> str:
    """Return JSON in which each line of a text has a line of its own."""
    deeper = indent + "  "
    match value:
        case dict() if value:
            rows = [f"{_quoted(k, '')}: {readable(v, deeper)}" for k, v in value.items()]
            return "{\n" + ",\n".join(deeper + row for row in rows) + f"\n{indent}}}"
        case list() | tuple() if value:
            rows = [readable(item, deeper) for item in value]
            return "[\n" + ",\n".join(deeper + row for row in rows) + f"\n{indent}]"
        case str():
            return _quoted(value, indent)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _quoted(text: str, indent: str) -> str:
    lines = text.split("\n")
    pieces = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    if len(pieces) < 2:
        return _json(text)
    return "".join(f"\n{indent}  {_json(piece)}" for piece in pieces)


def _json(text: str) -> str:
    # A lone surrogate has no bytes in UTF-8.
    return json.dumps(text, ensure_ascii=not text.isprintable() and _is_odd(text))


def _is_odd(text: str) -> bool:
    return any(not char.isprintable() and char != "\n" for char in text)
