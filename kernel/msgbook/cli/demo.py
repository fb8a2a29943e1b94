"""`msgbook demo`: shows a sample conversation with the built-in model."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from msgbook.approval.trust import PROJECT_CONFIG
from msgbook.cli.terminal import say
from msgbook.config import DEMO_MODEL, load_settings
from msgbook.errors import ConfigError, MsgbookError, describe_file_error
from msgbook.host import tour_text
from msgbook.notebook import SESSION_VARIABLE, Document, create
from msgbook.text import one_line
from msgbook_format import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.exporters import MsgHTMLExporter
from msgbook_format.files import SUFFIX, create_bytes, require_no_linked_folder

CELL_TIMEOUT = 120
"""Seconds that one cell of the headless demo may take."""


class DemoError(MsgbookError):
    """The demo could not be shown."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return run_demo(arguments.folder, headless=arguments.headless)


def run_demo(folder: str | Path, *, headless: bool) -> int:
    """Show the sample conversation.

    In JupyterLab, an existing `demo.msg.md` is opened unchanged. On POSIX this process becomes
    JupyterLab, so that JupyterLab receives Ctrl+C. `headless` writes the sample and its page into new
    files, `demo-2` and so on if `demo` exists, and never runs an existing file.

    Returns:
        The exit code: 0, or 1 if a turn or JupyterLab failed.

    Raises:
        DemoError: The folder or the file cannot be used, or the kernel died.
    """
    folder = Path(folder)
    if not headless:
        return _open_in_lab(prepare(folder))
    path = folder
    try:
        document = _new_sample(folder)
        path = document.path
        failures = _run_cells(document)
        page = _export(path)
    except (MessageFileError, OSError, DeadKernelError, CellTimeoutError) as error:
        raise DemoError(one_line(describe_file_error(path, error))) from error
    say(f"{path}\n{page}")
    for failure in failures:
        say(failure, sys.stderr)
    return 1 if failures else 0


def prepare(folder: Path) -> Path:
    """Make the folder and write the sample into it, unless there is a conversation already.

    Raises:
        DemoError: The folder or the file cannot be written.
    """
    path = folder / "demo.msg.md"
    try:
        _make_folder(folder)
        with suppress(FileExistsError):
            create(path, reads(tour_text()))
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}.") from error
    return path


def _make_folder(folder: Path) -> None:
    """Make the folder, if it does not exist, as a project of its own.

    In a larger project, sub-agents would work in that project's folder, which JupyterLab does not show.
    """
    require_no_linked_folder(folder / "demo.msg.md")
    if folder.is_dir():
        return
    if os.path.lexists(folder):
        raise DemoError(f"{folder} is a file: DIR has to be a folder, or the name of a new one.")
    (folder / PROJECT_CONFIG.parent).mkdir(parents=True)


def _new_sample(folder: Path) -> Document:
    """Write the sample into a new file whose page does not exist either."""
    _make_folder(folder)
    number, stem = 1, "demo"
    while True:
        document = Document(folder / f"{stem}.msg.md", reads(tour_text()), None)
        if not os.path.lexists(folder / f"{stem}.html"):
            with suppress(FileExistsError):
                document.save()
                return document
        number += 1
        stem = f"demo-{number}"


def _open_in_lab(path: Path) -> int:
    command = [
        # Without -P Python would import modules from the working directory, with access to the keys.
        sys.executable,
        "-P",
        "-m",
        "jupyter",
        "lab",
        f"--ServerApp.root_dir={path.parent.resolve()}",
        # With the file as an argument, the URL that JupyterLab prints would not lead to it.
        f"--LabApp.default_url=/lab/tree/{path.name}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    say(f"Starting JupyterLab on {path}. Ctrl+C stops it.")
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, lab_environment(os.environ))  # noqa: S606
    done = subprocess.run(command, env=lab_environment(os.environ), check=False)  # noqa: S603
    return done.returncode


def _run_cells(document: Document) -> list[str]:
    """Run all cells, write the answers into the file, and return the errors' lines."""
    notebook: Any = document.notebook
    client = NotebookClient(
        notebook,
        kernel_name="msgbook",
        timeout=CELL_TIMEOUT,
        allow_errors=True,
        record_timing=False,
        # ipykernel warns on each start that TCP on this machine is not encrypted.
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(document.path.parent)}},
    )
    # The kernel reads the notes above each message from the file, as under a Jupyter server.
    client.on_cell_executed = lambda **_: document.save()
    try:
        client.execute(env=_environment() | {SESSION_VARIABLE: str(document.path.resolve())})
    finally:
        document.save()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [f"{o['ename']}: {o['evalue']}" for o in outputs if o["output_type"] == "error"]


def _export(path: Path) -> Path:
    html, _ = MsgHTMLExporter().from_filename(str(path))
    page = path.with_name(f"{path.name.removesuffix(SUFFIX)}.html")
    create_bytes(page, html.encode("utf-8"))
    return page


def _environment() -> dict[str, str]:
    """Return the environment with the demo model, whatever the user's settings are."""
    return {**os.environ, "MSGBOOK_MODEL": DEMO_MODEL}


def lab_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of JupyterLab, in which the demo model answers.

    Where no other model is set it does so by itself, and only until the person connects one.
    """
    try:
        settings = load_settings(environ)
        is_other = bool(settings.providers or settings.model)
    except ConfigError:
        is_other = True
    return {**environ, "MSGBOOK_MODEL": DEMO_MODEL} if is_other else dict(environ)
