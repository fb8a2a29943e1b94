"""Message files in nbconvert's own exporters and in `jupyter execute`.

Neither has an interface for further formats: nbconvert parses what an exporter's `from_file` gets as
JSON, and `jupyter execute` replaces the ending of each name by `.ipynb`. So one function of each is
replaced, and calls the original for all other files. Both programs come here by doors of their own:
nbconvert imports the exporters of all packages when it starts, and `jupyter execute` runs its
configuration file, `jupyter_execute_config.py`.
"""

from __future__ import annotations

import functools
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook_format.errors import NotAMessageFile

if TYPE_CHECKING:
    from msgbook_format.files import Snapshot


def _is_switched_off() -> bool:
    return os.environ.get("MSGBOOK_NO_AUTOLOAD", "0") not in ("", "0")


def teach_nbconvert() -> None:
    """Teach all exporters of nbconvert to read message files, once."""
    if _is_switched_off():
        return
    from nbconvert.exporters.exporter import Exporter

    original = Exporter.from_file
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def from_file(
        self: Any, file_stream: Any, resources: dict[str, Any] | None = None, **kw: Any
    ) -> Any:
        notebook = _read_notebook(str(getattr(file_stream, "name", "")))
        if notebook is None:
            return original(self, file_stream, resources=resources, **kw)
        named = named_resources(resources, self.file_extension or "")
        return self.from_notebook_node(notebook, resources=named, **kw)

    Exporter.from_file = from_file  # type: ignore[method-assign]


def _read_notebook(name: str) -> Any:
    """Return the notebook in a message file; None for any other file.

    Raises:
        ConversionException: The file cannot be read.
    """
    if not name.endswith(".md"):
        return None
    from nbconvert.utils.exceptions import ConversionException
    from nbformat import from_dict

    from msgbook_format.files import read_file

    try:
        return from_dict(read_file(Path(name)))
    except NotAMessageFile:
        return None
    except (ValueError, OSError, RecursionError) as error:
        raise ConversionException(describe_problem(name, error)) from None


# Names of exported files.


SHARED = (".md", ".ipynb")
"""Endings that conversations and other documents of the user have, too."""


def named_resources(resources: dict[str, Any] | None, extension: str) -> dict[str, Any]:
    """Return nbconvert's resources that call `chat.msg.md` `chat`, and so the file that is written.

    A file that may be the conversation itself, or another document of the user, is not replaced:
    the output is called `chat.nbconvert.md`, as nbconvert calls a notebook beside its source. A name
    that the user asked for is taken as given.
    """
    named: dict[str, Any] = dict(resources or {})
    metadata = dict(named.get("metadata") or {})
    name = metadata.get("name")
    if not isinstance(name, str):
        return named
    short = name.removesuffix(".msg")
    named["metadata"] = {**metadata, "name": short}
    asked_for = named.get("unique_key") not in (None, name)
    if not asked_for and extension in SHARED:
        folder = metadata.get("path")
        folder = Path(folder) if isinstance(folder, str) else None
        if folder is not None and (folder / f"{short}{extension}").exists():
            short += ".nbconvert"
    for key in ("unique_key", "output_files_dir"):
        if isinstance(named.get(key), str):
            named[key] = named[key].replace(name, short, 1)
    return named


def describe_problem(name: str, error: Exception) -> str:
    """Return why a file cannot be exported, with its name once."""
    return f"{name} cannot be exported: {str(error).removeprefix(f'{name}: ')}"


# `jupyter execute`.


def teach_execute() -> None:
    """Teach `jupyter execute` to run message files, once."""
    if _is_switched_off():
        return
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
