"""`msgbook demo`: shows a sample notebook of Python and a sample chat, with the built-in model."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from msgbook.approval.trust import PROJECT_CONFIG
from msgbook.cli.terminal import say
from msgbook.config import DEMO_MODEL, load_settings
from msgbook.errors import ConfigError, MsgbookError, describe_file_error
from msgbook.host import sample
from msgbook.notebook import SESSION_VARIABLE, Document, create
from msgbook.text import one_line
from msgbook_format import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.exporters import MsgHTMLExporter
from msgbook_format.files import create_bytes, require_no_linked_folder

CELL_TIMEOUT = 120
"""Seconds that one cell of the headless demo may take: only a hang takes as long."""

DATA = "rain.csv"
"""The data of the notebook of Python."""


class Sample(NamedTuple):
    """A document of the demo."""

    stem: str
    suffix: str
    text: str
    """Name of the file that holds it in the package, as text."""
    kernel: str

    @property
    def name(self) -> str:
        """The name of its file, unless that is taken."""
        return f"{self.stem}{self.suffix}"


SAMPLES = (
    Sample("rain", ".ipynb", "rain.msg.md", "msgbook-python"),
    Sample("demo", ".msg.md", "tour.msg.md", "msgbook"),
)
"""The first is opened, and leads to the next."""


class DemoError(MsgbookError):
    """The demo could not be shown."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return run_demo(arguments.folder, headless=arguments.headless)


def run_demo(folder: str | Path, *, headless: bool) -> int:
    """Show the samples.

    In JupyterLab, files that exist are opened unchanged. On POSIX this process becomes JupyterLab, so that
    JupyterLab receives Ctrl+C. `headless` writes each sample and its page into new files, `demo-2` and so on
    if `demo` exists, and never runs an existing file.

    Returns:
        The exit code: 0, or 1 if a cell or JupyterLab failed.

    Raises:
        DemoError: The folder or a file cannot be used, or the kernel died.
    """
    folder = Path(folder)
    if not headless:
        return _open_in_lab(prepare(folder))
    path, failures = folder, []
    try:
        _make_folder(folder)
        _write_data(folder)
        for one in SAMPLES:
            document = _new_document(folder, one)
            path = document.path
            failures += _run_cells(document, one.kernel)
            say(f"{path}\n{_export(path, one.suffix)}")
    except (MessageFileError, OSError, DeadKernelError, CellTimeoutError) as error:
        raise DemoError(one_line(describe_file_error(path, error))) from error
    for failure in failures:
        say(failure, sys.stderr)
    return 1 if failures else 0


def prepare(folder: Path) -> Path:
    """Make the folder, write the samples into it that it does not have, and return the path of the first.

    Raises:
        DemoError: The folder or a file cannot be written.
    """
    path = folder
    try:
        _make_folder(folder)
        _write_data(folder)
        for one in SAMPLES:
            path = folder / one.name
            with suppress(FileExistsError):
                create(path, reads(sample(one.text)))
    except OSError as error:
        raise DemoError(f"{path}: {error.strerror}.") from error
    return folder / SAMPLES[0].name


def _make_folder(folder: Path) -> None:
    """Make the folder, if it does not exist, as a project of its own.

    In a larger project, sub-agents would work in that project's folder, which JupyterLab does not show.
    """
    require_no_linked_folder(folder / DATA)
    if folder.is_dir():
        return
    if os.path.lexists(folder):
        raise DemoError(f"{folder} is a file: DIR has to be a folder, or the name of a new one.")
    (folder / PROJECT_CONFIG.parent).mkdir(parents=True)


def _write_data(folder: Path) -> None:
    with suppress(FileExistsError):
        create_bytes(folder / DATA, sample(DATA).encode("utf-8"))


def _new_document(folder: Path, one: Sample) -> Document:
    """Write a sample into a new file whose page does not exist either."""
    number, stem = 1, one.stem
    while True:
        document = Document(folder / f"{stem}{one.suffix}", reads(sample(one.text)), None)
        if not os.path.lexists(folder / f"{stem}.html"):
            with suppress(FileExistsError):
                document.save()
                return document
        number += 1
        stem = f"{one.stem}-{number}"


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


def _run_cells(document: Document, kernel: str) -> list[str]:
    """Run all cells, write their outputs into the file, and return the lines of errors that no cell announces."""
    notebook: Any = document.notebook
    client = NotebookClient(
        notebook,
        kernel_name=kernel,
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
    return [
        f"{output['ename']}: {output['evalue']}"
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output["output_type"] == "error"
        and "raises-exception" not in cell.metadata.get("tags", ())
    ]


def _export(path: Path, suffix: str) -> Path:
    html, _ = MsgHTMLExporter().from_filename(str(path))
    page = path.with_name(f"{path.name.removesuffix(suffix)}.html")
    create_bytes(page, html.encode("utf-8"))
    return page


def _environment() -> dict[str, str]:
    # Whatever the user's settings are.
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
