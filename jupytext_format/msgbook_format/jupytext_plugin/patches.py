"""Which functions of Jupytext are replaced, and whether this Jupytext is one that we know.

Written for Jupytext 1.19. Each replacement calls the original for all that is not ours.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable
from typing import Any

import jupytext
import jupytext.cli
import jupytext.combine
import jupytext.config
import jupytext.formats
import jupytext.header
import jupytext.jupytext
import jupytext.pairs
from jupytext.cell_reader import MarkdownCellReader
from jupytext.cell_to_text import MarkdownCellExporter

from msgbook_format.jupytext_plugin import command_line, format_spelling, pairing, read_write
from msgbook_format.jupytext_plugin.message_format import FORMAT_NAME

Function = Callable[..., Any]

_LOCK = threading.Lock()
_VERSION = "1.19."
_REPLACEMENTS: dict[str, Callable[[Function], Function]] = {
    "formats.validate_one_format": format_spelling.validate_one_format,
    "formats.short_form_one_format": format_spelling.short_form_one_format,
    "pairs.latest_inputs_and_outputs": pairing.latest_inputs_and_outputs,
    "combine.combine_inputs_with_outputs": pairing.combine_inputs_with_outputs,
    "jupytext.reads": read_write.reads,
    "jupytext.read": read_write.read,
    "jupytext.write": read_write.write,
    "cli.jupytext_single_file": command_line.jupytext_single_file,
}
_EXPECTED = {
    "formats.validate_one_format": ["jupytext_format"],
    "formats.short_form_one_format": ["jupytext_format"],
    "formats.long_form_one_format": [
        "jupytext_format", "metadata", "update", "auto_ext_requires_language_info",
    ],
    "formats.long_form_multiple_formats": [
        "jupytext_formats", "metadata", "auto_ext_requires_language_info",
    ],
    "pairs.latest_inputs_and_outputs": [
        "path", "fmt", "formats", "get_timestamp", "contents_manager_mode",
    ],
    "paired_paths.paired_paths": ["main_path", "fmt", "formats"],
    "paired_paths.find_base_path_and_format": ["main_path", "formats"],
    "combine.combine_inputs_with_outputs": ["nb_source", "nb_outputs", "fmt"],
    "header.insert_or_test_version_number": [],
    "jupytext.reads": ["text", "fmt", "as_version", "config", "kwargs"],
    "jupytext.read": ["fp", "as_version", "fmt", "config", "kwargs"],
    "jupytext.write": ["nb", "fp", "version", "fmt", "config", "kwargs"],
    "jupytext.TextNotebookConverter.writes": ["self", "nb", "metadata", "kwargs"],
    "config.JupytextConfiguration.set_default_format_options": ["self", "format_options", "read"],
    "cli.jupytext_single_file": ["nb_file", "args", "log", "notary"],
}  # fmt: skip
"""Parameters of the functions that are replaced or called."""


def apply() -> str | None:
    """Replace the functions, once; None, or why it cannot be done."""
    with _LOCK:
        if FORMAT_NAME in jupytext.formats._VALID_FORMAT_NAMES:
            return None
        problem = find_problem()
        if problem is None:
            _replace()
        return problem


def find_problem() -> str | None:
    """Why this Jupytext is not one that the replacements were written for; None if it is."""
    version = getattr(jupytext, "__version__", "without a version")
    if not version.startswith(_VERSION):
        return f"jupytext {version} is not {_VERSION}x"
    for name, expected in _EXPECTED.items():
        try:
            found = list(inspect.signature(_find(name)).parameters)
        except (AttributeError, TypeError, ValueError):
            return f"jupytext {version} has no function {name}"
        if found != expected:
            return f"jupytext {version} has other parameters of {name}: {', '.join(found)}"
    return None


def _replace() -> None:
    _add_format()
    converter = jupytext.jupytext.TextNotebookConverter
    converter.writes = functools.wraps(converter.writes)(
        read_write.converter_writes(converter.writes)
    )
    for name, wrap in _REPLACEMENTS.items():
        original = _find(name)
        _replace_everywhere(original, functools.wraps(original)(wrap(original)))


def _find(name: str) -> Any:
    return functools.reduce(getattr, name.split("."), sys.modules["jupytext"])


def _replace_everywhere(original: Function, replacement: Function) -> None:
    """Replace a function in every module that imported it by name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in ("jupytext", "jupyterlab_jupytext"):
            continue
        for key, value in list(vars(module).items()):
            if value is original:
                setattr(module, key, replacement)


def _add_format() -> None:
    # Behind Jupytext's own, so that `.md` alone stays its `markdown`.
    jupytext.formats.JUPYTEXT_FORMATS.append(
        jupytext.formats.NotebookFormatDescription(
            format_name=FORMAT_NAME,
            extension=".md",
            header_prefix="",
            cell_reader_class=MarkdownCellReader,
            cell_exporter_class=MarkdownCellExporter,
            current_version_number="1.0",
        )
    )
    jupytext.formats._VALID_FORMAT_NAMES.add(FORMAT_NAME)
    # Jupytext's own rules of what metadata a text can hold, and its warnings, are not for ours.
    jupytext.formats.FORMATS_WITH_NO_CELL_METADATA.add(FORMAT_NAME)
