"""The functions of Jupytext that have to know the format `msg`, and what stands in their place.

Written for Jupytext 1.19. Each replacement calls the original for all that is not ours.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import jupytext.cli
import jupytext.combine
import jupytext.config
import jupytext.formats
import jupytext.header
import jupytext.jupytext
from jupytext.cell_reader import MarkdownCellReader
from jupytext.cell_to_text import MarkdownCellExporter

from msgbook_format.files import decode, has_section, replace_bytes
from msgbook_format.jupytext_plugin.convert import read_text, write_text
from msgbook_format.jupytext_plugin.names import FORMAT_NAME, is_message_path, path_being_read

Function = Callable[..., Any]

_VERSION = "1.19."
_EXPECTED = {
    "formats.validate_one_format": ["jupytext_format"],
    "formats.short_form_one_format": ["jupytext_format"],
    "combine.combine_inputs_with_outputs": ["nb_source", "nb_outputs", "fmt"],
    "header.insert_or_test_version_number": [],
    "jupytext.reads": ["text", "fmt", "as_version", "config", "kwargs"],
    "jupytext.read": ["fp", "as_version", "fmt", "config", "kwargs"],
    "jupytext.write": ["nb", "fp", "version", "fmt", "config", "kwargs"],
    "jupytext.TextNotebookConverter.writes": ["self", "nb", "metadata", "kwargs"],
    "config.JupytextConfiguration.set_default_format_options": ["self", "format_options", "read"],
}
"""Parameters of the functions that are replaced or called."""


def apply() -> str | None:
    """Replace the functions, once; None, or why it cannot be done."""
    if FORMAT_NAME in jupytext.formats._VALID_FORMAT_NAMES:
        return None
    problem = find_problem()
    if problem:
        return problem
    _add_format()
    _wrap_converter(jupytext.jupytext.TextNotebookConverter)
    for wrap, name in (
        (_validate_one_format, "formats.validate_one_format"),
        (_short_form_one_format, "formats.short_form_one_format"),
        (_combine, "combine.combine_inputs_with_outputs"),
        (_reads, "jupytext.reads"),
        (_read, "jupytext.read"),
        (_write, "jupytext.write"),
    ):
        original = _find(name)
        _replace_everywhere(original, functools.wraps(original)(wrap(original)))
    return None


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


def _find(name: str) -> Any:
    return functools.reduce(getattr, name.split("."), sys.modules["jupytext"])


def _replace_everywhere(original: Function, replacement: Function) -> None:
    """Replace a function in every module that imported it by name."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
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


def _is_ours(fmt: dict[str, Any]) -> bool:
    return fmt.get("format_name") == FORMAT_NAME


def _is_message_suffix(fmt: dict[str, Any]) -> bool:
    return fmt.get("extension") == ".md" and str(fmt.get("suffix", "")).endswith(".msg")


def _wrap_converter(converter: Any) -> None:
    init, writes = converter.__init__, converter.writes

    @functools.wraps(init)
    def init_by_path(self: Any, fmt: Any, config: Any) -> None:
        if (
            isinstance(fmt, dict)
            and fmt.get("extension") == ".md"
            and is_message_path(path_being_read())
        ):
            fmt["format_name"] = FORMAT_NAME
        init(self, fmt, config)

    @functools.wraps(writes)
    def writes_ours(self: Any, nb: Any, metadata: Any = None, **options: Any) -> Any:
        if not _is_ours(self.fmt):
            return writes(self, nb, metadata, **options)
        whole_file = _is_message_suffix(self.fmt) or is_message_path(path_being_read())
        metadata = nb.metadata if metadata is None else metadata
        defaults: dict[str, Any] = {}
        if self.config is not None:
            self.config.set_default_format_options(defaults, read=True)
        return write_text(nb, metadata, defaults, whole_file=whole_file)

    converter.__init__ = init_by_path
    converter.writes = writes_ours


def _validate_one_format(original: Function) -> Function:
    def validate_one_format(jupytext_format: Any) -> Any:
        if isinstance(jupytext_format, dict) and _is_message_suffix(jupytext_format):
            jupytext_format.setdefault("format_name", FORMAT_NAME)
        return original(jupytext_format)

    return validate_one_format


def _short_form_one_format(original: Function) -> Function:
    def short_form_one_format(jupytext_format: Any) -> Any:
        short = original(jupytext_format)
        if isinstance(jupytext_format, dict) and _is_ours(jupytext_format) and ":" not in short:
            # The original drops the name behind `.md`, and the next sync takes another format.
            return f"{short}:{FORMAT_NAME}"
        return short

    return short_form_one_format


def _combine(original: Function) -> Function:
    def combine_inputs_with_outputs(nb_source: Any, nb_outputs: Any, fmt: Any = None) -> Any:
        long = jupytext.formats.long_form_one_format(fmt)
        representation = nb_source.metadata.get("jupytext", {}).get("text_representation", {})
        if not _is_ours(long) and not _is_ours(representation):
            return original(nb_source, nb_outputs, fmt)
        # The text holds all of the notebook: nothing is taken from the other file.
        nb_source.metadata.get("jupytext", {}).pop("text_representation", None)
        return nb_source

    return combine_inputs_with_outputs


def _with_name(fmt: Any) -> dict[str, Any]:
    long = dict(jupytext.formats.long_form_one_format(fmt) if fmt else {})
    return {"format_name": FORMAT_NAME, **long, "extension": ".md"}


def _reads(original: Function) -> Function:
    def reads(text: str, *args: Any, **kwargs: Any) -> Any:
        options = inspect.signature(original).bind(text, *args, **kwargs).arguments
        fmt = options.get("fmt")
        long = dict(jupytext.formats.long_form_one_format(fmt)) if fmt else {}
        whole_file = is_message_path(path_being_read()) or _is_message_suffix(long)
        if long.get("extension") != ".md":
            return original(text, *args, **kwargs)
        if not (whole_file or _is_ours(long) or ("format_name" not in long and has_section(text))):
            return original(text, *args, **kwargs)
        nb = read_text(text, whole_file=whole_file)
        if jupytext.header.insert_or_test_version_number():
            representation = {"extension": ".md", "format_name": FORMAT_NAME}
            nb.metadata.setdefault("jupytext", {})["text_representation"] = representation
        return nb

    return reads


def _read(original: Function) -> Function:
    def read(fp: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(fp, "read") or not is_message_path(fp):
            return original(fp, *args, **kwargs)
        options = inspect.signature(original).bind(fp, *args, **kwargs).arguments
        text = decode(Path(fp).read_bytes(), Path(fp))
        fmt = {**_with_name(options.get("fmt")), "suffix": ".msg"}
        return jupytext.reads(text, fmt, config=options.get("config"))

    return read


def _write(original: Function) -> Function:
    def write(nb: Any, fp: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(fp, "write") or not is_message_path(fp):
            return original(nb, fp, *args, **kwargs)
        options = inspect.signature(original).bind(nb, fp, *args, **kwargs).arguments
        fmt = {**_with_name(options.get("fmt")), "suffix": ".msg"}
        version = {"version": options["version"]} if "version" in options else {}
        text = jupytext.writes(nb, fmt, config=options.get("config"), **version)
        jupytext.jupytext.create_prefix_dir(str(fp), fmt, None)
        return replace_bytes(Path(fp), text.encode("utf-8"))

    return write
