"""Histories of a message file: a base, and two sides that edit it, drawn from a `Random`.

Each edit writes words that occur nowhere else, so that a test can look for them in the merge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

_ALPHABET = "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True)
class Cell:
    """A cell of a history."""

    name: int
    """Says which cell it is, whatever happens to it."""
    label: str | None
    kind: str
    title: str
    attributes: tuple[str, ...]
    lines: tuple[str, ...]
    answer: tuple[str, ...]
    gap: int = 1

    @property
    def text(self) -> str:
        """The cell in a file, without the blank lines after it."""
        label = f"[^{self.label}]" if self.label else ""
        parts = [f"# %% {self.title}{label}".rstrip()]
        if self.label:
            parts.append(" ".join([f"[^{self.label}]: [{self.kind}]", *self.attributes]))
        if self.lines:
            lines = "\n".join(self.lines)
            parts.append(f"```python\n{lines}\n```" if self.kind == "code" else lines)
        for index, line in enumerate(self.answer):
            name = f"{self.label or 'x'}.{index + 1}"
            parts.append(f"# %%% [^{name}]")
            stream = "stdout> " if self.kind == "code" else ""
            kind = "python" if self.kind == "code" else "assistant"
            parts.append(f"[^{name}]: [{kind}]{' n=1' if index == 0 else ''}\n\n{stream}{line}")
        return "\n\n".join(parts)


@dataclass
class Side:
    """One version of the file."""

    cells: list[Cell]
    keys: dict[str, str]
    """Keys of the frontmatter; empty without one."""
    words: set[str] = field(default_factory=set)
    """Words that this side wrote and did not delete again."""

    @property
    def text(self) -> str:
        head = "".join(f"{key}: {value}\n" for key, value in self.keys.items())
        text = f"---\n{head}---\n\n" if self.keys else ""
        for cell in self.cells:
            text += cell.text + "\n" * (1 + cell.gap)
        return text.rstrip("\n") + "\n" if text else ""

    def by_name(self) -> dict[int, Cell]:
        return {cell.name: cell for cell in self.cells}


@dataclass
class History:
    """A base and what two people made of it."""

    base: Side
    ours: Side
    theirs: Side

    @property
    def texts(self) -> tuple[str, str, str]:
        return self.base.text, self.ours.text, self.theirs.text

    def disputed(self) -> set[int]:
        """The cells that both sides changed differently, or one changed and one deleted."""
        base, ours, theirs = (side.by_name() for side in (self.base, self.ours, self.theirs))
        texts = [{n: c.text for n, c in side.items()} for side in (base, ours, theirs)]
        return {
            name
            for name, old in texts[0].items()
            if len({old, texts[1].get(name), texts[2].get(name)}) == 3
        }

    def disputed_keys(self) -> set[str]:
        sides = [self.base.keys, self.ours.keys, self.theirs.keys]
        return {
            key for side in sides for key in side if len({keys.get(key) for keys in sides}) == 3
            or (key not in sides[0] and sides[1].get(key, 0) != sides[2].get(key, 1)
                and key in sides[1] and key in sides[2])
        }  # fmt: skip


class Author:
    """Writes words, cells and edits."""

    def __init__(self, random: Random, mark: str) -> None:
        self.random = random
        self.mark = mark
        self.count = 0

    def word(self) -> str:
        """A word that nobody wrote before."""
        self.count += 1
        letters = "".join(self.random.choice(_ALPHABET) for _ in range(self.random.randint(2, 9)))
        return f"{self.mark}{self.count}{letters}"

    def line(self) -> str:
        return " ".join(self.word() for _ in range(self.random.randint(1, 4)))

    def cell(self, name: int) -> Cell:
        random = self.random
        kind = random.choice(["markdown", "markdown", "code", "raw"])
        has_label = kind != "markdown" or random.random() < 0.7
        return Cell(
            name=name,
            label=f"{self.mark}-{name}" if has_label else None,
            kind=kind,
            title=self.word() if random.random() < 0.2 else "",
            attributes=(f'agent="{self.word()}"',) if has_label and random.random() < 0.2 else (),
            lines=tuple(self.line() for _ in range(random.randint(1, 4))),
            answer=() if kind == "raw" else tuple(self.line() for _ in range(random.randint(0, 2))),
            gap=random.choice([1, 1, 1, 2]),
        )

    def edit(self, side: Side) -> None:
        edits: list[Callable[[Side], None]] = [
            self._insert,
            self._edit_line,
            self._add_line,
            self._rerun,
            self._mark,
            self._delete,
            self._move,
            self._key,
        ]
        self.random.choice(edits)(side)

    def _insert(self, side: Side) -> None:
        at = self.random.randint(0, len(side.cells))
        side.cells.insert(at, self.cell(1000 * (1 + ord(self.mark)) + self.count))

    def _delete(self, side: Side) -> None:
        if side.cells:
            del side.cells[self._at(side)]

    def _move(self, side: Side) -> None:
        if side.cells:
            cell = side.cells.pop(self._at(side))
            side.cells.insert(self.random.randint(0, len(side.cells)), cell)

    def _edit_line(self, side: Side) -> None:
        def change(cell: Cell) -> Cell:
            lines = list(cell.lines)
            lines[self.random.randint(0, len(lines) - 1)] = self.line()
            return replace(cell, lines=tuple(lines))

        self._change(side, change)

    def _add_line(self, side: Side) -> None:
        def change(cell: Cell) -> Cell:
            at = self.random.randint(0, len(cell.lines))
            return replace(cell, lines=(*cell.lines[:at], self.line(), *cell.lines[at:]))

        self._change(side, change)

    def _rerun(self, side: Side) -> None:
        def change(cell: Cell) -> Cell:
            if cell.kind == "raw":
                return cell
            return replace(
                cell, answer=tuple(self.line() for _ in range(self.random.randint(1, 3)))
            )

        self._change(side, change)

    def _mark(self, side: Side) -> None:
        def change(cell: Cell) -> Cell:
            return replace(cell, attributes=(f'agent="{self.word()}"',)) if cell.label else cell

        self._change(side, change)

    def _key(self, side: Side) -> None:
        key = self.random.choice(["title", "author", "date", f"key_{self.mark}{self.count}"])
        if key in side.keys and self.random.random() < 0.3:
            del side.keys[key]
        else:
            side.keys[key] = self.word()

    def _change(self, side: Side, change: Callable[[Cell], Cell]) -> None:
        if side.cells:
            at = self._at(side)
            side.cells[at] = change(side.cells[at])

    def _at(self, side: Side) -> int:
        return self.random.randint(0, len(side.cells) - 1)


def history(random: Random) -> History:
    """A base of up to eight cells, and up to five edits of each side."""
    first = Author(random, "b")
    keys = {"title": first.word()} if random.random() < 0.5 else {}
    cells = [first.cell(name) for name in range(random.randint(0, 8))]
    base = Side(cells, keys)
    sides = []
    for mark in "ot":
        side = Side(list(cells), dict(keys))
        author = Author(random, mark)
        for _ in range(random.randint(0, 5)):
            author.edit(side)
        side.words = {word for word in words_of(side.text) if word[0] == mark}
        sides.append(side)
    return History(base, *sides)


def words_of(text: str) -> Counter[str]:
    """The words of authors in a text."""
    cleaned = "".join(char if char.isalnum() else " " for char in text)
    return Counter(word for word in cleaned.split() if word[0] in "bot" and word[1:2].isdigit())
