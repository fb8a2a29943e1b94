"""A text, parsed for its checks: cells and output cells with their roles and lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Literal

import yaml

from msgbook_format.agents.definitions import DEFAULT_AGENT, FrontmatterAgents, frontmatter_agents
from msgbook_format.cells.cell import is_cell_id, parse_output_cells, read_attachments
from msgbook_format.cells.head import read_json_cell
from msgbook_format.document.notebook_metadata import read_metadata
from msgbook_format.extras.checks.lookalikes import FootnoteLine, Lookalikes, find_lookalikes
from msgbook_format.outputs.code_outputs import is_output
from msgbook_format.syntax.cell_rule import CHAT_CELLS, CellRule
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.footnotes import Definition, Footnotes, Opening, place_footnotes
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.split import (
    BOM,
    Segment,
    SplitCell,
    SplitText,
    split_output_cells,
    split_text,
)
from msgbook_format.syntax.text_cell import TextCell, parse_text_cell
from msgbook_format.syntax.unread_footnotes import (
    find_stray_footnotes,
    find_unread_line,
    find_wrapped_footnotes,
)
from msgbook_format.syntax.yaml_nodes import compose
from msgbook_format.turn.output_cells.blocks import NO_AGENT

Role = Literal[
    "preamble", "prompt", "code", "note", "raw", "json", "orphan", "block", "output", "attachment"
]


YAML_LINE = 1
"""Lines above the YAML of a frontmatter: the opening `---`."""


@dataclass
class LocatedCell:
    """A text cell with its line and role, or the text before the first marker."""

    line: int
    """Line of the marker, from 1."""
    text: str
    cell: TextCell
    role: Role
    elsewhere: FootnoteLine | None = None
    """Its footnote, if that is not below its marker."""
    unread: str | None = None
    """Line that may be its footnote and cannot be read as one."""

    @cached_property
    def lookalikes(self) -> Lookalikes:
        """Lines of its text that look like structure."""
        return find_lookalikes(self.text, self.line, has_marker=self.role != "preamble")

    @property
    def footnote_line(self) -> int:
        """Line of the footnote; line of the marker if there is no footnote."""
        return self.footnote.number if self.footnote else self.line

    @property
    def footnote(self) -> FootnoteLine | None:
        """The footnote as a line; None without one."""
        footnotes = self.lookalikes.footnotes
        own = bool(footnotes) and footnotes[0].is_first and footnotes[0].label == self.cell.label
        return self.elsewhere or (footnotes[0] if own else None)

    @property
    def body_line(self) -> int:
        """Line of the first line of the body that is not blank."""
        head = self.line if self.elsewhere else self.footnote_line
        rest = self.text.split("\n")[head - self.line + 1 :]
        blanks = next((n for n, text in enumerate(rest) if text.strip()), 0)
        return head + 1 + blanks

    @property
    def is_prose(self) -> bool:
        """True if a person or an agent wrote its text; false for data that a program put there."""
        if self.role == "block":
            return self.agent is not None or self.cell.type in (None, "markdown")
        return self.role in ("preamble", "prompt", "code", "note", "raw", "orphan")

    @property
    def agent(self) -> str | None:
        """Agent that a block of a turn names."""
        type_ = self.cell.type if self.role == "block" else None
        return None if type_ is None or type_ in NO_AGENT else type_

    def value(self, key: str) -> str | None:
        """Return the first text value of an attribute."""
        for name, value in self.cell.attributes:
            if name == key and isinstance(value, str):
                return value
        return None


@dataclass(slots=True)
class CheckedCell:
    """The head of a cell and the output cells below it."""

    head: LocatedCell
    below: list[LocatedCell] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        """Id that its text names."""
        given = self.head.value("id")
        label = self.head.cell.label
        return given if is_cell_id(given) else label if is_cell_id(label) else None


@dataclass
class CheckedText:
    """A text in its parts, with all that the rules look at."""

    text: str
    """Without a byte order mark."""
    split: SplitText
    placed: SplitText
    """The parts, with each footnote below its marker."""
    held: dict[int, str]
    """Lines that are not at the head of a cell and hold one up, by its index."""
    user: str
    """The user's lines of the frontmatter."""
    ours: dict[str, object] | None
    """Mapping under `jupyter:`; None without a readable one."""
    heading: str | None
    """Text of the message section's heading, if the frontmatter names one."""
    document_line: int = 1
    """First line of the text above the message section."""
    cells: list[CheckedCell] = field(default_factory=list)
    """The first one is the preamble, if there is one."""
    footnote_lines: dict[int, FootnoteLine] = field(default_factory=dict)
    """Footnotes that are not below their markers, by the lines of these."""
    rule: CellRule = CHAT_CELLS
    """Tells the messages among the code cells."""
    other_agents: Collection[str] | None = None
    """Agents that the project and the user's settings define; None if they are unknown."""

    @cached_property
    def text_cells(self) -> list[LocatedCell]:
        """All heads and output cells, in file order."""
        return [located for cell in self.cells for located in (cell.head, *cell.below)]

    @cached_property
    def agents(self) -> FrontmatterAgents:
        """Agents that the frontmatter names."""
        return frontmatter_agents(self.user)

    @cached_property
    def root(self) -> yaml.Node | None:
        """Root of the frontmatter's YAML; None without a frontmatter.

        Raises:
            YamlError: The frontmatter is not YAML.
        """
        core = self.split.frontmatter.core if self.split.frontmatter else ""
        return compose(core[core.index("\n") + 1 : core.rindex("---")]) if core else None

    @property
    def can_judge_agents(self) -> bool:
        """True if an agent that is not in `known_agents` is unknown for sure.

        A file that defines no agents uses those that are defined elsewhere.
        """
        return bool(self.agents.names) or self.other_agents is not None

    @cached_property
    def known_agents(self) -> frozenset[str]:
        """Names of all agents but those that `%agent new` cells define."""
        return frozenset({*self.agents.names, *(self.other_agents or ()), DEFAULT_AGENT})


