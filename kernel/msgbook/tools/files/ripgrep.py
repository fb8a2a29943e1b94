"""Searching a folder with ripgrep, which is quicker than Python and cannot be made to stall."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.tools.files.opening import read_file
from msgbook.tools.files.text import is_binary
from msgbook.tools.files.walking import SKIPPED
from msgbook.tools.rights import Refused, Roots

FILE_LIMIT = 5_000_000
"""Bytes above which a file is not searched."""


class Search(NamedTuple):
    """What to look for."""

    pattern: str
    """A regular expression."""
    ignore_case: bool
    context: int
    """Lines before and after a match."""
    limit: int
    """Lines that are wanted at most."""


class Hit(NamedTuple):
    """A line that was found."""

    path: str
    """Relative to the folder that is searched, with `/`."""
    line: int
    """From 1."""
    text: str
    matches: bool
    """False for a line of context."""


def ripgrep(
    program: str | None, search: Search, top: Path, wanted: Callable[[str], bool], roots: Roots
) -> list[Hit] | None:
    """Search a folder.

    ripgrep opens files by name, so what it says of a file counts only if the file can be opened
    without following a link.

    Args:
        program: Where ripgrep is; None when there is none.
        wanted: Whether a relative path may be shown.

    Returns:
        What was found, or None when ripgrep cannot tell: it takes no such pattern, or is none.
    """
    if program is None:
        return None
    import subprocess  # most calls start nothing

    try:
        running = subprocess.Popen(  # noqa: S603 - no shell, the pattern stands behind -e
            _command(program, search),
            cwd=top,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    with running:
        assert running.stdout is not None  # noqa: S101 - asked for above
        try:
            return _hits(_events(running.stdout), search.limit, wanted, roots, top)
        except (ValueError, KeyError, TypeError):  # another program of that name
            return None
        finally:
            running.kill()


def _command(program: str, search: Search) -> list[str]:
    return [
        program,
        "--no-config",
        "--json",
        "--no-ignore",  # the same files as without ripgrep
        "--hidden",
        "--no-follow",
        "--no-messages",
        "--crlf",
        "--sort=path",
        f"--max-filesize={FILE_LIMIT}",
        f"--context={search.context}",
        *(["--ignore-case"] if search.ignore_case else []),
        *(f"--glob=!**/{name}" for name in SKIPPED),
        f"--regexp={search.pattern}",
        "--",
        "./",
    ]


def _events(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in lines:
        event = json.loads(line)
        yield event["type"], event["data"]


def _hits(
    events: Iterator[tuple[str, dict[str, Any]]],
    limit: int,
    wanted: Callable[[str], bool],
    roots: Roots,
    top: Path,
) -> list[Hit] | None:
    hits: list[Hit] = []
    path = None
    for kind, data in events:
        if kind == "begin":
            name = _text(data["path"]).removeprefix("./").replace("\\", "/")
            below = ".." not in name.split("/")
            path = name if below and wanted(name) and _is_text(roots, top / name) else None
        elif kind in ("match", "context") and path is not None:
            text = _text(data["lines"]).rstrip("\r\n")
            hits.append(Hit(path, data["line_number"], text, kind == "match"))
            if len(hits) >= limit:
                return hits
        elif kind == "summary":
            return hits
    return None


def _is_text(roots: Roots, real: Path) -> bool:
    try:
        return not is_binary(read_file(roots, real, 8192)[0])
    except Refused:
        return False


def _text(value: dict[str, str]) -> str:
    if "text" in value:
        return value["text"]
    return base64.b64decode(value["bytes"]).decode("utf-8", "surrogateescape")
