"""`msgbook demo`: a sample conversation with the built-in model, in JupyterLab or without."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from msgbook.config import DEMO_MODEL
from msgbook.errors import MsgbookError
from msgbook.text import one_line
from msgbook_format import read, write
from msgbook_format.errors import MessageFileError
from msgbook_format.exporters import MsgHTMLExporter

CELL_TIMEOUT = 120
"""Seconds that one cell of the headless demo may take."""


class DemoError(MsgbookError):
    """The demo could not be shown."""


def run_demo(folder: str | Path, *, headless: bool) -> int:
    """Show the sample conversation.

    An existing `demo.msg.md` is used as it stands. `headless` runs all its cells, which writes
    their answers into it, and exports `demo.html` beside it. Otherwise this process becomes
    JupyterLab, where there is such a thing (POSIX), so that Ctrl+C is JupyterLab's.

    Returns:
        The exit code: 0, or 1 when a turn failed or JupyterLab did.

    Raises:
        DemoError: The folder or the file cannot be used, or the kernel died.
    """
    path = prepare(Path(folder))
    if not headless:
        return _open_in_lab(path)
    try:
        failures = _run_cells(path)
        page = _export(path)
    except (MessageFileError, OSError, DeadKernelError, CellTimeoutError) as error:
        raise DemoError(f"{path}: {one_line(str(error))}") from error
    sys.stdout.write(f"{path}\n{page}\n")
    for failure in failures:
        sys.stderr.write(f"{failure}\n")
    return 1 if failures else 0


def prepare(folder: Path) -> Path:
    """Make the folder and put the sample into it, unless there is a conversation already.

    Raises:
        DemoError: The folder or the file cannot be written.
    """
    path = folder / "demo.msg.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            sample = resources.files("msgbook").joinpath("sample.msg.md")
            path.write_bytes(sample.read_bytes())
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}.") from error
    return path


def _open_in_lab(path: Path) -> int:
    command = [
        *(sys.executable, "-m", "jupyter", "lab"),
        f"--ServerApp.root_dir={path.parent.resolve()}",
        # Not as an argument: the URL that JupyterLab prints would not lead to the file then.
        f"--LabApp.default_url=/lab/tree/{path.name}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    sys.stdout.write(f"Starting JupyterLab on {path}; Ctrl+C stops it.\n")
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, _environment())  # noqa: S606
    return subprocess.run(command, env=_environment(), check=False).returncode  # noqa: S603


def _run_cells(path: Path) -> list[str]:
    """Run all cells of the file, write the answers into it, and return the errors' lines."""
    notebook: Any = read(path)
    client = NotebookClient(
        notebook,
        kernel_name="msgbook",
        timeout=CELL_TIMEOUT,
        allow_errors=True,
        record_timing=False,
        # ipykernel warns on each start that TCP on this machine is not encrypted.
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute(env=_environment())
    finally:
        write(notebook, path)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [f"{o['ename']}: {o['evalue']}" for o in outputs if o["output_type"] == "error"]


def _export(path: Path) -> Path:
    html, _ = MsgHTMLExporter().from_filename(str(path))
    page = path.with_name("demo.html")
    page.write_text(html, "utf-8")
    return page


def _environment() -> dict[str, str]:
    """The environment with the demo model chosen, whatever the user's settings are."""
    return {**os.environ, "MSGBOOK_MODEL": DEMO_MODEL}
