"""Replacements of the functions with which Jupytext reads and writes texts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import jupytext.formats
import jupytext.header

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
from msgbook_format.jupytext_plugin.pairing import names_section
from msgbook_format.nodes import as_nodes
from msgbook_format.outputs import keep_lost_data, load_output_files
from msgbook_format.syntax import CODE_FIRST_CELLS, MSG_MAGIC

Function = Callable[..., Any]


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


# Messages of a Python notebook in Jupytext's other formats: for these `%%msg` is the name of a language.


MESSAGE = MSG_MAGIC.removeprefix("%%")


def parser_init(original: Function) -> Function:
    """Let Jupytext's parser find no strings in a message."""

    def init(self: Any, language: str | None) -> None:
        original(self, language)
        self.ignore = self.ignore or language == MESSAGE

    return init


def cell_language(original: Function) -> Function:
    """Take the line of a message off a cell's lines, with the blanks above it, and return what follows the magic."""

    def find(
        source: list[str], default_language: str, custom_cell_magics: list[str]
    ) -> tuple[str | None, str | None]:
        place = next((n for n, line in enumerate(source) if line.strip()), 0)
        words = source[place].strip() if source else ""
        is_message = words.startswith(MSG_MAGIC) and CODE_FIRST_CELLS.is_message(words)
        if is_message and default_language == "python":
            del source[: place + 1]
            return MESSAGE, words.removeprefix(MSG_MAGIC).lstrip()
        found: tuple[str | None, str | None] = original(
            source, default_language, custom_cell_magics
        )
        return found

    return find
