"""Project rules: text that a model has to follow. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgbook.agents.selection import Selection
from msgbook.text import visible

AGENTS_FILE = "AGENTS.md"
"""The rule at the top of a project, which other programs read, too."""

Expand = Callable[[str], tuple[str, Sequence[str]]]
"""Expands the macros of a text, and returns the result and one line for each problem."""

TOTAL_LIMIT = 200_000
"""Characters of all rules of a request together."""


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """One rule."""

    name: str
    """Path below `.msgbook/rules`, with slashes; `AGENTS.md` for the rule at the top."""
    text: str


def rules_in_force(
    rules: Sequence[ProjectRule], selected: Selection, expand: Expand
) -> tuple[list[ProjectRule], list[str]]:
    """Return the rules in use, with their macros expanded, and one line for each problem.

    A rule without text after expansion is left out. A rule that makes the rules too long is left out
    completely: half a rule may mean something else.
    """
    notices = [*selected.notices, *selected.unknown([rule.name for rule in rules])]
    found = []
    room = TOTAL_LIMIT
    for rule in rules:
        if not selected.uses(rule.name):
            continue
        text, problems = expand(rule.text)
        notices += [f"Rule {visible(rule.name)}: {problem}" for problem in problems]
        if not text.strip():
            continue
        if len(text) > room:
            notices.append(
                f"Rule {visible(rule.name)} is left out: the rules have more than {TOTAL_LIMIT} "
                "characters together."
            )
            continue
        room -= len(text)
        found.append(ProjectRule(rule.name, text))
    return found, notices
