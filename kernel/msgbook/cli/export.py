"""`msgbook export FILE --to KIND`: writes a conversation as a document for others."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from nbconvert.utils.exceptions import ConversionException

from msgbook.cli.folders import require_target
from msgbook.cli.terminal import CommandError, say
from msgbook.errors import describe_file_error
from msgbook_format import exporters
from msgbook_format.files import export_name, replace_bytes, stem_of

_EXPORTERS = {
    "html": exporters.MsgHTMLExporter,
    "markdown": exporters.MsgMarkdownExporter,
    "notebook": exporters.MsgNotebookExporter,
    "pdf": exporters.MsgPDFExporter,
    "slides": exporters.MsgSlidesExporter,
}


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    switches = {
        name: getattr(arguments, name) for name in ("reasoning", "tools", "excluded", "system")
    }
    output = Path(arguments.output) if arguments.output is not None else None
    return export(
        Path(arguments.file), arguments.to, output, force=arguments.force, switches=switches
    )


def export(
    path: Path, kind: str, output: Path | None, *, force: bool, switches: dict[str, bool]
) -> int:
    """Write the export of a file and print its name.

    Args:
        kind: One of html, markdown, notebook, pdf and slides.
        output: The file to write; None for one beside `path` with its name.
        force: Whether an existing file is replaced. The conversation itself never is.
        switches: Values of the exporter's switches.

    Returns:
        0.

    Raises:
        CommandError: The file cannot be read or exported, or the other one not be written.
    """
    stem = stem_of(path.name)
    if stem == path.name:
        raise CommandError(
            f"{path}: expected a conversation: a .msg.md, a .md with message_section, an .ipynb or an .mtm"
        )
    exporter = _EXPORTERS[kind](**switches)  # type: ignore[no-untyped-call]  # nbconvert has no types
    target = output or path.with_name(export_name(path.name, exporter.file_extension))
    _require_free(path, target, force=force)
    try:
        exported, _ = exporter.from_filename(str(path))
        data = exported if isinstance(exported, bytes) else exported.encode("utf-8")
        replace_bytes(target, data)
    except ConversionException as error:
        raise CommandError(str(error)) from error
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(target, error)) from error
    say(str(target))
    return 0


def _require_free(path: Path, target: Path, *, force: bool) -> None:
    """Raise `CommandError` if the file to write exists and is not to be replaced."""
    if not os.path.lexists(target):
        return
    if target.exists() and path.exists() and target.samefile(path):
        raise CommandError(f"{target} is the conversation itself. Name another file with --output.")
    if not force:
        raise CommandError(
            f"{target} exists. Name another file with --output, or replace it with --force."
        )
    require_target(target)
