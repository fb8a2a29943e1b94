"""The program that the kernelspecs start: `python -m msgbook.kernel [--code-first] -f CONNECTION_FILE`.

The kernel starts when somebody opens a notebook. So nothing may be imported from the notebook's
folder until a Python cell runs: the kernelspec sets `PYTHONSAFEPATH`.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# Code of the user's that runs while a kernel starts: IPython's settings and start files. It finds no key.


_OWN_OPTIONS = {"IPKernelApp": {"connection_file"}, "HistoryManager": {"hist_file"}}
"""What msgbook sets. Any other option may load an extension or run code."""


def runs_at_start(app: Any) -> bool:
    """Return whether IPython's application will run any code of the user's before the first cell.

    Call it before the application loads its settings files.
    """
    options = ((of, name) for of, named in app.config.items() for name in named)
    return (
        bool(os.environ.get("PYTHONSTARTUP"))
        or any(name not in _OWN_OPTIONS.get(of, ()) for of, name in options)
        or any(_files_of_code(map(Path, app.config_file_paths)))
    )


def _files_of_code(folders: Iterable[Path]) -> list[Path]:
    """Return IPython's settings and start files in its folders."""
    names = ("ipython*config.py", "ipython*config.json", "startup/*.py", "startup/*.ipy")
    return [path for folder in folders for name in names for path in folder.glob(name)]


def hide_all_keys(aside: Mapping[str, str]) -> dict[str, str]:
    """Remove all that holds a key, as the settings say, from the process's environment.

    Args:
        aside: Variables that were removed before.

    Returns:
        These, and those that are removed now.
    """
    # Imported here: most kernels start without reading the settings.
    from msgbook.config import Settings, hide_keys, load_settings
    from msgbook.errors import ConfigError

    before = {**aside, **os.environ}
    try:
        settings = load_settings(before)
    except ConfigError:  # the first cell reports it
        settings = Settings()
    hide_keys(settings)
    return {name: value for name, value in before.items() if name not in os.environ}


_CODE_FIRST = "--code-first"

# The kernel's log, kept out of the output of code.


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


def _remove_folder_from_path() -> None:
    """Take the working directory off `sys.path` if the kernel was started without the kernelspec."""
    if not sys.flags.safe_path:
        del sys.path[0]
    # Not for Python processes that a cell starts.
    os.environ.pop("PYTHONSAFEPATH", None)


def _main() -> None:
    from ipykernel.kernelapp import IPKernelApp

    from msgbook.config.environment import set_keys_aside
    from msgbook.host import hide_from_children
    from msgbook.kernel.gateway import enter_folder
    from msgbook.kernel.recording_session import RecordingSession
    from msgbook.kernel.waking_kernel import ChatKernel, PythonKernel

    is_code_first = _CODE_FIRST in sys.argv
    if is_code_first:
        sys.argv.remove(_CODE_FIRST)

    hide_from_children()
    enter_folder(os.environ)

    class KernelApp(IPKernelApp):  # type: ignore[misc]  # a base class without types
        keys_aside: Mapping[str, str] = set_keys_aside(os.environ)

        def load_config_file(self, *options: Any, **named: Any) -> None:
            """Hide the keys from what IPython's settings and start files run."""
            if runs_at_start(self):
                self.keys_aside = hide_all_keys(self.keys_aside)
            super().load_config_file(*options, **named)

        def init_path(self) -> None:
            """Leave `sys.path` alone: `MsgKernel` extends it when a Python cell runs."""

        def init_io(self) -> None:
            keep_log_on_stderr(self.log)
            super().init_io()

        def _session_default(self) -> RecordingSession:
            return RecordingSession(parent=self)

        def start(self) -> None:
            super().start()
            # The control thread still flushes the output after the message that ended the loop. It
            # would wait forever if Python's exit closed the output channel meanwhile.
            if self.control_thread and self.control_thread.is_alive():
                self.control_thread.stop()
                self.control_thread.join()

    app = KernelApp.instance(kernel_class=PythonKernel if is_code_first else ChatKernel)
    if not is_code_first:
        # Prompts do not belong in the history file of the user's IPython.
        app.config.HistoryManager.hist_file = ":memory:"
    app.initialize()
    app.start()


if __name__ == "__main__":
    _remove_folder_from_path()
    _main()
