"""`msgbook list FILE`, `FILE/agent`, `FILE/ID`: what is in a conversation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cells import metadata_of
from msgbook.commands.failures import CommandError, reason
from msgbook.commands.terminal import line_of, say

_AGENTS = "agent"
_TITLE_LENGTH = 80
_NAMED = 20
"""How many ids an error names."""


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "list",
        help="list the cells of a conversation, its agents, or print one cell",
        description="FILE: a line for each cell, ID TAB KIND TAB title or first line; the kinds "
        "are prompt, code, note, system and raw. FILE/agent: the names of the agents that it "
        "involves, the default first. FILE/ID: the text of the cell with that id.",
    )
    parser.add_argument("target", metavar="FILE[/agent|/ID]")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    return list_target(arguments.target)


def list_target(target: str) -> int:
    """Print what a target names.

    Returns:
        0.

    Raises:
        CommandError: There is no such file or no such cell, or the file cannot be read.
    """
    from msgbook_format.agents import list_agents

    path, part = _split(target)
    notebook = _read(path)
    if part is None:
        for cell in notebook["cells"]:
            say("\t".join((_id(cell), _kind(cell, notebook), _title(cell))))
    elif part == _AGENTS:
        for name in list_agents(notebook):
            say(line_of(name))
    else:
        say(_source(_find(notebook["cells"], part, path)))
    return 0


def _split(target: str) -> tuple[Path, str | None]:
    """The file of a target and what stands behind it; names of folders may hold anything."""
    path = Path(target)
    try:
        behind = not path.is_file() and path.parent.is_file()
    except OSError as error:
        raise CommandError(reason(path, error)) from error
    return (path.parent, path.name) if behind else (path, None)


def _read(path: Path) -> dict[str, Any]:
    from msgbook_format import read
    from msgbook_format.errors import MessageFileError

    try:
        if path.suffix == ".ipynb":
            return _read_ipynb(path)
        notebook: dict[str, Any] = read(path)
    except (MessageFileError, OSError, ValueError) as error:
        raise CommandError(reason(path, error)) from error
    return notebook


def _read_ipynb(path: Path) -> dict[str, Any]:
    """A notebook of any version, with cells as far as they are needed here."""
    import nbformat
    from nbformat.reader import reads

    text = path.read_text("utf-8")
    try:
        notebook: Any = nbformat.convert(reads(text), 4)
        cells, metadata = notebook["cells"], notebook["metadata"]
        sound = isinstance(metadata, dict) and all(cell["cell_type"] for cell in cells)
    except (AttributeError, LookupError, TypeError, ValueError, nbformat.ValidationError) as error:
        # Its readers look into what they are given before they look what it is.
        raise CommandError(f"{path}: expected a notebook, found something else") from error
    if not sound:
        raise CommandError(f"{path}: expected a notebook, found cells without a type")
    return {"cells": cells, "metadata": metadata}


def _find(cells: list[dict[str, Any]], cell_id: str, path: Path) -> dict[str, Any]:
    for cell in cells:
        if cell.get("id") == cell_id:
            return cell
    ids = [_id(cell) for cell in cells]
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    there = f"there are {', '.join(ids[:_NAMED])}{more}" if ids else "there are no cells"
    raise CommandError(f"{path}: expected the id of a cell, found {cell_id!r}; {there}")


def _id(cell: dict[str, Any]) -> str:
    """The id of a cell; `-` for one of a notebook before nbformat 4.5, which has none."""
    return line_of(str(cell.get("id", "-")))


def _kind(cell: dict[str, Any], notebook: dict[str, Any]) -> str:
    from msgbook_format.code import is_code
    from msgbook_format.context import Context

    if cell["cell_type"] == "code":
        context = Context.of(notebook["metadata"], None)
        return "code" if is_code(_source(cell), context) else "prompt"
    if cell["cell_type"] == "markdown":
        return "system" if metadata_of(cell).get("role") == "system" else "note"
    return "raw"


def _title(cell: dict[str, Any]) -> str:
    title = metadata_of(cell).get("title")
    if isinstance(title, str) and title.strip():
        return line_of(title, _TITLE_LENGTH)
    lines = (line for line in _source(cell).splitlines() if line.strip())
    return line_of(next(lines, ""), _TITLE_LENGTH)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    return source if isinstance(source, str) else ""
