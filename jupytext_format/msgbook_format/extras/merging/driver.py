"""Three-way merge of message files, and what git runs for it:
`python -P -m msgbook_format.merging BASE OURS THEIRS SIZE PATH`.

git runs it for a file that both sides changed, and takes what is then in OURS. Exit code: 0 for a
merge without conflicts, 3 for one with conflicts. With any other code, such as Python's own for a
missing package, OURS is as it was, and the command that `msgbook git-setup` gives to git has git
merge the lines.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgbook_format import garbage
from msgbook_format.extras.merging.conflicts import (
    FRONTMATTER_WORDS,
    OTHER_BELOW,
    Labels,
    Names,
    conflict_cell,
    join_chunks,
    rename,
    without_solved_conflicts,
)
from msgbook_format.extras.merging.one_part import merge_cell, merge_frontmatter
from msgbook_format.extras.merging.parts import (
    CellPart,
    Parts,
    lines_of,
    match_cells,
    merge_lines,
    merge_order,
    read_parts,
)
from msgbook_format.files import replace_bytes
from msgbook_format.syntax.split import BOM, Segment, join_segments, split_text

# Three-way merge of message files.


class MergeError(Exception):
    """The texts can be merged only as lines."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The merge of two texts."""

    text: str
    conflicts: int


def merge_texts(base: str, ours: str, theirs: str, labels: Labels | None = None) -> Merged:
    """Return the merge of two versions of a message file, which is a message file again.

    Cells are the same if they have the same id. There is a conflict where both sides changed one
    cell, or one deleted what the other changed; all else is the text as its author wrote it.

    Raises:
        MergeError: The result would not have the cells that it should have.
    """
    if ours == theirs or base == theirs:
        return Merged(ours, 0)
    if base == ours:
        return Merged(theirs, 0)
    with garbage.paused():
        sides = (read_parts(base), read_parts(ours), read_parts(theirs))
        return _Merge(*sides, labels or Labels()).run()


@dataclass(slots=True)
class _Piece:
    """A cell of the result."""

    text: str
    gap: str | None = None
    """None for the usual blank lines."""
    is_last: bool = False
    """True if the gap is that of the end of a text."""


@dataclass(slots=True)
class _Merge:
    base: Parts
    ours: Parts
    theirs: Parts
    labels: Labels
    conflicts: int = 0
    names: Names = field(init=False)
    ancestor: Parts = field(init=False)
    """The base without what is not a version of either side."""

    def run(self) -> Merged:
        self.ancestor = without_solved_conflicts(self.base, self.ours, self.theirs)
        self.names = Names({c.id for p in (self.base, self.ours, self.theirs) for c in p.cells})
        blocks = [p.split.frontmatter for p in self._sides()]
        frontmatter, clashes = merge_frontmatter(
            *(block.core if block else None for block in blocks)
        )
        above = self._above(frontmatter)
        pieces = self._frontmatter_conflicts(clashes) + self._merge_cells()
        segments: list[tuple[str, str | None]] = [(part.core, part.gap) for part in above]
        for index, piece in enumerate(pieces):
            fits = piece.is_last == (index == len(pieces) - 1)
            segments.append((piece.text, piece.gap if fits else None))
        text = join_segments(segments)
        self._require_cells(text, len(pieces))
        return Merged(self._encode(text), self.conflicts)

    def _sides(self) -> tuple[Parts, Parts, Parts]:
        return self.ancestor, self.ours, self.theirs

    def _above(self, frontmatter: str | None) -> list[Segment]:
        """Return what stands above the first cell."""
        gap = next(
            (p.split.frontmatter.gap for p in (self.ours, self.theirs) if p.split.frontmatter), ""
        )
        parts = [] if frontmatter is None else [Segment(frontmatter, gap)]
        documents = [p.split.document.core if p.split.document else "" for p in self._sides()]
        document = self._merge_text(documents)
        if document:
            gap = next(
                (p.split.document.gap for p in (self.ours, self.theirs) if p.split.document), ""
            )
            parts.append(Segment(document, gap))
        top = self._merge_text([p.top for p in self._sides()])
        if top:
            parts.append(Segment(top, self.ours.top_gap or self.theirs.top_gap))
        if not parts and self.ours.split.lead:
            parts.append(Segment("", self.ours.split.lead))
        return parts

    def _merge_text(self, texts: Sequence[str]) -> str:
        base, ours, theirs = texts
        if ours == theirs or base == theirs:
            return ours
        chunks = merge_lines(*map(lines_of, texts))
        self.conflicts += sum(chunk.theirs is not None for chunk in chunks)
        return join_chunks(chunks, self.labels)

    def _frontmatter_conflicts(self, clashes: list[tuple[list[str], list[str]]]) -> list[_Piece]:
        if not clashes:
            return []
        self.conflicts += len(clashes)
        lines = [FRONTMATTER_WORDS]
        for ours, theirs in clashes:
            lines += ["", *self.labels.around(ours, theirs)]
        return [self._conflict_cell("frontmatter", lines, self._level_of_cells())]

    def _level_of_cells(self) -> str:
        cells = self.ours.cells or self.theirs.cells
        return cells[0].head if cells else "# %%"

    def _conflict_cell(self, cell_id: str, lines: Sequence[str], marker: str) -> _Piece:
        name = self.names.new(cell_id, "conflict")
        return _Piece(conflict_cell(marker, name, lines, self.ours.dialect.escaper))

    def _merge_cells(self) -> list[_Piece]:
        base, ours, theirs = self._keyed()
        pieces: dict[str, list[_Piece]] = {}
        for key in {**base, **ours, **theirs}:
            found = self._merge_one(base.get(key), ours.get(key), theirs.get(key))
            if found:
                pieces[key] = found
        order = merge_order(list(base), list(ours), list(theirs), pieces.keys())
        return [piece for key in order for piece in pieces[key]]

    def _merge_one(
        self, base: CellPart | None, ours: CellPart | None, theirs: CellPart | None
    ) -> list[_Piece]:
        """Return the cells that come of one cell: none if it was deleted, three of a conflict."""
        if ours is None or theirs is None:
            cell = ours or theirs
            if cell is None or (base is not None and base.text == cell.text):
                return []
            if base is None:
                return [_as_piece(cell, cell.text)]
            return self._deleted(cell, by_ours=ours is None)
        merged = merge_cell(base, ours, theirs, self.labels)
        if merged is None:
            return self._both(ours, theirs)
        self.conflicts += merged.conflicts
        side = theirs if base is not None and ours.gap == base.gap else ours
        return [_as_piece(side, merged.text)]

    def _deleted(self, cell: CellPart, *, by_ours: bool) -> list[_Piece]:
        self.conflicts += 1
        deleted = ["The cell above was deleted here."]
        changed = ["It was changed here, and stands as it was changed."]
        sides = (
            (deleted, changed)
            if by_ours
            else (
                ["The cell above was changed here, and stands as it was changed."],
                ["It was deleted here."],
            )
        )
        mark = self._conflict_cell(cell.id, self.labels.around(*sides), cell.head)
        return [_as_piece(cell, cell.text), mark]

    def _both(self, ours: CellPart, theirs: CellPart) -> list[_Piece]:
        self.conflicts += 1
        lines = self.labels.around(
            ["The cell above is one version of a cell that both sides changed."],
            [OTHER_BELOW],
        )
        mark = self._conflict_cell(ours.id, lines, ours.head)
        text = theirs.text
        if theirs.is_named:
            text = (
                rename(theirs.head, self.names.new(theirs.id, "theirs")) + text[len(theirs.head) :]
            )
        return [_as_piece(ours, ours.text), mark, _as_piece(theirs, text)]

    def _keyed(self) -> tuple[dict[str, CellPart], dict[str, CellPart], dict[str, CellPart]]:
        """Return the cells of each text by a key that is the same for the same cell."""
        base = {f"={index}": cell for index, cell in enumerate(self.ancestor.cells)}
        sides = []
        for parts in (self.ours, self.theirs):
            found = match_cells(self.base.cells, parts.cells)
            keyed: dict[str, CellPart] = {}
            above = ""
            for index, cell in enumerate(parts.cells):
                if index in found:
                    key = above = f"={found[index]}"
                else:
                    # The same words in two places are two messages.
                    key = f"+{cell.id}" if cell.is_named else f"+{cell.id}{above}"
                keyed[key] = cell
            sides.append(keyed)
        return base, sides[0], sides[1]

    def _require_cells(self, text: str, count: int) -> None:
        split = split_text(text)
        if sum(not cell.is_orphan for cell in split.cells) != count:
            raise MergeError(f"expected {count} cells, got {len(split.cells)}")

    def _encode(self, text: str) -> str:
        base, ours, theirs = (p.split for p in self._sides())
        crlf = theirs.crlf if ours.crlf == base.crlf else ours.crlf
        bom = theirs.bom if ours.bom == base.bom else ours.bom
        return (BOM if bom else "") + (
            text.replace("\n", "\r\n") if crlf and "\r" not in text else text
        )


