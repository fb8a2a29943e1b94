"""Files that are read as what they show: notebooks by cells, PDFs by pages in a process of their own. Only user of pypdf."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgbook
import msgbook_format
from msgbook.approval.roots import Roots
from msgbook.errors import MsgbookError
from msgbook.installed import installed_paths
from msgbook.text import counted
from msgbook.tools.files.opening import open_entry, open_place, os_errors_as_tool_errors

_NOTEBOOK = ".ipynb"
NOTEBOOK_LIMIT = 250_000_000
"""Bytes of a notebook that is read by cells."""
_HERE = 12_000_000
"""Bytes of a notebook that is read in this process: it takes less time than to start another one."""
INSTALL = 'pip install "msgbook[pdf]"'


class Pages(NamedTuple):
    """The text of a PDF's pages."""

    text: str
    first: int
    last: int
    total: int
    """Number of all pages."""
    note: str
    """What is missing, a sentence without end; empty for nothing."""


_BEFORE_PDF = b"\0\t\n\r\f \xef\xbb\xbf"
"""Bytes that servers leave before a document; readers of PDFs look past them."""


def is_notebook(real: Path) -> bool:
    """Return whether a name is that of a notebook."""
    return real.name.lower().endswith(_NOTEBOOK)


def is_pdf(begin: bytes) -> bool:
    """Return whether a file with this beginning is a PDF."""
    return begin[:1024].lstrip(_BEFORE_PDF).startswith(MAGIC)


def read_notebook(
    roots: Roots, real: Path, *, here: bool = False, cell: str = "", is_source: bool = False
) -> str:
    """Return a notebook as text, or one of its cells.

    Args:
        here: Whether this process may spend seconds on it.
        cell: Id of a cell, or `#` and its number from 1; empty for all.
        is_source: Whether the source of the cell is wanted, as it stands there.

    Raises:
        ToolError: There is no such file.
        MsgbookError: It is not a notebook, has no such cell, or cannot be read within the limits.
    """
    wanted: dict[str, Any] = (
        {"cell": cell, "name": real.name, "is_source": is_source} if cell else {}
    )
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        size = os.fstat(file.fileno()).st_size
        if size > NOTEBOOK_LIMIT:
            raise DocumentError(
                f"it has {size:,} bytes; notebooks of at most {NOTEBOOK_LIMIT:,} bytes are read by cells"
            )
        if not here and size > _HERE:
            return str(read_isolated("notebook", file.fileno(), **wanted)["text"])
        # Imported here: most calls read none.
        from msgbook.tools.files.notebooks import notebook_text

        return notebook_text(file.read(NOTEBOOK_LIMIT), **wanted)


