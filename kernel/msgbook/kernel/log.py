"""The kernel's log, kept out of the output of code."""

from __future__ import annotations

import logging
import os
import sys


def keep_log_on_stderr(log: logging.Logger) -> None:
    """Let a log, and what msgbook's modules log, always go where standard error leads now.

    ipykernel and the tool `python` redirect standard error into a cell or a tool's result, while page
    queries, for example, are answered and may fail.

    Args:
        log: The application's, with its handlers.
    """
    try:
        stream = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")
    except OSError:  # a kernel without standard error has no log there
        return
    ours = logging.getLogger("msgbook")
    ours.propagate = False
    for handler in log.handlers:
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stderr:
            handler.setStream(stream)
        ours.addHandler(handler)
