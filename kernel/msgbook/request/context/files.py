"""Files and folders that references name, read under the approval rules of the file tools.

Globs and folder listings leave out what `.gitignore` excludes; a path that is written out is read
whatever a `.gitignore` says. Files are read in a thread.
"""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgbook.approval import ApprovalRequest, Roots
from msgbook.errors import ToolError
from msgbook.notebook import NOTEBOOK_SUFFIX
from msgbook.request.context.content_reference import (
    NotReadableError,
    guess_note,
    notebook_of,
    read_pdf_reference,
)
from msgbook.request.context.sources import Matches, ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.text import counted
from msgbook.tools.files import (
    SKIPPED,
    TextFile,
    decode,
    is_folder,
    is_notebook,
    is_pdf,
    list_entries,
    matcher,
    os_errors_as_tool_errors,
    read_file,
    walk,
)
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX
from msgbook_format.links import nfc

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


FILE_LIMIT = 2_000_000
"""Bytes of a file that is sent. Of a larger file only its name is sent, or the requested lines."""
LINES_LIMIT = 50_000_000
"""Bytes at the start of a file in which lines are searched."""
_LINE_PORTIONS = (1_000_000, 8_000_000, LINES_LIMIT)
NAMES = 1000
"""Names in a folder that are listed. More tell a model nothing, and cost tokens in each later request."""
MATCHES = 200
"""Files of a glob that are read, as many as items of a prompt."""
_WALKED_FOLDERS = 20_000
"""Folders that one glob walks, before each request; a home directory has more."""
_WILDCARDS = 3
"""Wildcards in one name of a pattern: each one multiplies the time a hostile file name can cost."""
_CONVERSATIONS = (SUFFIX, NOTEBOOK_SUFFIX, *AGENT_SUFFIXES)
_INSTEAD = {
    (
        ".docx",
        ".doc",
        ".odt",
        ".rtf",
        ".pages",
        ".epub",
    ): "; save it as PDF or as text, and name that",
    (".pptx", ".ppt", ".odp", ".key"): "; save it as PDF, and name that",
    (".xlsx", ".xls", ".ods", ".numbers"): "; save its sheets as CSV, and name those",
    (
        ".parquet",
        ".feather",
        ".h5",
        ".npy",
        ".npz",
        ".pkl",
        ".sqlite",
        ".db",
    ): "; read it in a cell of Python, and send the value with @[py:NAME]",
    (".zip", ".gz", ".tar", ".7z", ".xz", ".bz2"): "; unpack it, and name its files",
}
"""What to do with a binary file, by the ending of its name."""
_PROSE = {".md", ".markdown", ".txt", ".rst"}

AllowRead = Callable[[Path, ApprovalRequest], Awaitable[bool]]
"""Decides whether a real path that needs approval may be read."""


async def deny_all(real: Path, needed: ApprovalRequest) -> bool:
    """Deny every read: nobody can be asked for approval."""
    return False


