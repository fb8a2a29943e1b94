"""A conversation as one HTML page that runs and loads nothing of its own.

The page has a Content-Security-Policy on top of a notebook whose every part is made harmless. It
needs the network only for formulas: it then loads MathJax from nbconvert's `mathjax_url`, the only
address that the policy allows. Without it, or offline, formulas stay readable as TeX. MathJax 2 evaluates its configuration, so the policy has to allow `eval` to
scripts from there; inline scripts, handlers and `javascript:` stay forbidden. Diagrams, widgets
and require.js are left out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import IPython.lib.lexers  # noqa: F401  # nbconvert imports it when it colours the first code
import nbformat
from nbconvert.exporters.html import HTMLExporter
from nbconvert.utils.exceptions import ConversionException
from traitlets import default

from msgbook_format.document import reads
from msgbook_format.exporters.harmless_notebook import (
    build_harmless_notebook,
    has_formulas,
    normalize_cell,
    plain_word,
)

# All that a conversion needs is imported with this module, before other folders are in `sys.path`.
from msgbook_format.files import (
    is_agent_file,
    parse_agent_file,
    parse_ipynb,
    read_file,
    read_regular,
    require_regular,
)
from msgbook_format.syntax import KERNELSPEC, has_msgbook_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode

_ORIGIN_AND_FOLDER = re.compile(r"https?://[^\s;,'\"?#]+/")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class MsgHTMLExporter(HTMLExporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to an HTML page that is safe to pass on."""

    export_from_notebook = "Conversation (HTML)"

    @default("template_name")
    def _default_template_name(self) -> str:
        return "msghtml"

    @default("extra_template_basedirs")
    def _default_template_folders(self) -> list[str]:
        # nbconvert looks into the working directory, too. A template is code.
        return [str(Path(__file__).with_name("templates"))]

    @default("exclude_input_prompt")
    def _default_exclude_input_prompt(self) -> bool:
        return True

    @default("exclude_output_prompt")
    def _default_exclude_output_prompt(self) -> bool:
        return True

    def default_filters(self) -> Iterator[tuple[str, Any]]:
        yield from super().default_filters()  # type: ignore[no-untyped-call]  # nbconvert has no types
        # nbconvert's own mends links of an old server in quadratic time.
        yield "strip_files_prefix", lambda text: text

    def from_filename(  # type: ignore[override]  # as below
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Convert a file of either kind.

        Raises:
            ConversionException: as from `from_file`, or it is no regular file.
            OSError: it cannot be read.
        """
        try:
            require_regular(Path(filename))
        except OSError as error:
            raise ConversionException(f"{filename}: {error.strerror}") from None
        return super().from_filename(filename, resources, **kw)

    def from_file(  # type: ignore[override]  # as in nbconvert: text, where its base says notebook
        self, file_stream: Any, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Convert an open file of either kind, or the text of a stream.

        Raises:
            ConversionException: it is no conversation, not UTF-8, or holds values that no page can
                show, such as data nested too deep.
        """
        try:
            notebook = nbformat.from_dict(_read(file_stream))
            return self.from_notebook_node(notebook, resources=resources, **kw)
        except (ValueError, OverflowError, RecursionError, nbformat.ValidationError) as error:
            # MessageFileError, UnicodeDecodeError and NotJSONError are values too.
            name = getattr(file_stream, "name", "the notebook")
            raise ConversionException(f"{name} cannot be shown as a page: {error}") from None

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        kept = {key: nb.metadata[key] for key in ("kernelspec", "title") if key in nb.metadata}
        if has_msgbook_kernel(nb.metadata):
            # Below, the language names a lexer, so it no longer says that code cells are prompts.
            kept["kernelspec"] = KERNELSPEC
        metadata = {**kept, "language_info": {"name": _language(nb.metadata)}}
        cells = [normalize_cell(cell) for cell in nb.cells]
        fields = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
        notebook = nbformat.from_dict(fields)
        page, result = super().from_notebook_node(notebook, _without_suffix(resources), **kw)
        return _LONE_SURROGATE.sub("\ufffd", page), result

    def _preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run the preprocessors (`--execute` needs the real notebook), then make the notebook harmless."""
        processed, resources = super()._preprocess(nb, resources)  # type: ignore[no-untyped-call]  # nbconvert has no types
        notebook = build_harmless_notebook(processed)
        formulas = has_formulas(notebook)
        resources["msgbook_formulas"] = formulas
        resources["msgbook_policy"] = _policy(self.mathjax_url if formulas else "")
        return notebook, resources

    def _init_resources(self, resources: dict[str, Any] | None) -> dict[str, Any]:
        result: dict[str, Any] = super()._init_resources(resources)  # type: ignore[no-untyped-call]  # nbconvert has no types
        result["should_not_encode_svg"] = False
        environment = self.environment
        theme, *_ = environment.loader.get_source(environment, "static/theme-dark.css")
        result["msgbook_dark_theme"] = theme
        return result


def _read(file_stream: Any) -> dict[str, Any]:
    name = str(getattr(file_stream, "name", ""))
    if name.endswith(".md"):
        return read_file(Path(name))
    if is_agent_file(name):
        return parse_agent_file(read_regular(Path(name)), name)
    text = file_stream.read()
    if name.endswith(".ipynb") or _is_notebook(text):
        return parse_ipynb(text.encode("utf-8", "surrogatepass"), name or "the notebook")
    return reads(text)


def _is_notebook(text: str) -> bool:
    try:
        return "nbformat" in json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return False


def _language(metadata: dict[str, Any]) -> str:
    """Return the name of a lexer for code cells: a plain word, since the page shows it unescaped."""
    if has_msgbook_kernel(metadata):
        return "ipython3"
    info = metadata.get("language_info")
    named = [info.get("pygments_lexer"), info.get("name")] if isinstance(info, dict) else []
    return next(filter(None, map(plain_word, named)), "text")


def _without_suffix(resources: dict[str, Any] | None) -> dict[str, Any]:
    """Return resources that call `chat.msg.md` `chat`, and so the file that will be written."""
    named: dict[str, Any] = dict(resources or {})
    metadata = dict(named.get("metadata") or {})
    name = metadata.get("name")
    if isinstance(name, str) and name.endswith(".msg"):
        short = name.removesuffix(".msg")
        named["metadata"] = {**metadata, "name": short}
        for key in ("unique_key", "output_files_dir"):
            if isinstance(named.get(key), str):
                named[key] = named[key].replace(name, short, 1)
    return named


def _policy(mathjax_url: str) -> str:
    scripts, fonts = "'none'", ""
    if match := _ORIGIN_AND_FOLDER.match(mathjax_url):
        scripts, fonts = f"{match[0]} 'unsafe-eval'", match[0]
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            f"font-src data: {fonts}".rstrip(),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
