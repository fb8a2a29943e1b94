"""Documents read in a process of their own: a hostile one costs no more than some seconds and some memory.

The process gets the opened file as its standard input, and needs no right to open another.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import msgbook
import msgbook_format
from msgbook.errors import MsgbookError

SECONDS = 20.0
"""Time that one document may take."""
MEMORY = 2_000_000_000
"""Bytes of memory that the process may have, Python's own included."""
_LIBRARIES = ("pypdf",)
_CODE = (
    "import json, sys; sys.path += json.loads(sys.argv[1]); "
    "from msgbook.tools.files.isolated import main; main(json.loads(sys.argv[2]))"
)


class DocumentError(MsgbookError):
    """A document that cannot be read; the message says why."""


def import_paths() -> list[str]:
    """Return the folders of the packages that the process imports: one folder, unless this is a checkout."""
    files = [msgbook.__file__, msgbook_format.__file__]
    for name in _LIBRARIES:
        spec = importlib.util.find_spec(name)
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
            from msgbook.tools.files.pdfs import pdf_pages

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