def _as_piece(cell: CellPart, text: str) -> _Piece:
    return _Piece(text, cell.gap, cell.is_last)


_CONFLICTS = 3
"""Exit code: the file holds conflicts, and git is to say so."""
_NOT_MERGED = 2
"""Exit code: nothing was written, and git is to merge the lines."""
_SIDES = ("the common ancestor", "our version", "their version")


class _UnreadableError(Exception):
    """A version of the file is not a text."""


def main(argv: Sequence[str]) -> int:
    """Merge the files that git names, and write the result over the second one."""
    if len(argv) != len(("base", "ours", "theirs", "size", "path")) or not argv[3].isdigit():
        _say("expected BASE OURS THEIRS SIZE PATH, as `msgbook git-setup` has told git")
        return _NOT_MERGED
    files, size, name = [Path(file) for file in argv[:3]], int(argv[3]), argv[4]
    try:
        base, ours, theirs = map(_read, files, _SIDES)
        merged = merge_texts(base, ours, theirs, Labels(size=size))
        replace_bytes(files[1], merged.text.encode("utf-8"))
    except (_UnreadableError, MergeError, OSError) as error:
        return _refuse(name, str(error))
    except Exception as error:
        return _refuse(name, type(error).__name__)
    if merged.conflicts:
        count = "1 conflict" if merged.conflicts == 1 else f"{merged.conflicts} conflicts"
        _say(f"{name}: {count}; `msgbook check` lists the marks")
        return _CONFLICTS
    return 0


def _read(file: Path, side: str) -> str:
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"its byte {error.start + 1} is 0x{error.object[error.start]:02x}"
        raise _UnreadableError(f"expected UTF-8, and {side} is not: {byte}") from None


def _refuse(name: str, reason: str) -> int:
    _say(f"{name}: {reason}. git merges its lines instead. Look at it before you commit.")
    return _NOT_MERGED


def _say(text: str) -> None:
    shown = "".join(char if char.isprintable() else "?" for char in text)
    encoding = sys.stderr.encoding or "utf-8"
    shown = shown.encode(encoding, "backslashreplace").decode(encoding)
    sys.stderr.write(f"msgbook: {shown}\n")
