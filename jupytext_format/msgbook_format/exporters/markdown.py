"""A conversation as Markdown to read, paste and publish; safe in any renderer.

It is written without a template. Each part stands between blank lines and is safe there, whatever a
text holds (`msgbook_format.turn.markdown.safe`).
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

from nbconvert.exporters.exporter import Exporter
from nbconvert.filters.ansi import strip_ansi
from traitlets import default

from msgbook_format.exporters.contents import PROMPT, contents_of
from msgbook_format.exporters.conversation import MsgExporter
from msgbook_format.exporters.harmless_notebook import PROSE, WHO
from msgbook_format.exporters.harmless_outputs import ANSWER
from msgbook_format.turn import code_block, escape_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode

_TAG = re.compile(r"<[^<>]*+>")


class MsgMarkdownExporter(MsgExporter, Exporter):
    """Exporter of a conversation, `.msg.md` or `.ipynb`, to Markdown that is safe to pass on."""

    export_from_notebook = "Chat (Markdown)"
    output_mimetype = "text/markdown"

    @default("file_extension")
    def _default_file_extension(self) -> str:
        return ".md"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook, which is not modified."""
        harmless, result = super().from_notebook_node(nb, resources, **kw)
        parts = filter(None, _parts(harmless, result))
        return "\n\n".join(parts) + "\n", result


def _parts(harmless: NotebookNode, resources: dict[str, Any]) -> Iterator[str]:
    if title := resources.get("msgbook_title"):
        yield f"# {escape_line(title)}"
    yield resources.get("msgbook_days", "")
    yield "\n".join(
        f"{entry.number}. [{escape_line(entry.words)}](#message-{entry.number})"
        for entry in contents_of(harmless)
    )
    for cell in harmless.cells:
        yield from _cell(cell)
    notice = resources.get("msgbook_notice")
    yield f"*{escape_line(notice)}*" if notice else ""


def _cell(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        who = cell.metadata.get(WHO)
        yield f"**{escape_line(who)}**" if who else ""
        yield cell.source
        return
    if prompt := cell.metadata.get(PROMPT):
        number = prompt["number"]
        yield f'<a id="message-{number}"></a>\n\n## {number}. {escape_line(prompt["who"])}'
        yield prompt["markdown"]
    elif not cell.metadata.get("transient"):
        prose = cell.metadata.get(PROSE, {})
        yield prose.get("before", "")
        yield code_block(cell.source, "python" if cell.source.startswith("%%python") else "")
        yield prose.get("after", "")
    for output in cell.outputs:
        yield from _output(output)


def _output(output: NotebookNode) -> Iterator[str]:
    match output.output_type:
        case "stream":
            yield code_block(strip_ansi(output.text))
        case "error":
            yield code_block(strip_ansi("\n".join(output.traceback)))
        case _:
            if answer := output.metadata.get(ANSWER):
                yield f"**{escape_line(answer)}**"
            yield _shown(output.data)


def _shown(data: dict[str, str]) -> str:
    """Return the first form of an output that Markdown can show in every renderer."""
    if "text/markdown" in data:
        return data["text/markdown"]
    if "text/plain" in data:
        return code_block(strip_ansi(data["text/plain"]))
    if "text/html" in data:
        return code_block(unescape(_TAG.sub(" ", data["text/html"])))
    return "(an SVG picture is not shown here)"
