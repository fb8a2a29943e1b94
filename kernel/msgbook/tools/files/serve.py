"""The worker: answers calls of file tools until its standard input ends.

Requests and replies are JSON objects after their length (four bytes, big-endian).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgbook.approval.roots import ApprovalRequest, ApprovalRequiredError, Roots
from msgbook.errors import ToolError
from msgbook.tools.files.reading import Call, read
from msgbook.tools.files.searching import glob, grep
from msgbook.tools.files.writing import edit, mkdir, write

TOOLS: dict[str, Callable[..., Any]] = {
    tool.__name__: tool for tool in (read, glob, grep, write, edit, mkdir)
}
CELL_TOOLS = ("read_cell", "edit_cell", "insert_cell")
"""Tools whose code is imported by the first call of one: it needs the format."""

_PR_SET_PDEATHSIG = 1
"""Number of the option in `linux/prctl.h`, which Python does not name."""


def answer(roots: Roots, request: dict[str, Any], ripgrep: str | None = None) -> dict[str, Any]:
    """Return the reply to one request.

    Args:
        request: `tool`, `arguments`, `approved` (the approval request that was approved, or None), `seen` and
            `within` (the paths that the agent may read without approval, or None).

    Returns:
        `seen`, and either `content`, `approval_request` or `error`.
    """
    now_seen: dict[str, str] = {}
    within = request.get("within")
    if within is not None:
        roots = roots.narrow_to([Path(path) for path in within])
    approved = ApprovalRequest(**request["approved"]) if request.get("approved") else None
    call = Call(roots, approved, ripgrep, request.get("seen", {}), now_seen)
    reply: dict[str, Any]
    try:
        reply = {"content": _tool(request["tool"])(call, **request["arguments"])}
    except ApprovalRequiredError as error:
        reply = {"approval_request": error.approval_request._asdict()}
    except ToolError as refusal:
        reply = {"error": str(refusal)}
    except Exception as error:  # a bug ends the call, not the worker
        reply = {"error": f"{type(error).__name__}: {error}"}
    return {**reply, "seen": now_seen}


def _tool(name: str) -> Callable[..., Any]:
    if name in CELL_TOOLS:
        from msgbook.tools.files import notebook_files

        return getattr(notebook_files, name)  # type: ignore[no-any-return]
    return TOOLS[name]


def main(settings: dict[str, Any]) -> None:
    """Serve until standard input ends.

    Args:
        settings: `folder`, `private`, `blobs`, `ripgrep` and `time_limit`, in seconds.
    """
    _die_with_the_kernel()
    roots = Roots(
        Path(settings["folder"]),
        [Path(folder) for folder in settings["private"]],
        Path(settings["blobs"]),
    )
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text does not mix with the replies
    while size := requests.read(4):
        request = json.loads(requests.read(int.from_bytes(size)))
        # The kernel ends a call that takes too long; this is for when the kernel is gone.
        _alarm(settings["time_limit"] + 5)
        reply = json.dumps(answer(roots, request, settings["ripgrep"])).encode()
        _alarm(0)
        replies.write(len(reply).to_bytes(4) + reply)
        replies.flush()


def _die_with_the_kernel() -> None:
    if sys.platform == "linux":
        import ctypes

        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit()


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
