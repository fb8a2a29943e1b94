"""The tools `glob` and `grep`. They show no line of a file that may hold a secret."""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgbook.errors import MsgbookError, ToolError
from msgbook.tools.files.documents import is_notebook, read_notebook
from msgbook.tools.files.opening import is_folder, read_file
from msgbook.tools.files.patterns import SKIPPED, Hidden, matcher, walk
from msgbook.tools.files.reading import FILE_LIMIT as NAMED_FILE_LIMIT
from msgbook.tools.files.reading import SHOWN, Call
from msgbook.tools.files.text import TextFile, cut, decode

_NAMES = 1000
"""Names of files that glob shows."""
_LINES = 400
"""Most lines that grep shows, with context."""
_LINE_WIDTH = 300
"""Characters of a line that grep shows: minified code is one line."""
_CONTEXT = 20
"""Lines of context around a match that a model may ask for; more is what `read` is for."""


def glob(call: Call, pattern: str, path: str = ".") -> str:
    """Return the paths that match, one per line."""
    top = call.resolve_searchable(path)
    fits = matcher(pattern)
    if not is_folder(call.roots, top):
        raise ToolError(f"{call.roots.format_path(top)} is not a folder.")
    base = _base(call, top)
    hidden = _hidden(call, top)
    found = sorted(
        base + name + ("/" if kind == "folder" else "")
        for name, kind in walk(call.roots, top, hidden)
        if fits(name)
    )
    note = f"[{len(found)} paths match in all; narrow the pattern, or give a folder as path]"
    shown = "\n".join(found[:_NAMES])
    if len(found) > _NAMES and len(shown) <= SHOWN:
        shown = f"{shown}\n{note}"
    else:
        shown = cut(shown, SHOWN, note) or "(no path matches)"
    return _with_note(shown, hidden)


def grep(
    call: Call,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    ignore_case: bool = False,
    context: int = 0,
) -> str:
    """Return the lines that match as `path:line:text`, and lines of context as `path-line-text`."""
    top = call.resolve_searchable(path)
    fits = matcher(glob, anywhere=True) if glob else _any_path
    search = Search(pattern, ignore_case, min(context, _CONTEXT), _LINES + 1)
    if is_folder(call.roots, top):
        hidden = _hidden(call, top)
        hits = _in_folder(call, top, search, fits, hidden)
        return _with_note(_shown(hits, _base(call, top), search), hidden)
    return _shown(_in_file(call, top, search), "", search)


def _any_path(path: str) -> bool:
    return True


def _hidden(call: Call, top: Path) -> Hidden | None:
    """Return what to leave out of a folder that is searched without approval; None for nothing."""
    if not call.roots.is_searchable(top):
        return None
    return lambda name, kind: not call.roots.is_in_reach(top / name)


def _with_note(found: str, hidden: Hidden | None) -> str:
    """Return the result, with a note if a part of the folder was left out."""
    note = "[only what the agent's allowed_uris allow was searched; other folders can be named]"
    return f"{found}\n{note}" if hidden else found


def _in_folder(
    call: Call, top: Path, search: Search, fits: Callable[[str], bool], hidden: Hidden | None
) -> Iterable[Hit]:
    def wanted(name: str) -> bool:
        if hidden and hidden(name, "file"):
            return False
        return fits(name) and not call.roots.is_secret(top / name)

    def opened(name: str) -> TextFile | None:
        try:
            return _text_of(call, top / name, FILE_LIMIT) if wanted(name) else None
        except ToolError:  # removed meanwhile, or not readable
            return None

    names = (name for name, kind in walk(call.roots, top, hidden) if kind == "file")
    found = ripgrep(call.ripgrep, search, top, opened)
    if found is None:
        return _in_files(names, opened, search)
    # ripgrep leaves notebooks out: they are searched as text by cells.
    others = {name for name in names if is_notebook(top / name)} | {*_cr_only(call, top, opened)}
    found = [hit for hit in found if hit.path not in others]
    hits = _in_files(sorted(others, key=_by_folder), opened, search) if others else ()
    return merge(found, hits, key=lambda hit: _by_folder(hit.path))


