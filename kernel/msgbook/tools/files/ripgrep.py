"""Search of a folder by ripgrep, which is faster than Python and whose patterns cannot make it hang."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgbook.tools.files.text import TextFile
from msgbook.tools.files.walking import SKIPPED

FILE_LIMIT = 5_000_000
"""Bytes above which a file is not searched."""


_Found = TypeVar("_Found")


class Search(NamedTuple):
    """Pattern and options of a search."""

    pattern: str
    """A regular expression."""
    ignore_case: bool
    context: int
    """Lines before and after a match."""
    limit: int
    """Most lines to return."""


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
    program: str | None, search: Search, top: Path, opened: Callable[[str], TextFile | None]
) -> list[Hit] | None:
    """Search a folder.

    ripgrep opens files by name, and a name may lead to another file later. So a line counts only
    if it is in the file that `opened` returns.

    Args:
        program: Path of ripgrep; None if there is none.
        opened: Returns the file of a relative path, opened without following a link; None if nothing
            of it may be shown.

    Returns:
        The lines, or None if ripgrep does not support the pattern, or the program is not ripgrep.
    """
    return _run(program, search, top, lambda events: _hits(events, search.limit, opened))


_ONCE = ("--no-crlf", "--max-count=1")
"""With `--crlf`, ripgrep takes no pattern with a CR."""


def with_cr_within_lines(program: str | None, top: Path) -> list[str] | None:
    """Return the files with a CR within a line. To ripgrep, lines that end with CR alone are one."""
    search = Search(r"\r[^\r\n]", ignore_case=False, context=0, limit=1)
    return _run(program, search, top, lambda events: [*_begun(events)], *_ONCE)


def _run(
    program: str | None,
    search: Search,
    top: Path,
    read: Callable[[Iterator[tuple[str, dict[str, Any]]]], _Found | None],
    *options: str,
) -> _Found | None:
    if program is None:
        return None
    import subprocess  # most calls start nothing

    try:
        running = subprocess.Popen(  # noqa: S603 - no shell, the pattern stands after -e
            [program, *_options(search, *options)],
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
            return read(_events(running.stdout))
        except (ValueError, KeyError, TypeError):  # another program of that name
            return None
        finally:
            running.kill()


def _options(search: Search, *more: str) -> list[str]:
    return [
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
        "--iglob=!**/*.ipynb",  # these are searched as text by cells
        *more,
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
    opened: Callable[[str], TextFile | None],
) -> list[Hit] | None:
    hits: list[Hit] = []
    path, file, lines = "", None, [""]
    for kind, data in events:
        if kind == "begin":
            path = _path(data)
            file = opened(path) if ".." not in path.split("/") else None
            lines = file.split_lines() if file else []
        elif kind in ("match", "context") and 0 < data["line_number"] <= len(lines):
            number = data["line_number"]
            text = lines[number - 1]
            if file and _is_that(_bytes(data["lines"]), text, file.codec):
                hits.append(Hit(path, number, text, kind == "match"))
            if len(hits) >= limit:
                return hits
        elif kind == "summary":
            return hits
    return None


def _begun(events: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    return (_path(data) for kind, data in events if kind == "begin")


def _path(data: dict[str, Any]) -> str:
    path = _bytes(data["path"]).decode("utf-8", "surrogateescape")
    return path.removeprefix("./").replace("\\", "/")


def _is_that(found: bytes, line: str, codec: str) -> bool:
    """Return whether ripgrep found this line. It sends the bytes of the file, or UTF-8 for UTF-16."""
    spellings = (line.encode("utf-8", "replace"), line.encode(codec, "replace"))
    return found.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n") in [
        spelled.rstrip(b"\r\n") for spelled in spellings
    ]


def _bytes(value: dict[str, str]) -> bytes:
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])
