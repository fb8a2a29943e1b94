"""The base of all exporters: it reads files, applies the switches, and gives titles, days and names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert.exporters.exporter import Exporter
from nbconvert.utils.exceptions import ConversionException
from traitlets import Bool

from msgbook_format.agents import agent_tables
from msgbook_format.cells import is_code
from msgbook_format.document import reads
from msgbook_format.exporters.harmless_notebook import (
    build_harmless_notebook,
    normalize_cell,
    plain_word,
    unique_ids,
)
from msgbook_format.exporters.nbconvert_markdown import LocalPictures
from msgbook_format.files import (
    is_agent_file,
    parse_agent_file,
    parse_ipynb,
    read_file,
    read_regular,
    require_regular,
)
from msgbook_format.stock_tools import describe_problem, named_resources
from msgbook_format.syntax import (
    CHAT_CELLS,
    KERNELSPEC,
    Dialect,
    YamlError,
    compose,
    has_msgbook_kernel,
    is_excluded,
    is_history,
    parse_msg_line,
    plain_value,
    rule_of,
)
from msgbook_format.turn import DISPLAYS, REASONINGS, TOOL_CALLS, TURN_MIME, Block, kind_of, turn_of
from msgbook_format.typed import as_dict, as_text, joined_text, msgbook_metadata, text_or_none

if TYPE_CHECKING:
    from nbformat import NotebookNode


# All that a conversion needs is imported with this module, before other folders are in `sys.path`.


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
            ConversionException: as from `from_file`, or it is not a regular file.
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
            ConversionException: it is not a conversation, not UTF-8, or holds values that no page can
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
        if rule_of(nb.metadata) is CHAT_CELLS:
            # Below, the language names a lexer, so it no longer says that code cells are prompts.
            kept["kernelspec"] = KERNELSPEC
        metadata = {**kept, "language_info": {"name": _language(nb.metadata)}}
        cells = [
            {**normalize_cell(cell), "id": cell_id}
            for cell, cell_id in zip(nb.cells, unique_ids(nb.cells), strict=True)
        ]
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
        # What the template gets runs, loads and imitates nothing.
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
    frontmatter = joined_text(msgbook_metadata({"metadata": metadata}).get("frontmatter"))
    try:
        node = compose(frontmatter)
        found = None if node is None else plain_value(node)
    except YamlError:
        return None
    title = as_dict(found).get("title")
    return text_or_none(title)


def _language(metadata: dict[str, Any]) -> str:
    """Return the name of a lexer for code cells: a plain word, since the page shows it unescaped."""
    if has_msgbook_kernel(metadata):
        return "ipython3"
    info = metadata.get("language_info")
    named = [as_dict(info).get(key) for key in ("pygments_lexer", "name")]
    return next(filter(None, map(plain_word, named)), "text")


# What stands at the top of an export: the title and the days of the conversation. Pure.


UNNAMED = "Notebook"
"""What nbconvert calls a notebook that has no file."""


def title_of(metadata: dict[str, Any], resources: dict[str, Any]) -> str:
    """Return the title, else the name of the file; empty for a notebook without both."""
    title = as_text(metadata.get("title"))
    name = as_text(resources.get("metadata", {}).get("name"))
    return title if title.strip() else name if name != UNNAMED else ""


def days_of(cells: Iterable[dict[str, Any]]) -> str:
    """Return the day of the conversation, or its first and its last; empty if its turns name none."""
    days = sorted(_days(cells))
    return " – ".join(dict.fromkeys(day.isoformat() for day in (*days[:1], *days[-1:])))


def _days(cells: Iterable[dict[str, Any]]) -> Iterator[date]:
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    for turn in filter(None, map(turn_of, outputs)):
        try:
            yield datetime.fromisoformat(str(turn.get("started"))).date()
        except ValueError:
            continue  # a turn without a time, or with words in its place


# The switches of an export: reasoning, tools, excluded cells and system prompts.
#
# Whatever is left out is counted, so that the export can say so.


Json = dict[str, Any]

_WORDS = {
    "reasoning": ("reasoning of {} answer", "reasoning of {} answers"),
    "tools": ("{} tool call", "{} tool calls"),
    "excluded": ("{} excluded cell", "{} excluded cells"),
    "controls": ("{} command to msgbook", "{} commands to msgbook"),
    "system": ("{} system prompt", "{} system prompts"),
}


# fmt: off
CONTROLS = frozenset({
    "%model", "%models", "%agent", "%rules", "%skills", "%macros", "%tool", "%tools", "%mcp", "%approvals",
    "%context", "%compact", "%prune", "%stale", "%cache", "%usage", "%display", "%help",
})
# fmt: on
"""msgbook's line magics: an author steers a conversation with them, and nobody else reads them."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Parts of a conversation that an export shows."""

    reasoning: bool = True
    tools: bool = True
    excluded: bool = False
    """Prompts and code that requests leave out, with their answers. Such notes are for readers,
    and always shown."""
    system: bool = False
    """Notes with the role system, and the system prompts of the file's own agents."""
    controls: bool = True
    """Cells with msgbook's line magics, and what they print."""


