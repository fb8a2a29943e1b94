"""Pairs with a message file, in which the newest file provides the outputs, too.

Jupytext always takes the outputs of a pair from the `.ipynb`, since its text formats hold none.
Ours holds them: an edited answer would be overwritten.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext.config
import jupytext.formats
import jupytext.paired_paths

from msgbook_format.jupytext_plugin.message_format import is_message_suffix, is_ours

Function = Callable[..., Any]


def find_message_file(path: str, formats: object) -> str | None:
    """Return the file of our format that is paired with the `.ipynb` at `path`; None without one."""
    if not isinstance(formats, str) or not path.endswith(".ipynb"):
        return None
    try:
        long = jupytext.formats.long_form_multiple_formats(formats)
        pairs = jupytext.paired_paths.paired_paths(path, {"extension": ".ipynb"}, long)
    except ValueError as error:
        if is_format_error(error):
            return None
        raise
    return next((other for other, fmt in pairs if is_ours(fmt)), None)


def find_other_files(path: str, formats: object) -> list[str]:
    """Return the other files of the pair, with a message file, that `path` belongs to."""
    if not isinstance(formats, str):
        return []
    try:
        long = jupytext.formats.long_form_multiple_formats(formats)
        if not any(map(is_ours, long)):
            return []
        _, own = jupytext.paired_paths.find_base_path_and_format(path, long)
        pairs = jupytext.paired_paths.paired_paths(path, own, long)
    except ValueError as error:
        if is_format_error(error):
            return []
        raise
    return [other for other, _ in pairs if other != path]


def find_default_formats(path: str) -> str | None:
    """Return the formats that the user's configuration gives to a notebook at `path`."""
    config = jupytext.config.load_jupytext_config(str(Path(path).absolute()))
    formats: str | None = config.default_formats(path) if config else None
    return formats


def find_converted(path: str, fmt: dict[str, Any] | None, to: dict[str, Any]) -> str:
    """Return the file to which the command line converts `path`, of `fmt`, in the format `to`."""
    base = jupytext.paired_paths.base_path(path, fmt)
    converted: str = jupytext.paired_paths.full_path(base, to)
    return converted


def names_section(formats: object) -> bool:
    """Return whether formats of Jupytext ask for an `.md` file with a message section."""
    try:
        long = jupytext.formats.long_form_multiple_formats(formats)
    except (AttributeError, LookupError, TypeError, ValueError):
        # A file may hold any value; Jupytext does not check its type.
        return False
    return any(is_ours(fmt) and not is_message_suffix(fmt) for fmt in long)


def find_formats_error(path: str, formats: str) -> ValueError | None:
    """Return why the notebook at `path` cannot be saved with these formats; None if it can.

    Each file of the pair must find the others again, or it would be written and never read.
    """
    try:
        long = jupytext.formats.long_form_multiple_formats(formats)
        try:
            _, own = jupytext.paired_paths.find_base_path_and_format(path, long)
        except jupytext.paired_paths.InconsistentPath:
            return None  # Jupytext ignores formats that are not for this file.
        for other, fmt in jupytext.paired_paths.paired_paths(path, own, long):
            # The contents managers remember the short form.
            short = jupytext.formats.short_form_one_format(fmt)
            jupytext.paired_paths.paired_paths(other, short, long)
    except ValueError as error:
        if is_format_error(error):
            return error
        raise
    return None


def is_format_error(error: BaseException | None) -> bool:
    """Return whether Jupytext did not understand the formats that a notebook names."""
    known = (jupytext.formats.JupytextFormatError, jupytext.paired_paths.InconsistentPath)
    return isinstance(error, known)


def latest_inputs_and_outputs(original: Function) -> Function:
    """Take everything from the `.ipynb` if it is newer, as the command line does.

    Jupytext's contents managers would refuse to open such a pair.
    """

    def replacement(*args: Any, **kwargs: Any) -> Any:
        inputs, outputs = original(*args, **kwargs)
        if inputs.fmt and is_ours(inputs.fmt) and outputs.timestamp is not None:
            inputs = max(inputs, outputs, key=lambda file: file.timestamp)
        return inputs, outputs

    return replacement


def combine_inputs_with_outputs(original: Function) -> Function:
    """Take everything from the text but the metadata for Jupytext, of which a text holds little."""

    def replacement(nb_source: Any, nb_outputs: Any, fmt: Any = None) -> Any:
        long = jupytext.formats.long_form_one_format(fmt)
        options = nb_source.metadata.setdefault("jupytext", {})
        if not is_ours(long) and not is_ours(options.get("text_representation", {})):
            return original(nb_source, nb_outputs, fmt)
        options.pop("text_representation", None)
        theirs = nb_outputs.metadata.get("jupytext")
        if theirs and theirs.get("formats"):
            nb_source.metadata["jupytext"] = theirs
        elif not options:
            del nb_source.metadata["jupytext"]
        return nb_source

    return replacement