class FileSources:
    """The part of `Sources` that reads files.

    Args:
        roots: The folders below which reading needs no approval.
        allow: Decides about the other paths, if the prompt itself names them.
        conversation: The conversation's file. Globs leave it out, because its cells are sent anyway.
        as_documents: Whether PDFs are sent as documents. Else their text is.
    """

    def __init__(
        self,
        roots: Roots,
        allow: AllowRead = deny_all,
        conversation: Path | None = None,
        *,
        as_documents: bool = False,
    ) -> None:
        self._as_documents = as_documents
        self._roots = roots
        self._allow = allow
        self._own = _conversation_files(conversation.resolve()) if conversation else set()
        self.approvals = 0
        """Number of reads that needed approval and got it."""

    async def exists(self, path: str) -> bool:
        return await asyncio.to_thread(self._exists, path)

    async def read(
        self, path: str, lines: Lines | None, *, nested: bool, cell: str = ""
    ) -> ReferencedText:
        before = self.approvals
        real = await self._resolve(path, nested=nested)
        with _source_errors():
            referenced = await asyncio.to_thread(self._read_text, real, lines, cell)
        return replace(referenced, needed_approval=self.approvals > before)

    async def glob(self, pattern: str) -> Matches:
        with _source_errors():
            return await asyncio.to_thread(self._matches, pattern)

    async def bytes(self, path: str, limit: int) -> bytes:
        """Return the content of a file.

        Raises:
            SourceError: It is missing, refused, or has more than `limit` bytes.
        """
        real = await self._resolve(path, nested=False)
        with _source_errors():
            data, status = await asyncio.to_thread(read_file, self._roots, real, limit + 1)
        if len(data) > limit:
            raise SourceError(f"it has {status.st_size:,} bytes; the limit is {limit:,}")
        return data

    async def _resolve(self, path: str, *, nested: bool) -> Path:
        """Return the real path of a file that needs no approval or has got it.

        Args:
            nested: Whether another file names it. Then nobody is asked for approval.
        """
        with _source_errors():
            real = self._roots.resolve(path)
        needed = self._roots.check_read(real)
        if needed and not nested and not await self.exists(path):
            raise SourceError("there is no such file")  # so there is nothing to approve
        if needed and (nested or not await self._allow(real, needed)):
            raise SourceError(f"reading it needs approval, since {needed.reason}")
        self.approvals += needed is not None
        return real

    def _exists(self, path: str) -> bool:
        try:
            real = self._roots.resolve(path)
            return real.exists()
        except (ToolError, OSError):
            return False

    def _read_text(self, real: Path, lines: Lines | None, cell: str) -> ReferencedText:
        if cell:
            return self._cell(real, lines, cell)
        if is_folder(self._roots, real):
            if lines:
                raise SourceError("a folder has no lines")
            return ReferencedText(self._listing(real), "literal")
        data, status = read_file(self._roots, real, 8192)
        if is_pdf(data):
            return read_pdf_reference(self._roots, real, lines, as_document=self._as_documents)
        note = ""
        if is_notebook(real):
            try:
                return self._notebook(real, lines)
            except NotReadableError as error:
                note = f"its cells are not sent: {error}"
        if lines:
            return _with_note(self._read_lines(real, lines), note)
        if status.st_size > len(data) and status.st_size <= FILE_LIMIT:
            data, status = read_file(self._roots, real, FILE_LIMIT)
        file = decode(data, is_complete=status.st_size <= len(data))
        if file is None or status.st_size > FILE_LIMIT:
            named = ReferencedText(
                _named(real, file, status.st_size), "literal", _advice(real, file)
            )
            return _with_note(named, note)
        return _with_note(ReferencedText(file.lines, _kind(real), guess_note(file)), note)

    def _notebook(self, real: Path, lines: Lines | None) -> ReferencedText:
        text = notebook_of(self._roots, real)
        return _lines_of_notebook(text, lines, "as text, the notebook has")

    def _cell(self, real: Path, lines: Lines | None, cell: str) -> ReferencedText:
        if is_folder(self._roots, real) or not is_notebook(real):
            raise SourceError("it is not a notebook (.ipynb), so it has no cells")
        try:
            text = notebook_of(self._roots, real, cell, is_source=lines is not None)
        except NotReadableError as error:
            raise SourceError(str(error)) from None
        return _lines_of_notebook(text, lines, "the cell has")

    def _read_lines(self, real: Path, lines: Lines) -> ReferencedText:
        for limit in _LINE_PORTIONS:
            data, status = read_file(self._roots, real, limit)
            is_complete = status.st_size <= len(data)
            file = decode(data, is_complete=is_complete)
            file_lines = file.lines.removesuffix("\n").split("\n") if file and file.lines else []
            if is_complete or len(file_lines) >= lines.last:
                break
        if file is None:
            return ReferencedText(
                _named(real, file, status.st_size), "literal", _advice(real, file)
            )
        if lines.first > len(file_lines) or (lines.last > len(file_lines) and not is_complete):
            where = "the file has" if is_complete else f"its first {LINES_LIMIT:,} bytes have"
            raise SourceError(f"{where} {counted(len(file_lines), 'line')}")
        text = "\n".join(file_lines[lines.first - 1 : lines.last])
        return ReferencedText(text, _kind(real), guess_note(file))

    def _listing(self, folder: Path) -> str:
        ignored = GitIgnore(self._roots)
        with os_errors_as_tool_errors(self._roots, folder):
            entries = list_entries(self._roots, folder)
        names = [
            f"[{'DIR' if kind == 'folder' else 'FILE'}] {name}"
            for name, kind in entries
            if not ignored.hides(folder / name, is_folder=kind == "folder")
        ]
        shown = names[:NAMES]
        more = [f"[... {len(names) - NAMES} more names]"] if len(names) > NAMES else []
        return "\n".join(shown + more) or "(the folder is empty)"

    def _matches(self, pattern: str) -> Matches:
        if any(name.count("*") + name.count("?") > _WILDCARDS for name in pattern.split("/")):
            raise SourceError(f"a name of the pattern has more than {_WILDCARDS} wildcards")
        fits = matcher(pattern)
        folder = self._roots.folder
        needed = self._roots.check_read(folder)
        if needed and not self._roots.is_searchable(folder):
            raise SourceError(f"reading the folder needs approval, since {needed.reason}")
        names = sorted(name for name in self._walk() if fits(name))
        own = [name for name in names if folder / name in self._own]
        names = [name for name in names if name not in own]
        requests = {name: self._roots.check_read(folder / name) for name in names}
        readable = [name for name, needed in requests.items() if needed is None]
        left_out = [needed for needed in requests.values() if needed is not None]
        secrets = sum(needed.always_asks for needed in left_out)
        notes = []
        if secrets:
            notes.append(f"left out {counted(secrets, 'file')} that may hold secrets")
        if len(left_out) > secrets:
            others = counted(len(left_out) - secrets, "file")
            notes.append(f"left out {others} outside the agent's allowed_uris")
        if own:
            notes.append(f"left out {', '.join(own)}, which is this conversation")
        if len(readable) > MATCHES:
            notes.append(f"{len(readable)} files match; the first {MATCHES} are sent")
        return Matches(readable[:MATCHES], "; ".join(notes))

    def _walk(self) -> Iterator[str]:
        """Yield the files below the notebook's folder that are not ignored, as relative paths."""
        folder = self._roots.folder
        ignored = GitIgnore(self._roots)

        def hidden(path: str, kind: str) -> bool:
            name = path.rpartition("/")[2]
            return name in SKIPPED or ignored.hides(folder / path, is_folder=kind == "folder")

        entries = walk(self._roots, folder, hidden, _WALKED_FOLDERS)
        return (path for path, kind in entries if kind == "file")


