"""`msgbook run FILE --model A --model B --out DIR`: one conversation, answered by several models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval import load_with_project
from msgbook.cli.cell_names import shown_id
from msgbook.cli.file_prompts import is_prompt_cell
from msgbook.cli.file_turns import require_conversation
from msgbook.cli.folders import make_folder, require_target
from msgbook.cli.many.comparison import Comparison, compare, is_comparison
from msgbook.cli.many.comparison_page import comparison_page, is_comparison_page
from msgbook.cli.many.folder import AT_ONCE, report, run_jobs
from msgbook.cli.many.job import Job
from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.config import ApprovalPolicy
from msgbook.errors import describe_file_error
from msgbook.magics.usage import cost_by
from msgbook.notebook import (
    Cell,
    Document,
    create,
    metadata_of,
    parse_prompt,
    source_of,
    working_folder,
)
from msgbook_format.errors import FileChangedError
from msgbook_format.files import SUFFIX, create_bytes, read_regular, replace_bytes, stem_of

_OWN = {"html": is_comparison_page, "json": is_comparison}
"""What tells the comparison of an earlier run from other files."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
"""Characters of a model's name that stay in the name of its file."""


def run_models(
    path: Path,
    models: Sequence[str],
    out: Path,
    *,
    approval: ApprovalPolicy = "allow",
    parallel: int | None = None,
) -> int:
    """Answer all prompts of a file with each model, in a new file for each, and compare the answers.

    A file of an earlier run is gone on with. The models work in the folder of `path`, which is not
    changed.

    Args:
        out: Folder of the new files, and of the comparison as HTML and JSON; made if there is none.
        approval: Most permissive policy for tool calls; nobody can be asked.
        parallel: Most models at once.

    Returns:
        As `run_folder`.

    Raises:
        MsgbookError: The file, the folder or the settings cannot be used.
    """
    document = Document.read(path)
    require_conversation(document)
    _require_no_choices(document)
    folder = working_folder(path.absolute().parent)
    cost = cost_by(load_with_project(folder)[0])  # before the keys are removed
    files = _name_files(path, models, out)
    make_folder(out)
    pages = _name_pages(out / stem_of(path.name))
    for file in files.values():
        require_target(file)
    for model, file in files.items():
        _prepare(document, model, file)
    jobs = [Job(file, approval=approval, folder=folder) for file in files.values()]
    results, seconds = run_jobs(jobs, parallel or AT_ONCE)
    code = report(results, seconds)
    read = {model: Document.read(file) for model, file in files.items()}
    statuses = {one.path: one.status for one in results}
    _write(compare(document, read, statuses, cost), pages)
    return code


class _Page(NamedTuple):
    """A file of the comparison."""

    path: Path
    old: bytes | None
    """SHA-256 of that of an earlier run; None if there is none."""


def _name_pages(base: Path) -> dict[str, _Page]:
    """Return the files of the comparison by kind, whose names begin as `base` does.

    Raises:
        CommandError: A name is taken by what no earlier run has written. Later, the answers would have
            been paid for.
    """
    pages = {}
    for kind, is_own in _OWN.items():
        path = base.with_name(f"{base.name}.comparison.{kind}")
        require_target(path)
        try:
            data = read_regular(path)
        except FileNotFoundError:
            pages[kind] = _Page(path, None)
            continue
        except OSError as error:
            raise CommandError(describe_file_error(path, error)) from error
        if not is_own(data):
            raise CommandError(
                f"{path}: expected the comparison of an earlier run, found another file. Name another folder "
                "with --out. Nothing was sent."
            )
        pages[kind] = _Page(path, sha256(data).digest())
    return pages


def _write(comparison: Comparison, pages: dict[str, _Page]) -> None:
    """Write a comparison as HTML and JSON, and print the names of the files."""
    texts = {"html": comparison_page(comparison), "json": comparison.to_json()}
    for kind, page in pages.items():
        data = texts[kind].encode("utf-8", "backslashreplace")
        try:
            if page.old is None:
                create_bytes(page.path, data)
            else:
                replace_bytes(page.path, data, expected=page.old)
        except (FileChangedError, OSError) as error:
            raise CommandError(describe_file_error(page.path, error)) from error
    say(", ".join(str(page.path) for page in pages.values()))


def _require_no_choices(document: Document) -> None:
    """Raise `CommandError` if a prompt says itself which model answers."""
    prompts = [cell for cell in document.cells if is_prompt_cell(cell)]
    if not prompts:
        raise CommandError(f"{document.path}: expected a prompt, found none")
    for cell in prompts:
        if "model" in parse_prompt(source_of(cell)).attributes:
            raise CommandError(
                f"{document.path}/{shown_id(cell)}: the %%msg line says which model answers. Leave model= "
                "out there, or leave out --model."
            )


def _name_files(path: Path, models: Sequence[str], out: Path) -> dict[str, Path]:
    """Return the file of each model. Names have no characters that a path or a shell reads."""
    suffix = SUFFIX if path.name.endswith(SUFFIX) else path.suffix
    files: dict[str, Path] = {}
    taken: set[str] = set()
    for model in models:
        if not model.strip():
            raise CommandError("expected the name of a model after --model, found nothing")
        if model in files:
            raise CommandError(f"--model {model} is given twice")
        words = _UNSAFE.sub("-", model)[:_LONGEST].strip("-.") or "model"
        name, number = f"{stem_of(path.name)}-{words}{suffix}", 1
        # File systems may ignore case.
        while name.casefold() in taken:
            number += 1
            name = f"{stem_of(path.name)}-{words}-{number}{suffix}"
        taken.add(name.casefold())
        files[model] = out / name
    return files


def _prepare(document: Document, model: str, file: Path) -> None:
    """Write the conversation without its answers for a model, unless an earlier run did."""
    notebook = deepcopy(document.notebook)
    notebook["metadata"].get("msgbook", {}).pop("agent_metadata", None)
    for cell in filter(is_prompt_cell, notebook["cells"]):
        cell["outputs"] = []
        cell.setdefault("metadata", {})["msgbook"] = {**metadata_of(cell), "model": model}
    try:
        create(file, notebook)
    except FileExistsError:
        if _asked(Document.read(file).cells) != _asked(notebook["cells"]):
            raise CommandError(
                f"{file}: expected a file of an earlier run of {document.path} with {model}, found another "
                "conversation. Name another folder with --out."
            ) from None


def _asked(cells: Sequence[Cell]) -> list[tuple[Any, ...]]:
    """Return all of a conversation that its author wrote."""
    return [
        (cell.get("cell_type"), source_of(cell), metadata_of(cell).get("model")) for cell in cells
    ]
