"""Files that are read as what they show: notebooks by cells, PDFs by pages in a process of their own. Only user of pypdf."""

from __future__ import annotations

import json
import os
import sys
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


def read_notebook(roots: Roots, real: Path, *, here: bool = False) -> str:
    """Return a notebook as text.

    Args:
        here: Whether this process may spend seconds on it.

    Raises:
        ToolError: There is no such file.
        MsgbookError: It is no notebook, or cannot be read within the limits.
    """
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
            return str(read_isolated("notebook", file.fileno())["text"])
        # Imported here: most calls read none.
        from msgbook.tools.files.notebooks import notebook_text

        return notebook_text(file.read(NOTEBOOK_LIMIT))


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
    return Pages(reply["text"], begin, end, count, "; ".join(words))


# The text of PDFs, page by page. Runs in a process of its own: see `read_isolated`.


MAGIC = b"%PDF-"
_SECONDS = 12.0
"""Time after which no further page is begun. A page takes a hundredth to a tenth of a second."""


class PdfError(MsgbookError):
    """A PDF whose text cannot be read; the message says why."""


def pdf_pages(file: BinaryIO, first: int | None, last: int | None, limit: int) -> dict[str, Any]:
    """Return the text of pages.

    Args:
        first: The first page, from 1; None for all pages.
        limit: Most characters to return. Only the first page is cut within.

    Returns:
        `text`, `count` of all pages, the `first` and `last` page that the text has, the page that was `wanted` last,
        the number of `blank` pages without text, and the reason for which later pages are missing: `why`.

    Raises:
        PdfError: It is broken, encrypted, or has no such pages.
    """
    import logging  # here, since each worker imports this module for its one constant
    import time
    import warnings

    try:
        import pypdf
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError:
        raise PdfError("PDF_NEEDS_PYPDF") from None
    logging.disable()
    warnings.simplefilter("ignore")
    began = time.monotonic()
    try:
        reader = pypdf.PdfReader(file)
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfError("it is encrypted and needs a password")
        count = len(reader.pages)
        start, wanted = first or 1, min(last or count, count)
        if start > count:
            raise PdfError(f"the document has {count:,} page{'' if count == 1 else 's'}")
        texts: list[str] = []
        size = blank = 0
        why = ""
        for number in range(start, wanted + 1):
            text = reader.pages[number - 1].extract_text().strip()
            head = f"[page {number}]" if text else f"[page {number}: no text]"
            page = f"{head}\n{text}".rstrip()
            if texts and size + len(page) > limit:
                why = "length"
                break
            texts.append(page[:limit])
            size += len(page) + 2
            blank += not text
            if time.monotonic() - began > _SECONDS:
                why = "time"
                break
    except PdfError:
        raise
    except DependencyError:
        raise PdfError("it is encrypted in a way that cannot be read here") from None
    except MemoryError:
        raise PdfError("it needs too much memory when it is unpacked") from None
    except (PyPdfError, RecursionError) as error:
        raise PdfError(f"it is broken, or unpacks to too much: {str(error)[:200]}") from None
    except Exception as error:  # pypdf's parsers raise any exception on a broken file
        raise PdfError(f"it is broken: {type(error).__name__}") from None
    done = start + len(texts) - 1
    shown = {"text": "\n\n".join(texts), "count": count, "first": start, "last": done}
    return {**shown, "wanted": wanted, "blank": blank, "why": why if done < wanted else ""}


# Documents read in a process of their own: a hostile one costs no more than some seconds and some memory.
#
# The process gets the opened file as its standard input, and needs no right to open another.


SECONDS = 20.0
"""Time that one document may take."""
MEMORY = 2_000_000_000
"""Bytes of memory that the process may have, Python's own included."""
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
        kind: `notebook`, or `pdf` with the arguments of `pdf_pages`.
        descriptor: The open file.
        seconds: Time that it may take.

    Raises:
        DocumentError: It cannot be read within the limits.
    """
    import subprocess  # most calls start nothing

    request = json.dumps({"kind": kind, **arguments})
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
    kind = request.pop("kind")
    try:
        if kind == "pdf":
            reply = pdf_pages(sys.stdin.buffer, **request)
        else:
            from msgbook.tools.files.notebooks import notebook_text

            reply = {"text": notebook_text(sys.stdin.buffer.read())}
    except MsgbookError as error:
        reply = {"error": str(error)}
    except MemoryError:
        reply = {"error": f"it needs more than {MEMORY // 1_000_000:,} MB of memory"}
    sys.stdout.write(json.dumps(reply))


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    seconds = int(SECONDS) + 5  # for when the kernel is gone
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
