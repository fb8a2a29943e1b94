"""Message files in `jupyter execute`."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgbook_format.files import Snapshot


def teach_execute() -> None:
    """Teach `jupyter execute` to run message files, once."""
    from nbclient.cli import NbClientApp

    original = NbClientApp.run_notebook
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def run_notebook(self: Any, notebook_path: str) -> None:
        if not notebook_path.endswith(".md"):
            original(self, notebook_path)
            return
        try:
            _run(self, Path(notebook_path))
        except (ValueError, OSError, RecursionError) as error:
            # MessageFileError is a value, too.
            words = str(error)
            line = words if notebook_path in words else f"{notebook_path}: {words}"
            self.log.log(logging.ERROR, line)
            self.exit(2)

    NbClientApp.run_notebook = run_notebook  # type: ignore[method-assign]


def _run(app: Any, path: Path) -> None:
    """Run the cells of a file, and save them where the options say, whatever happens to the run."""
    from nbclient import NotebookClient
    from nbformat import from_dict

    from msgbook_format.files import Snapshot, read_file

    app.log.info(f"Executing {path}")
    snapshot = Snapshot.read(path)
    notebook = from_dict(read_file(path))
    client = NotebookClient(
        notebook,
        timeout=app.timeout,
        startup_timeout=app.startup_timeout,
        skip_cells_with_tag=app.skip_cells_with_tag,
        allow_errors=app.allow_errors,
        kernel_name=app.kernel_name,
        resources={"metadata": {"path": path.parent.absolute()}},
    )
    try:
        client.execute()
    finally:
        _save(app, notebook, snapshot)


def _save(app: Any, notebook: Any, snapshot: Snapshot) -> None:
    from msgbook_format.files import SUFFIX, stem_of, write_file

    path = snapshot.path
    if app.inplace:
        target, expected = path, snapshot.digest
    elif app.output_base:
        name = app.output_base.format(notebook_name=stem_of(path.name))
        target, expected = path.with_name(f"{stem_of(name)}{SUFFIX}"), None
    else:
        return
    app.log.info(f"Save executed results to {target}")
    write_file(notebook, target, expected=expected)
