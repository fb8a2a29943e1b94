"""Pairs with a message file, in which the newest file provides the outputs, too.

Jupytext always takes the outputs of a pair from the `.ipynb`, since its text formats hold none.
Ours holds them: an edited answer would be overwritten.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import jupytext.config
import jupytext.formats
import jupytext.header
import jupytext.paired_paths

from msgbook_format.errors import NotAMessageFile
from msgbook_format.files import decode, has_section, read_regular, replace_bytes, require_regular
from msgbook_format.jupytext_plugin.conversion import keep_parts_of_text, read_text, write_text
from msgbook_format.jupytext_plugin.message_format import (
    FORMAT_NAME,
    is_message_path,
    is_message_suffix,
    is_ours,
    is_writing,
    path_being_read,
    path_being_written,
)
from msgbook_format.nodes import as_nodes
from msgbook_format.outputs import keep_lost_data, load_output_files

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


# Replacements of the functions with which Jupytext reads and writes texts.


def converter_writes(original: Function) -> Function:
    """Write a notebook in our format to every message file, whatever format is named."""

    def replacement(self: Any, nb: Any, metadata: Any = None, **options: Any) -> Any:
        by_path = self.fmt.get("extension") == ".md" and is_message_path(path_being_read())
        if not is_ours(self.fmt) and not by_path:
            return original(self, nb, metadata, **options)
        whole_file = is_message_suffix(self.fmt) or by_path
        metadata = nb.metadata if metadata is None else metadata
        if is_writing():
            formats = metadata.get("jupytext", {}).get("formats")
            nb = _complete({**nb, "metadata": metadata}, path_being_written(formats))
            metadata = nb.metadata
        defaults: dict[str, Any] = {}
        if self.config is not None:
            self.config.set_default_format_options(defaults, read=True)
        return write_text(nb, metadata, defaults, whole_file=whole_file)

    return replacement


def reads(original: Function) -> Function:
    """Read a text of ours. Jupytext's own detection would parse all of it as YAML."""

    def replacement(text: str, *args: Any, **kwargs: Any) -> Any:
        options = inspect.signature(original).bind(text, *args, **kwargs).arguments
        fmt = options.get("fmt")
        long = dict(jupytext.formats.long_form_one_format(fmt)) if fmt else {}
        whole_file = is_message_path(path_being_read()) or is_message_suffix(long)
        if long.get("extension") != ".md":
            return original(text, *args, **kwargs)
        if not (whole_file or is_ours(long) or ("format_name" not in long and has_section(text))):
            return original(text, *args, **kwargs)
        # A server sends a text that it opened unchanged, but writes the `.ipynb` of a pair.
        nb = read_text(text, whole_file=whole_file, writable=not path_being_read())
        if jupytext.header.insert_or_test_version_number():
            representation = {"extension": ".md", "format_name": FORMAT_NAME}
            if whole_file:
                representation["suffix"] = ".msg"
            nb.metadata.setdefault("jupytext", {})["text_representation"] = representation
        return nb

    return replacement


def read(original: Function) -> Function:
    """Read a file of ours by its bytes, since Jupytext would lose its line ends."""

    def replacement(fp: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(fp, "read") and str(fp).endswith(".ipynb"):
            require_regular(Path(fp))
        if hasattr(fp, "read") or not str(fp).endswith(".md"):
            return original(fp, *args, **kwargs)
        options = inspect.signature(original).bind(fp, *args, **kwargs).arguments
        data = read_regular(Path(fp))
        if is_message_path(fp):
            fmt = {**_with_name(options.get("fmt")), "suffix": ".msg"}
            return _read_ours(data, Path(fp), fmt, options)
        fmt = _with_extension(options.get("fmt"))
        text = data.decode("utf-8", "replace")
        if is_ours(fmt) or ("format_name" not in fmt and has_section(text)):
            if not has_section(text):
                raise NotAMessageFile(Path(fp))
            return _read_ours(data, Path(fp), fmt, options)
        nb = original(fp, *args, **kwargs)
        said = nb.metadata.get("jupytext")
        if isinstance(said, dict) and names_section(said.get("formats")):
            # The key was taken out: the whole text would become one note.
            raise NotAMessageFile(Path(fp))
        return nb

    return replacement


def write(original: Function) -> Function:
    """Write a message file in one step, so that an error leaves the old one."""

    def replacement(nb: Any, fp: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(fp, "write") or not str(fp).endswith(".md"):
            return original(nb, fp, *args, **kwargs)
        options = inspect.signature(original).bind(nb, fp, *args, **kwargs).arguments
        if is_message_path(fp):
            fmt = {**_with_name(options.get("fmt")), "suffix": ".msg"}
        else:
            fmt = _with_extension(options.get("fmt"))
            if not is_ours(fmt):
                return original(nb, fp, *args, **kwargs)
        version = {"version": options["version"]} if "version" in options else {}
        nb = _complete(nb, Path(fp))
        text = jupytext.writes(nb, fmt, config=options.get("config"), **version)
        if "prefix" in fmt:
            Path(fp).parent.mkdir(parents=True, exist_ok=True)
        return replace_bytes(Path(fp), text.encode("utf-8"), follow=True)

    return replacement


def _complete(nb: Any, path: Path | None) -> Any:
    """Return a notebook that can replace the text at `path` without loss."""
    nb = keep_lost_data(nb, path)
    if path is not None and path.exists():
        text = decode(read_regular(path), path)
        nb = keep_parts_of_text(nb, text, whole_file=is_message_path(path), cells=True)
    return as_nodes(nb)


def _read_ours(data: bytes, path: Path, fmt: Any, options: dict[str, Any]) -> Any:
    nb = jupytext.reads(decode(data, path), fmt, config=options.get("config"))
    # An unreadable file leaves its output empty and its text unchanged; `msgbook check` says why.
    load_output_files(nb, path)
    return nb


def _with_extension(fmt: Any) -> dict[str, Any]:
    return {**(jupytext.formats.long_form_one_format(fmt) if fmt else {}), "extension": ".md"}


def _with_name(fmt: Any) -> dict[str, Any]:
    return {"format_name": FORMAT_NAME, **_with_extension(fmt)}
