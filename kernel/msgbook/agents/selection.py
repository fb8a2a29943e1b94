"""Selection of the project rules and skills that a conversation uses. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgbook.agents.agent import Agent, name_values
from msgbook.text import one_line, visible

Kind = Literal["rules", "skills"]

DEFAULTS: Mapping[Kind, tuple[str, ...]] = {"rules": ("*",), "skills": ()}
"""The default: all rules, no skills. Each rule is meant to be followed. Each skill adds its description
to every request, even if it belongs to another program."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The names in use, and what selected them."""

    kind: Kind
    wanted: tuple[str, ...]
    """Names, with the wildcards `*` and `?`."""
    by: str
    """For notices: `agent NAME`, `the notebook` or `by default`."""
    notices: tuple[str, ...] = ()

    def uses(self, name: str) -> bool:
        """Return whether a rule or skill with this name is used."""
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.wanted)

    def unknown(self, names: Sequence[str]) -> list[str]:
        """Return one line for each wanted name that does not exist."""
        return [
            f"{self.kind} of {self.by}: there is no {visible(one_line(wanted, 100))!r}."
            for wanted in self.wanted
            if wanted != "*"
            and not any(name == wanted or fnmatchcase(name, wanted) for name in names)
        ]


def select(kind: Kind, agent: Agent, notebook: Mapping[str, Any]) -> Selection:
    """Return the agent's own selection, else the notebook's, else the default.

    Args:
        notebook: The notebook's `metadata.msgbook`, where `rules` and `skills` are lists of names.
    """
    own = agent.rules if kind == "rules" else agent.skills
    if own is not None:
        return Selection(kind, own, f"agent {visible(agent.name)}")
    default = Selection(kind, DEFAULTS[kind], "by default")
    value = notebook.get(kind)
    if value is None:
        return default
    try:
        return Selection(kind, name_values(value), "the notebook")
    except ValueError:
        words = f"{kind} of the notebook: expected a list of names; it is ignored."
        return Selection(kind, default.wanted, default.by, (words,))
