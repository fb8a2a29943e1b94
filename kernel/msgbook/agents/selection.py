"""Which of several named things a conversation uses: rules, skills. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgbook.agents.agent import Agent, name_values
from msgbook.text import one_line, visible

Kind = Literal["rules", "skills"]

DEFAULTS: Mapping[Kind, tuple[str, ...]] = {"rules": ("*",), "skills": ()}
"""Where neither agent nor notebook says anything: all rules, no skills. A rule is written to be
followed; a skill costs each request its description, also those of other projects and programs."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is used, and who says so."""

    kind: Kind
    wanted: tuple[str, ...]
    """Names; `*` and `?` stand for any text and any character."""
    by: str
    """For a person: `agent NAME`, `the notebook` or `by default`."""
    notices: tuple[str, ...] = ()

    def uses(self, name: str) -> bool:
        """Whether a rule or skill of that name is used."""
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.wanted)

    def unknown(self, names: Sequence[str]) -> list[str]:
        """A line for each wanted name that is none of those."""
        return [
            f"{self.kind} of {self.by}: there is no {visible(one_line(wanted, 100))!r}."
            for wanted in self.wanted
            if wanted != "*"
            and not any(name == wanted or fnmatchcase(name, wanted) for name in names)
        ]


def select(kind: Kind, agent: Agent, notebook: Mapping[str, Any]) -> Selection:
    """The agent's own list, else the notebook's, else the default.

    Args:
        notebook: Its `metadata.msgbook`: `rules` and `skills` are lists of names; absent: the
            default, `[]`: none.
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