@dataclass(slots=True)
class Selected:
    """Cells of an export."""

    cells: list[Json] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of things that were left out, by switch."""

    def notice(self) -> str:
        """Return a sentence that says what was left out; empty if it was nothing."""
        words = [
            _WORDS[name][self.left_out[name] != 1].format(self.left_out[name])
            for name in _WORDS
            if self.left_out[name]
        ]
        return f"Not in this export: {', '.join(words)}." if words else ""


def select_cells(metadata: dict[str, Any], cells: list[Json], selection: Selection) -> Selected:
    """Return new cells with what is to be shown of `cells`, which have typed fields."""
    selected = Selected()
    dialect = Dialect.from_metadata(metadata, None)
    prompts = _agents_prompts(metadata)
    if selection.system:
        selected.cells += prompts
    else:
        selected.left_out["system"] += len(prompts)
    for cell in cells:
        code = cell["cell_type"] == "code"
        note = cell["cell_type"] == "markdown"
        if note and msgbook_metadata(cell).get("role") == "system" and not selection.system:
            selected.left_out["system"] += 1
        elif code and not selection.controls and _is_control(cell["source"], dialect):
            selected.left_out["controls"] += 1
        elif code and not selection.excluded and _is_left_out(cell, dialect):
            selected.left_out["excluded"] += 1
        else:
            selected.cells.append(_shown(cell, selection, selected.left_out) if code else cell)
    return selected


def _is_control(source: str, dialect: Dialect) -> bool:
    return is_code(source, dialect) and not CONTROLS.isdisjoint(source.split(maxsplit=1)[:1])


def _is_left_out(cell: Json, dialect: Dialect) -> bool:
    """Return whether its author excluded a cell. One that waits to be mended is shown, with the reason."""
    history = _history(cell, dialect)
    return is_excluded(history) and is_history(history)


def _history(cell: Json, dialect: Dialect) -> Any:
    value = msgbook_metadata(cell).get("history", "include")
    source = cell["source"]
    msg = None if is_code(source, dialect) else parse_msg_line(source)
    return value if msg is None else msg.attributes.get("history", value)


def _agents_prompts(metadata: dict[str, Any]) -> list[Json]:
    """Return a note for each agent of the frontmatter that has a system prompt."""
    frontmatter = joined_text(msgbook_metadata({"metadata": metadata}).get("frontmatter"))
    notes = []
    for name, table in agent_tables(frontmatter).tables.items() if frontmatter else ():
        text = as_text(as_dict(table).get("system_prompt"))
        if text.strip():
            ours = {"role": "system", "title": f"system prompt of {name}"}
            notes.append({"cell_type": "markdown", "source": text, "metadata": {"msgbook": ours}})
    return notes


def _shown(cell: Json, selection: Selection, left_out: Counter[str]) -> Json:
    shown = {**cell, "outputs": [_output(o, selection, left_out) for o in cell["outputs"]]}
    ours = msgbook_metadata(cell)
    if not selection.reasoning and (ours.get("before") or ours.get("after")):
        left_out["reasoning"] += 1
        kept = {key: value for key, value in ours.items() if key not in ("before", "after")}
        shown["metadata"] = {**cell["metadata"], "msgbook": kept}
    return shown


def _output(output: Json, selection: Selection, left_out: Counter[str]) -> Json:
    turn = turn_of(output)
    if turn is None or (selection.reasoning and selection.tools):
        return output
    kinds = Counter(map(kind_of, turn["blocks"]))
    if not selection.reasoning:
        left_out["reasoning"] += bool(kinds[REASONINGS])
    if not selection.tools:
        left_out["tools"] += kinds[TOOL_CALLS]
    on = {"reasoning": selection.reasoning, "tools": selection.tools}
    blocks = [block for block in turn["blocks"] if on.get(_switch(block), True)]
    return {**output, "data": {**output["data"], TURN_MIME: {**turn, "blocks": blocks}}}


def _switch(block: Block) -> str:
    """Return the switch of a block; an image of the model, which is not a call's display, has none."""
    is_of_model = block in DISPLAYS and "id" not in block
    return "" if is_of_model else kind_of(block).switch
