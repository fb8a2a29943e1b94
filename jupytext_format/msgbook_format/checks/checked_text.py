"""A message file as cells and outputs that know their lines. Everything rules look at is here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import yaml

from msgbook_format.agents.definitions import DEFAULT_AGENT, FrontmatterAgents, frontmatter_agents
from msgbook_format.cells.attachments import read_attachments
from msgbook_format.cells.ids import is_cell_id
from msgbook_format.checks.lookalikes import Lines, scan_lines
from msgbook_format.document.notebook_metadata import read_metadata
from msgbook_format.outputs.code_outputs import is_output
from msgbook_format.syntax.attributes import Pairs
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.split import BOM, Layout, split_text
from msgbook_format.syntax.text_cell import Group, Segment, Unit, parse_unit, split_outputs
from msgbook_format.syntax.yaml_nodes import compose
from msgbook_format.turn.output_cells.blocks import NO_AGENT

Role = Literal[
    "preamble", "prompt", "code", "note", "raw", "whole", "block", "output", "attachment"
]


YAML_LINE = 1
"""Lines above the YAML of a frontmatter: the opening `---`."""


@dataclass
class Mark:
    """A marker with its footnote and body, or the text before the first marker."""

    line: int
    """Line of the marker, from 1."""
    text: str
    unit: Unit
    role: Role

    @cached_property
    def lines(self) -> Lines:
        """Lines that look like structure."""
        return scan_lines(self.text, self.line, marked=self.role != "preamble")

    @property
    def pairs(self) -> Pairs:
        """The attributes of the footnote."""
        return self.unit.attrs

    @property
    def footnote(self) -> int:
        """Line of the footnote; of the marker if it has none."""
        notes = self.lines.notes
        own = bool(notes) and notes[0].first and notes[0].label == self.unit.label
        return notes[0].number if own else self.line

    @property
    def body_line(self) -> int:
        """Line of the first line of the body that is not blank."""
        rest = self.text.split("\n")[self.footnote - self.line + 1 :]
        blanks = next((n for n, text in enumerate(rest) if text.strip()), 0)
        return self.footnote + 1 + blanks

    @property
    def written(self) -> bool:
        """Whether its text is somebody's prose, not data that a program put there."""
        if self.role == "block":
            return self.agent is not None or self.unit.kind in (None, "markdown")
        return self.role in ("preamble", "prompt", "code", "note", "raw")

    @property
    def agent(self) -> str | None:
        """The agent that a block of a turn names."""
        kind = self.unit.kind if self.role == "block" else None
        return None if kind is None or kind in NO_AGENT else kind

    def value(self, key: str) -> str | None:
        """The first text value of an attribute."""
        for name, value in self.unit.attrs:
            if name == key and isinstance(value, str):
                return value
        return None


@dataclass(slots=True)
class Cell:
    """A head and what stands below it."""

    head: Mark
    below: list[Mark] = field(default_factory=list)

    @property
    def id(self) -> str | None:
        """The id that its text names."""
        given = self.head.value("id")
        label = self.head.unit.label
        return given if is_cell_id(given) else label if is_cell_id(label) else None


@dataclass
class View:
    """One text, taken apart."""

    text: str
    layout: Layout
    user: str
    """The user's lines of the frontmatter."""
    ours: dict[str, object] | None
    """The mapping under `jupyter:`; None without a readable one."""
    heading: str | None
    """Text of the message section's heading, where the frontmatter names one."""
    document_line: int = 1
    """First line of what stands above the message section."""
    cells: list[Cell] = field(default_factory=list)
    """The preamble, if there is one, is the first."""
    elsewhere: Collection[str] | None = None
    """Agents that are defined elsewhere; None where nobody has looked."""

    @cached_property
    def marks(self) -> list[Mark]:
        """All heads and outputs in file order."""
        return [mark for cell in self.cells for mark in (cell.head, *cell.below)]

    @cached_property
    def agents(self) -> FrontmatterAgents:
        """What the frontmatter says about agents."""
        return frontmatter_agents(self.user)

    @cached_property
    def root(self) -> yaml.Node | None:
        """The root of the frontmatter; None without one.

        Raises:
            YamlError: It is no YAML.
        """
        core = self.layout.frontmatter.core if self.layout.frontmatter else ""
        return compose(core[core.index("\n") + 1 : core.rindex("---")]) if core else None

    @property
    def may_judge_agents(self) -> bool:
        """Whether what is not in `known_agents` is surely unknown.

        A file without agents of its own has them elsewhere.
        """
        return bool(self.agents.names) or self.elsewhere is not None

    @cached_property
    def known_agents(self) -> frozenset[str]:
        """Names of agents, those of `%agent new` cells aside."""
        return frozenset({*self.agents.names, *(self.elsewhere or ()), DEFAULT_AGENT})


def shown_node(node: yaml.Node) -> str:
    """What stands in a frontmatter where something else was expected."""
    if isinstance(node, yaml.ScalarNode):
        return f"`{' '.join(node.value[:80].split())[:40]}`"
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def view_of(text: str, elsewhere: Collection[str] | None = None) -> View:
    """The view of any text.

    Args:
        elsewhere: As in `View`.
    """
    layout = split_text(text)
    frontmatter = layout.frontmatter
    user, ours = parse_frontmatter(frontmatter.core) if frontmatter else ("", None)
    heading = section_name(user) if user else None
    given = None if ours is None else ours["metadata"]
    view = View(text.removeprefix(BOM), layout, user, given, heading, elsewhere=elsewhere)
    metadata, _ = read_metadata(user if frontmatter else None, ours)
    ctx = Context.of(metadata, heading)
    line = 1 + layout.lead.count("\n") + _height(frontmatter)
    view.document_line = line
    line += _height(layout.document)
    if layout.preamble is not None:
        unit = Unit(body=layout.preamble.core)
        view.cells.append(Cell(Mark(line, layout.preamble.core, unit, "preamble")))
        line += _height(layout.preamble)
    for group in layout.groups:
        view.cells.append(_read_group(group, line, ctx))
        line += _height(group.head) + _height(group.outputs)
    return view


def _height(segment: Segment | None) -> int:
    return segment.core.count("\n") + segment.gap.count("\n") if segment else 0


def _read_group(group: Group, line: int, ctx: Context) -> Cell:
    unit = parse_unit(group.head.core, ctx.escaper)
    head = Mark(line, group.head.core, unit, _role(unit))
    if group.outputs is None:
        return Cell(head)
    parts = split_outputs(group.outputs.core)
    units = [parse_unit(part, ctx.escaper) for part in parts]
    attached = head.role in ("note", "raw") and bool(read_attachments(units))
    if head.role in ("note", "raw", "whole") and not attached:
        # The units are content of the cell.
        head.text += group.head.gap + group.outputs.core
        return Cell(head)
    cell = Cell(head)
    line += _height(group.head)
    for part, below in zip(parts, units, strict=True):
        role: Role = "block"
        if attached:
            role = "attachment"
        elif head.role == "code" or is_output(below):
            role = "output"
        cell.below.append(Mark(line, part, below, role))
        line += part.count("\n")
    return cell


def _role(unit: Unit) -> Role:
    given = next((v for k, v in unit.attrs if k == "cell" and isinstance(v, str)), None)
    if given == "markdown":
        return "note"
    if given == "raw" or unit.kind == "raw":
        return "raw"
    if unit.kind == "nb":
        return "whole"
    return "code" if unit.kind == "code" else "prompt"
