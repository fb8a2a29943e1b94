"""`msgbook demo`: a sample conversation with the built-in model, in JupyterLab or without."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from msgbook.config import DEMO_MODEL
from msgbook.errors import MsgbookError

CELL_TIMEOUT = 120
"""Seconds that one cell of the headless demo may take."""


class DemoError(MsgbookError):
    """The demo could not be shown."""


def run_demo(folder: str | Path, *, headless: bool) -> int:
    """Show the sample conversation.

    An existing `demo.msg.md` is used as it stands. `headless` runs all its cells, which writes
    their answers into it, and exports `demo.html` beside it; otherwise JupyterLab opens it.

    Returns:
        The exit code: 0, or 1 when a turn failed or JupyterLab did.

    Raises:
        DemoError: The folder or the file cannot be used.
    """
    path = prepare(Path(folder))
    if not headless:
        return _open_in_lab(path)
    failed = _run_cells(path)
    page = _export(path)
    sys.stdout.write(f"{path}\n{page}\n")
    return 1 if failed else 0


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
    command = [sys.executable, "-m", "jupyter", "lab", f"--notebook-dir={path.parent}", path.name]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    sys.stdout.write(f"Starting JupyterLab on {path}; Ctrl+C stops it.\n")
    sys.stdout.flush()
    return subprocess.run(command, env=_environment(), check=False).returncode  # noqa: S603


def _run_cells(path: Path) -> bool:
    """Run all cells of the file and write the answers into it; whether a turn failed."""
    from nbclient import NotebookClient

    from msgbook_format import read, write

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
    client.execute(env=_environment())
    write(notebook, path)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return any(output["output_type"] == "error" for output in outputs)


def _export(path: Path) -> Path:
    from msgbook_format.exporters import MsgHTMLExporter

    html, _ = MsgHTMLExporter().from_filename(str(path))
    page = path.with_name("demo.html")
    page.write_text(html, "utf-8")
    return page


def _environment() -> dict[str, str]:
    """The environment with the demo model chosen, whatever the user's settings are."""
    return {**os.environ, "MSGBOOK_MODEL": DEMO_MODEL}