def _cr_only(call: Call, top: Path, opened: Callable[[str], TextFile | None]) -> Iterator[str]:
    """Yield the files whose lines end with CR alone."""
    for name in with_cr_within_lines(call.ripgrep, top) or ():
        file = opened(name) if ".." not in name.split("/") else None
        if file is not None and file.has_cr_only:
            yield name


def _in_files(
    names: Iterable[str], opened: Callable[[str], TextFile | None], search: Search
) -> Iterable[Hit]:
    expression = _compiled(search)
    return (
        hit
        for name in names
        if (file := opened(name)) is not None
        for hit in _hits(name, file.split_lines(), search, expression)
    )


def _by_folder(path: str) -> list[str]:
    return path.split("/")


def _in_file(call: Call, real: Path, search: Search) -> Iterable[Hit]:
    name = call.roots.format_path(real)
    file = _text_of(call, real, NAMED_FILE_LIMIT)
    if file is None:
        raise ToolError(f"{name} is binary, or has more than {NAMED_FILE_LIMIT} bytes.")
    return _hits(name, file.split_lines(), search, _compiled(search))


def _text_of(call: Call, real: Path, limit: int) -> TextFile | None:
    """Return a text file, or a notebook as text; None if it is binary or too long."""
    if is_notebook(real):
        try:
            return TextFile(read_notebook(call.roots, real, here=True))
        except ToolError:
            raise
        except MsgbookError:  # its text is searched as it is
            pass
    data, status = read_file(call.roots, real, limit)
    return decode(data) if status.st_size <= limit else None


def _hits(
    name: str, lines: list[str], search: Search, expression: re.Pattern[str]
) -> Iterator[Hit]:
    shown = 0
    for at, line in enumerate(lines):
        if not expression.search(line):
            continue
        for before in range(max(at - search.context, shown), at):
            yield Hit(name, before + 1, lines[before], matches=False)
        yield Hit(name, at + 1, line, matches=True)
        shown = at + 1
        # A line after a match is shown once, also if it matches itself.
        while shown < min(at + 1 + search.context, len(lines)):
            if expression.search(lines[shown]):
                break
            yield Hit(name, shown + 1, lines[shown], matches=False)
            shown += 1


def _compiled(search: Search) -> re.Pattern[str]:
    try:
        return re.compile(search.pattern, re.IGNORECASE if search.ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ToolError(f"{search.pattern!r} is not a regular expression: {error}") from None


def _shown(hits: Iterable[Hit], base: str, search: Search) -> str:
    lines: list[str] = []
    size = 0
    last: Hit | None = None
    for hit in hits:
        if len(lines) >= _LINES or size > SHOWN:
            lines.append("[there is more; narrow the pattern, or give a folder or file as path]")
            break
        if search.context and last and (last.path, last.line + 1) != (hit.path, hit.line):
            lines.append("--")
        mark = ":" if hit.matches else "-"
        text = hit.text[:_LINE_WIDTH] + (" [...]" if len(hit.text) > _LINE_WIDTH else "")
        lines.append(f"{base}{hit.path}{mark}{hit.line}{mark}{text}")
        size += len(lines[-1]) + 1
        last = hit
    return "\n".join(lines) or "(nothing matches)"


def _base(call: Call, top: Path) -> str:
    """Return the prefix that makes paths relative to a folder usable as arguments of tools."""
    name = call.roots.format_path(top)
    return "" if name == "." else name.rstrip("/") + "/"


# Search of a folder by ripgrep, which is faster than Python and whose patterns cannot make it hang.


FILE_LIMIT = 5_000_000
"""Bytes above which a file is not searched: data, not text, and it would use up the time of the call."""


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
    return _run(program, search, top, lambda events: _ripgrep_hits(events, search.limit, opened))


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


def _ripgrep_hits(
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
            if file and _matches_line(_bytes(data["lines"]), text, file.codec):
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


def _matches_line(raw: bytes, line: str, encoding: str) -> bool:
    """Return whether ripgrep found this line. It sends the bytes of the file, or UTF-8 for UTF-16."""
    spellings = (line.encode("utf-8", "replace"), line.encode(encoding, "replace"))
    return raw.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n") in [
        spelled.rstrip(b"\r\n") for spelled in spellings
    ]


def _bytes(value: dict[str, str]) -> bytes:
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])
