"""The text of PDFs, page by page. Runs in a process of its own: see `isolated`. Only user of pypdf."""

from __future__ import annotations

from typing import Any, BinaryIO

from msgbook.errors import MsgbookError

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