def _conversation_files(conversation: Path) -> set[Path]:
    """Return the files that hold a conversation: its own, and the other one of a pair."""
    for suffix in _CONVERSATIONS:
        if conversation.name.endswith(suffix):
            stem = conversation.name.removesuffix(suffix)
            return {conversation.with_name(stem + other) for other in _CONVERSATIONS}
    return {conversation}


@contextmanager
def _source_errors() -> Iterator[None]:
    """Turn errors of the file functions into `SourceError`."""
    try:
        yield
    except ToolError as error:
        is_missing = isinstance(error.__context__, FileNotFoundError)
        raise SourceError("there is no such file" if is_missing else str(error)) from None


def _lines_of_notebook(text: str, lines: Lines | None, where: str) -> ReferencedText:
    if lines is None:
        return ReferencedText(text, "literal")
    shown = text.removesuffix("\n").split("\n")
    if lines.first > len(shown):
        raise SourceError(f"{where} {counted(len(shown), 'line')}")
    return ReferencedText("\n".join(shown[lines.first - 1 : lines.last]), "literal")


def _kind(real: Path) -> Literal["prose", "source"]:
    return "prose" if real.suffix.lower() in _PROSE else "source"


def _with_note(referenced: ReferencedText, note: str) -> ReferencedText:
    notes = [one for one in (note, referenced.note) if one]
    return replace(referenced, note="; ".join(notes))


def _advice(real: Path, file: TextFile | None) -> str:
    """Return why only the name of a file is sent, and how to send more."""
    if file is not None:
        return "only its name and size are sent, since it is too large; to send lines, write @[path:1:200]"
    kind = mimetypes.guess_type(real.name)[0] or ""
    if kind.startswith("image/"):
        return (
            "only its name and size are sent; an image is sent when it is written as one: ![](path)"
        )
    how = next((words for names, words in _INSTEAD.items() if real.suffix.lower() in names), "")
    return f"only its name and size are sent, since it is a binary file{how}"


def _named(real: Path, file: TextFile | None, size: int) -> str:
    kind = mimetypes.guess_type(real.name)[0]
    if file is None:
        return f"(binary file, {kind or 'unknown type'}, {size:,} bytes)"
    return f"({kind or 'text'}, {size:,} bytes: too large to be sent; ask for lines of it)"


# Paths that the `.gitignore` files in and below the notebook's folder exclude.


_SIZE_LIMIT = 100_000
"""Bytes of a `.gitignore` that are read."""
_LINES = 1000
"""Lines of a `.gitignore` that count: each is a regular expression for each path."""
_PATH_LIMIT = 1000
"""Characters; a longer path is left out, whatever a `.gitignore` says."""
_STARS, _STARS_OF_A_NAME, _FOLDERS = 3, 2, 2
"""Limits of stars in a pattern (`**` counts as one), of stars in one name, and of `**`. A pattern
becomes a regular expression that blocks the whole kernel, and each star multiplies the time that a
hostile path can cost. Real patterns have fewer."""


class GitIgnore:
    """Reads each `.gitignore` once. Make a new object for each listing or glob."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._specs: dict[Path, GitIgnoreSpec | None] = {}

    def hides(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether a path itself is excluded; folders above it are not looked at.

        The nearest `.gitignore` with a matching pattern decides.
        """
        for folder in path.parents:
            if not self._roots.is_inside(folder):
                break
            spec = self._spec(folder)
            if spec is None:
                continue
            name = nfc(path.relative_to(folder).as_posix()) + ("/" if is_folder else "")
            if len(name) > _PATH_LIMIT:
                return True
            is_hidden = spec.check_file(name).include
            if is_hidden is not None:
                return is_hidden
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._read(folder / ".gitignore")
        return self._specs[folder]

    def _read(self, path: Path) -> GitIgnoreSpec | None:
        try:
            data, _ = read_file(self._roots, path, _SIZE_LIMIT)
        except ToolError:  # most folders have none
            return None
        # Imported here: most kernels need it never, and none at its start.
        from pathspec import GitIgnoreSpec

        file = decode(data)
        lines = nfc(file.lines).split("\n") if file else []
        return GitIgnoreSpec.from_lines(list(filter(_is_tame, lines))[:_LINES])


def _is_tame(line: str) -> bool:
    names = line.split("/")
    folders = names.count("**")
    stars = [name.count("*") for name in names if name != "**"]
    return (
        len(names) < 20
        and folders <= _FOLDERS
        and folders + sum(stars) <= _STARS
        and max(stars, default=0) <= _STARS_OF_A_NAME
    )