def describe_node(node: yaml.Node) -> str:
    """Return a few words for a YAML node that was found instead of an expected one."""
    if isinstance(node, yaml.ScalarNode):
        return f"`{' '.join(node.value[:80].split())[:40]}`"
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def parse_for_checks(text: str, other_agents: Collection[str] | None = None) -> CheckedText:
    """Return any text in its parts; `other_agents` is that of `CheckedText`."""
    split = split_text(text)
    frontmatter = split.frontmatter
    user, ours = parse_frontmatter(frontmatter.core) if frontmatter else ("", None)
    heading = section_name(user) if user else None
    mapping = None if ours is None else ours["metadata"]
    placed, footnotes = place_footnotes(text, split)
    held = find_stray_footnotes(placed)
    held |= find_wrapped_footnotes(footnotes) if footnotes else {}
    checked = CheckedText(text.removeprefix(BOM), split, placed, held, user, mapping, heading)
    checked.other_agents = other_agents
    metadata, _ = read_metadata(user if frontmatter else None, ours)
    dialect = Dialect.from_metadata(metadata, heading)
    checked.rule = dialect.rule
    line = 1 + split.lead.count("\n") + count_lines(frontmatter)
    checked.document_line = line
    line += count_lines(split.document)
    if footnotes is not None:
        checked.footnote_lines = find_footnote_lines(split, footnotes, checked.document_line)
    if split.preamble is not None:
        preamble = TextCell(body=split.preamble.core)
        head = LocatedCell(line, split.preamble.core, preamble, "preamble")
        checked.cells.append(CheckedCell(head))
        line += count_lines(split.preamble)
    for cell, own in zip(split.cells, placed.cells, strict=True):
        checked.cells += _locate(cell, own, line, dialect)
        line += count_lines(cell.head) + count_lines(cell.outputs)
    for located in checked.text_cells if footnotes else ():
        located.elsewhere = checked.footnote_lines.get(located.line)
    return checked


def _locate(split: SplitCell, placed: SplitCell, line: int, dialect: Dialect) -> list[CheckedCell]:
    """Return a cell, and the orphans below it; `placed` has each footnote below its marker."""
    parsed = parse_text_cell(placed.head.core, dialect.escaper)
    role: Role = "orphan" if split.is_orphan else _role_of_head(parsed)
    unread = find_unread_line(parsed, placed.head.core)
    cell = CheckedCell(LocatedCell(line, split.head.core, parsed, role, unread=unread))
    if split.outputs is None or placed.outputs is None:
        return [cell]
    parts = split_output_cells(split.outputs.core)
    output_cells = parse_output_cells(placed.outputs.core, dialect)
    is_attached = role in ("note", "raw") and bool(read_attachments(output_cells))
    has_outputs = is_attached or role in ("prompt", "code")
    has_outputs |= role == "json" and read_json_cell(parsed) is None
    head_role = role
    cells = [cell]
    line += count_lines(split.head)
    own = split_output_cells(placed.outputs.core)
    for part, placed_part, output_cell in zip(parts, own, output_cells, strict=True):
        role = "block"
        if not has_outputs:
            role = "orphan"
        elif is_attached:
            role = "attachment"
        elif head_role == "code" or is_output(output_cell):
            role = "output"
        unread = find_unread_line(output_cell, placed_part)
        located = LocatedCell(line, part, output_cell, role, unread=unread)
        if has_outputs:
            cell.below.append(located)
        else:
            cells.append(CheckedCell(located))
        line += part.count("\n")
    return cells


def _role_of_head(head: TextCell) -> Role:
    given = next((v for k, v in head.attributes if k == "cell" and isinstance(v, str)), None)
    if given == "markdown":
        return "note"
    if given == "raw" or head.type == "raw":
        return "raw"
    if head.type == "nb":
        return "json"
    return "code" if head.type == "code" else "prompt"


# Lines of the footnotes that are not below their markers.


def find_footnote_lines(
    split: SplitText, footnotes: Footnotes, line: int
) -> dict[int, FootnoteLine]:
    """Return the footnotes that are not below their markers, by the lines of these.

    Args:
        line: First line of the text above the message section.
    """
    segments = [split.document, split.preamble]
    for cell in split.cells:
        segments += [cell.head, cell.outputs]
    found: dict[int, Definition] = {}
    numbers: dict[Definition, int] = {}
    for unit, segment in enumerate(segments, -1):
        text = segment.core if segment else ""
        here = footnotes.above if unit < 0 else footnotes.held[unit]
        openings = footnotes.openings[unit] if unit >= 0 else []
        marks: list[tuple[int, Definition | Opening]] = [(d.start, d) for d in here]
        marks += [(opening.position, opening) for opening in openings if opening.footnote]
        counted, number = 0, line
        for position, mark in sorted(marks, key=itemgetter(0)):
            number += text.count("\n", counted, position)
            counted = position
            if isinstance(mark, Definition):
                numbers[mark] = number
            elif mark.footnote is not None:
                found[number] = mark.footnote
        line += count_lines(segment)
    return {
        number: FootnoteLine(numbers[d], d.label, d.rest.strip(), is_first=False)
        for number, d in found.items()
    }


def count_lines(segment: Segment | None) -> int:
    """Return the number of lines of a segment with the blank lines after it."""
    return segment.core.count("\n") + segment.gap.count("\n") if segment else 0
