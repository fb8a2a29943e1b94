"""The base of all exporters: it reads files, applies the switches and names the output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters.exporter import Exporter
from nbconvert.utils.exceptions import ConversionException
from traitlets import Bool

from msgbook_format.document import reads
from msgbook_format.exporters.harmless_notebook import (
    build_harmless_notebook,
    normalize_cell,
    plain_word,
)
from msgbook_format.exporters.heading import days_of, title_of
from msgbook_format.exporters.local_pictures import LocalPictures
from msgbook_format.exporters.selection import Selection, select_cells
from msgbook_format.exporters.untyped_values import as_text

# All that a conversion needs is imported with this module, before other folders are in `sys.path`.
from msgbook_format.files import (
    is_agent_file,
    parse_agent_file,
    parse_ipynb,
    read_file,
    read_regular,
    require_regular,
)
from msgbook_format.metadata import msgbook_metadata
from msgbook_format.stock_tools import describe_problem, named_resources
from msgbook_format.syntax import (
    KERNELSPEC,
    YamlError,
    compose,
    has_msgbook_kernel,
    plain_value,
)

if TYPE_CHECKING:
    from nbformat import NotebookNode

_KEPT = ("kernelspec", "title", "msgbook")


class MsgExporter(Exporter):
    """Base of the exporters of conversations: `.msg.md`, `.md` with a section and `.ipynb`.

    The switches can be set for all of them: `--MsgExporter.reasoning=False`.
    """

    reasoning = Bool(True, help="Show the model's reasoning.").tag(config=True)
    tools = Bool(True, help="Show tool calls and their results.").tag(config=True)
    excluded = Bool(False, help="Show prompts and code that are excluded from requests.").tag(
        config=True
    )
    system = Bool(False, help="Show system prompts.").tag(config=True)

    keeps_controls = False
    """Whether cells with msgbook's line magics are kept, which a reader has no use for."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
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

    def from_file(
        self, file_stream: Any, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert an open file of either kind, or the text of a stream.

        Raises:
            ConversionException: it is no conversation, not UTF-8, or holds values that no page can
                show, such as data nested too deep.
        """
        name = getattr(file_stream, "name", "the notebook")
        try:
            notebook = nbformat.from_dict(_read(file_stream))
            return self.from_notebook_node(notebook, resources=resources, **kw)
        except (ValueError, OverflowError, RecursionError, nbformat.ValidationError) as error:
            # MessageFileError, UnicodeDecodeError and NotJSONError are values too.
            raise ConversionException(describe_problem(str(name), error)) from None

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        kept = {key: nb.metadata[key] for key in _KEPT if key in nb.metadata}
        if "title" not in kept and (title := _frontmatter_title(nb.metadata)):
            kept["title"] = title
        if has_msgbook_kernel(nb.metadata):
            # Below, the language names a lexer, so it no longer says that code cells are prompts.
            kept["kernelspec"] = KERNELSPEC
        metadata = {**kept, "language_info": {"name": _language(nb.metadata)}}
        cells = [normalize_cell(cell) for cell in nb.cells]
        fields = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
        named = named_resources(resources, self.file_extension)
        result: tuple[Any, dict[str, Any]] = super().from_notebook_node(
            nbformat.from_dict(fields), named, **kw
        )
        return result

    def _preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Run the preprocessors (`--execute` needs the real notebook), then make the notebook harmless."""
        processed, resources = super()._preprocess(nb, resources)  # type: ignore[no-untyped-call]  # nbconvert has no types
        controls = self.keeps_controls or self.excluded
        selection = Selection(self.reasoning, self.tools, self.excluded, self.system, controls)
        selected = select_cells(processed.metadata, processed.cells, selection)
        resources["msgbook_notice"] = selected.notice()
        resources["msgbook_days"] = days_of(selected.cells)
        folder = resources.get("metadata", {}).get("path")
        pictures = LocalPictures(Path(folder) if isinstance(folder, str) else None)
        cells = pictures.attach(selected.cells, processed.metadata)
        chosen = nbformat.from_dict({**processed, "cells": cells})
        resources["msgbook_title"] = title_of(processed.metadata, resources)
        return self._make_harmless(chosen), resources

    def _make_harmless(self, notebook: NotebookNode) -> NotebookNode:
        """Return what the template gets; no part of it runs, loads or imitates the page."""
        return build_harmless_notebook(notebook)


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


def _frontmatter_title(metadata: dict[str, Any]) -> str | None:
    frontmatter = as_text(msgbook_metadata({"metadata": metadata}).get("frontmatter"))
    try:
        node = compose(frontmatter)
        found = None if node is None else plain_value(node)
    except YamlError:
        return None
    title = found.get("title") if isinstance(found, dict) else None
    return title if isinstance(title, str) else None


def _language(metadata: dict[str, Any]) -> str:
    """Return the name of a lexer for code cells: a plain word, since the page shows it unescaped."""
    if has_msgbook_kernel(metadata):
        return "ipython3"
    info = metadata.get("language_info")
    named = [info.get("pygments_lexer"), info.get("name")] if isinstance(info, dict) else []
    return next(filter(None, map(plain_word, named)), "text")
