"""The verbatim texts of a notebook's cells, read with each footnote below its marker."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from msgbook_format.spelling.heads import verbatim_bits
from msgbook_format.spelling.respell import HeadText
from msgbook_format.syntax.definitions import HEADING, Definition
from msgbook_format.syntax.footnotes import Footnotes, has_open_labels
from msgbook_format.syntax.text_cell import parse_label

_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*+\n)*+(#{1,5} %%)?")

WrittenCell = tuple[str | None, str | None]
"""Head and output cells of a cell; None for what is not written."""


class OwnTexts:
    """The verbatim texts of all cells, in which footnotes may be anywhere."""

    def __init__(self, cells: list[dict[str, Any]], document: str, *, verbatim: bool) -> None:
        """Find the footnotes that are not below their markers.

        Args:
            document: Text above the messages.
            verbatim: Whether the texts are used at all.
        """
        self._cells = cells
        self._document = document
        self._bits = [verbatim_bits(cell) if verbatim else {} for cell in cells]
        self._found: Footnotes | None = None
        self._placed: list[str] = []
        if not any(self._bits):
            return
        units = [bits.get(key, "") for bits in self._bits for key in ("cell", "outputs")]
        if any(map(has_open_labels, units)):
            found = Footnotes(units, document)
            if any(opening.footnote for here in found.openings for opening in here):
                self._found = found
                self._placed = [found.place(index) for index in range(len(units))]

    def written_head(self, index: int) -> str:
        """Return the text of a head as it was read; empty without one."""
        return self._bits[index].get("cell", "")

    def head(self, index: int) -> str | None:
        """Return the text of a head, with its footnote below the marker; None without one."""
        return self._text(index, "cell", 0)

    def outputs(self, index: int) -> str | None:
        """Return the text of output cells, with their footnotes below them; None without one."""
        return self._text(index, "outputs", 1)

    def _text(self, index: int, key: str, offset: int) -> str | None:
        text = self._bits[index].get(key)
        return text if text is None or not self._placed else self._placed[2 * index + offset]

    def restore(self, written: list[WrittenCell]) -> list[WrittenCell]:
        """Return cells to be written with their footnotes where they were.

        A footnote stays there if its cell still has it and its place is still written. Otherwise it
        is below its marker.
        """
        if self._found is None:
            return written
        texts = [text for cell in written for text in cell]
        keep = self._kept(self._found, texts)
        restored = [
            self._restored(self._found, index, text, keep) for index, text in enumerate(texts)
        ]
        again = Footnotes([text or "" for text in restored], self._document)
        for index, text in enumerate(texts):
            # Blank lines above a footnote that is cut are now above the next marker.
            if _even(again.place(index)) != _even(text or ""):
                return written
        return list(zip(restored[::2], restored[1::2], strict=True))

    def _kept(self, found: Footnotes, texts: list[str | None]) -> set[Definition]:
        """Return the definitions that stay: some cell still has them, and their place is written."""
        return {
            opening.footnote
            for index, here in enumerate(found.openings)
            for opening in here
            if opening.footnote is not None
            and (opening.footnote.unit < 0 or texts[opening.footnote.unit] is not None)
            and self._has(index, texts[index], opening.line)
        }

    def _has(self, index: int, text: str | None, footnote: str) -> bool:
        """Return whether a text that will be written still has a footnote of the one before."""
        if text is None:
            return False
        if index % 2:
            return self._continues(index, text)
        return HeadText.from_text(text, parse_label(text)).footnote == footnote

    def _continues(self, index: int, text: str) -> bool:
        placed = self._placed[index]
        return placed != "" and (text == placed or text.startswith(f"{placed}\n\n"))

    def _restored(
        self, found: Footnotes, index: int, text: str | None, keep: Collection[Definition]
    ) -> str | None:
        if text is None:
            return None
        placed = self._placed[index]
        if text == placed or (index % 2 and self._continues(index, text)):
            return found.place(index, keep=keep) + text[len(placed) :]
        if any(
            opening.footnote in keep and self._has(index, text, opening.line)
            for opening in found.openings[index]
        ):
            text = HeadText.from_text(text, parse_label(text)).without_footnote().join()
        kept = [definition for definition in found.held[index] if definition in keep]
        headings = [None, *(definition.heading for definition in kept)]
        lines = []
        for definition, heading in zip(kept, headings, strict=False):
            is_first = definition.heading not in (None, heading)
            lines += [HEADING, definition.line] if is_first else [definition.line]
        return "\n\n".join([text, "\n".join(lines)]) if lines else text


def _even(text: str) -> str:
    """Return a text with one blank line above each marker."""
    return _BLANK_LINES.sub(lambda match: f"\n\n{match[1]}" if match[1] else match[0], text)