def cells_of_notebook(roots: Roots, real: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook that is read in this process; malformed ones are empty.

    Raises:
        MsgbookError: There is no such file, or it is none that is read here.
    """
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        if os.fstat(file.fileno()).st_size > _HERE:
            raise DocumentError("it is too large")
        # Imported here: most calls read none.
        from msgbook.tools.files.notebooks import notebook_cells

        return notebook_cells(file.read(_HERE))


def read_pdf(roots: Roots, real: Path, first: int | None, last: int | None, limit: int) -> Pages:
    """Return the text of a PDF's pages, as many as fit into `limit` characters.

    Raises:
        ToolError: There is no such file.
        DocumentError: It cannot be read, or has no such pages.
    """
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        try:
            reply = read_isolated("pdf", file.fileno(), first=first, last=last, limit=limit)
        except DocumentError as error:
            if str(error) != "PDF_NEEDS_PYPDF":
                raise
            raise DocumentError(f"the text of PDFs needs another package: {INSTALL}") from None
    words = []
    count, begin, end = reply["count"], reply["first"], reply["last"]
    if reply["why"]:
        because = "reading more takes too long" if reply["why"] == "time" else "more is too long"
        words.append(f"only pages {begin} to {end} of {count:,}, since {because}")
    if reply["blank"] == end - begin + 1:
        words.append(
            f"{counted(reply['blank'], 'page')} without text, which may be pictures or scans"
        )
    if reply["broken"]:
        words.append(f"{counted(reply['broken'], 'page')} that cannot be read")
    if reply["damaged"]:
        words.append("the file is damaged or cut off, so pages may be missing")
    return Pages(reply["text"], begin, end, count, "; ".join(words))


# The text of PDFs, page by page. Runs in a process of its own: see `read_isolated`.


MAGIC = b"%PDF-"
_SECONDS = 12.0
"""Time after which no further page is begun. A page takes a hundredth to a tenth of a second."""
_LAST_MOMENT = 0.8
"""Part of the time for a document after which a page is given up."""
_REPAIRED = 200_000_000
"""Bytes of a file that was cut off in which objects are looked for."""
_CATALOG = re.compile(rb"\b(\d{1,9}) 0 obj\s*<<[^<>]{0,500}/Type\s*/Catalog\b")
_TOO_SLOW = "reading it takes too long"
_NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class PdfError(MsgbookError):
    """A PDF whose text cannot be read; the message says why."""


def pdf_pages(file: BinaryIO, first: int | None, last: int | None, limit: int) -> dict[str, Any]:
    """Return the text of pages.

    Args:
        first: The first page, from 1; None for all pages.
        limit: Most characters to return. Only the first page is cut within.

    Returns:
        `text`, `count` of all pages, the `first` and `last` page that the text has, the page that was `wanted` last,
        the numbers of `blank` pages without text and of `broken` ones, whether the file is `damaged`, and the reason
        for which later pages are missing: `why`.

    Raises:
        PdfError: It is broken, encrypted, or has no such pages; or the first of them takes too long.
    """
    import logging  # here, since each worker imports this module for its one constant
    import warnings

    try:
        import pypdf
    except ImportError:
        raise PdfError("PDF_NEEDS_PYPDF") from None
    logging.disable()
    warnings.simplefilter("ignore")
    damaged = False
    with _in_words():
        try:
            reader = pypdf.PdfReader(file)
        except pypdf.errors.PdfReadError:
            damaged, reader = True, pypdf.PdfReader(_with_end(file))
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfError("it is encrypted and needs a password")
        count = len(reader.pages)
    if not count:
        raise PdfError("it is broken: it has no pages")
    start, wanted = first or 1, min(last or count, count)
    if start > count:
        raise PdfError(f"the document has {count:,} page{'' if count == 1 else 's'}")
    pages: list[_Page] = []
    size, why = 0, ""
    began = time.monotonic()
    for number in range(start, wanted + 1):
        try:
            page = _read_page(reader, number)
        except _SlowError:
            why = "time"
            break
        if pages and size + len(page.text) > limit:
            why = "length"
            break
        pages.append(page)
        size += len(page.text[:limit]) + 2
        if time.monotonic() - began > _SECONDS:
            why = "time"
            break
    if not pages:
        raise PdfError(_TOO_SLOW)
    if all(page.problem for page in pages):
        raise PdfError(pages[0].problem)
    done = start + len(pages) - 1
    return {
        "text": "\n\n".join(page.text[:limit] for page in pages),
        "count": count,
        "first": start,
        "last": done,
        "wanted": wanted,
        "blank": sum(page.is_blank for page in pages),
        "broken": sum(bool(page.problem) for page in pages),
        "damaged": damaged,
        "why": why if done < wanted else "",
    }


class _Page(NamedTuple):
    """A page as it is shown."""

    text: str
    is_blank: bool = False
    problem: str = ""


def _read_page(reader: Any, number: int) -> _Page:
    """Return a page, or the words for one that cannot be read: the others are read all the same."""
    try:
        with _in_words():
            text = _shown(reader.pages[number - 1].extract_text().strip())
    except PdfError as error:
        return _Page(f"[page {number} cannot be read: {error}]", problem=str(error))
    return _Page(f"[page {number}]\n{text}") if text else _Page(f"[page {number}: no text]", True)


def _with_end(file: BinaryIO) -> BinaryIO:
    """Return a PDF with an end that points nowhere, so that its objects are looked for: the file was cut off."""
    file.seek(0)
    data = file.read(_REPAIRED)
    roots = _CATALOG.findall(data)
    end = b"\ntrailer\n<< /Root %b 0 R >>" % roots[-1] if roots else b""
    return io.BytesIO(b"%b%b\nstartxref\n0\n%%%%EOF\n" % (data, end))


def _shown(text: str) -> str:
    # A broken font gives characters that no text has.
    return _NO_TEXT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


@contextmanager
def _in_words() -> Iterator[None]:
    """Raise `PdfError` for what pypdf raises."""
    from pypdf.errors import DependencyError, PyPdfError

    try:
        yield
    except (PdfError, _SlowError):
        raise
    except DependencyError:
        raise PdfError("it is encrypted in a way that cannot be read here") from None
    except MemoryError:
        raise PdfError("it needs too much memory when it is unpacked") from None
    except (PyPdfError, RecursionError) as error:
        words = f"it is broken, or unpacks to too much: {str(error)[:200]}"
        raise PdfError(words.rstrip(".")) from None
    except Exception as error:  # pypdf's parsers raise any exception on a broken file
        raise PdfError(f"it is broken: {type(error).__name__}") from None


class _SlowError(BaseException):
    """The time is up. No handler of pypdf's own errors takes it."""


def _stop_in_time(seconds: float) -> None:
    """Raise `_SlowError` when the time is nearly up, so that the pages that were read are kept; never if it is 0."""
    try:
        signal.signal(signal.SIGALRM, _raise_slow)
        signal.setitimer(signal.ITIMER_REAL, _LAST_MOMENT * seconds)
    except AttributeError:  # Windows: the process is ended from outside
        return


def _raise_slow(_signal: int, _frame: object) -> None:
    raise _SlowError


# Documents read in a process of their own: a hostile one costs no more than some seconds and some memory.
#
# The process gets the opened file as its standard input, and needs no right to open another.


SECONDS = 20.0
"""Time that one document may take, less than a call may: what was read of it is still told."""
MEMORY = 2_000_000_000
"""Bytes of memory that the process may have, Python's own included: a small file can unpack to any size."""
_LIBRARIES = ("nbformat", "pypdf")
_CODE = (
    "import json, sys; sys.path += json.loads(sys.argv[1]); "
    "from msgbook.tools.files.documents import main; main(json.loads(sys.argv[2]))"
)


class DocumentError(MsgbookError):
    """A document that cannot be read; the message says why."""


def import_paths() -> list[str]:
    """Return the folders of the packages that the process imports: one folder, unless this is a checkout."""
    files = [msgbook.__file__, msgbook_format.__file__]
    for name in _LIBRARIES:
        spec = PathFinder.find_spec(name, installed_paths())
        files += [spec.origin] if spec and spec.origin else []
    return list(dict.fromkeys(str(Path(file).parent.parent) for file in files))


def read_isolated(
    kind: str, descriptor: int, *, seconds: float = SECONDS, **arguments: Any
) -> dict[str, Any]:
    """Return what a reader of documents gives.

    Args:
        kind: `notebook` with the arguments of `notebook_text`, or `pdf` with those of `pdf_pages`.
        descriptor: The open file.
        seconds: Time that it may take.

    Raises:
        DocumentError: It cannot be read within the limits.
    """
    import subprocess  # most calls start nothing

    request = json.dumps({"kind": kind, "seconds": seconds, **arguments})
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", _CODE, json.dumps(import_paths())]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and code
            [*command, request],
            stdin=descriptor,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            timeout=seconds,
            check=False,
        )
        reply: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise DocumentError(f"reading it took longer than {seconds:g} s") from None
    except OSError as error:
        raise DocumentError(
            f"the process that reads it could not start: {error.strerror}"
        ) from None
    except ValueError:
        raise DocumentError(
            f"the process that read it ended: it may need more than {MEMORY // 1_000_000:,} MB of memory"
        ) from None
    if "error" in reply:
        raise DocumentError(reply["error"])
    return reply


def main(request: dict[str, Any]) -> None:
    """Read the document on standard input, and write the result as JSON."""
    _limit()
    _stop_in_time(request.pop("seconds"))
    kind = request.pop("kind")
    try:
        if kind == "pdf":
            reply = pdf_pages(sys.stdin.buffer, **request)
        else:
            from msgbook.tools.files.notebooks import notebook_text

            reply = {"text": notebook_text(sys.stdin.buffer.read(), **request)}
    except MsgbookError as error:
        reply = {"error": str(error)}
    except _SlowError:
        reply = {"error": _TOO_SLOW}
    except MemoryError:
        reply = {"error": f"it needs more than {MEMORY // 1_000_000:,} MB of memory"}
    _stop_in_time(0)  # what was read is not lost while it is written
    sys.stdout.write(json.dumps(reply))


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    seconds = int(SECONDS) + 5  # for when the kernel is gone
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
