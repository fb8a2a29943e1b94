"""The project's rules: what a model has to obey, beside the conversation. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgbook.agents.selection import Selection
from msgbook.text import visible

AGENTS_FILE = "AGENTS.md"
"""A rule at the top of a project, which other programs read too."""

Expand = Callable[[str], tuple[str, Sequence[str]]]
"""Expands the macros of a text: what comes of it, and what is wrong in it, a line each."""

TOTAL_LIMIT = 200_000
"""Characters of all rules of a request together."""


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """One rule."""

    name: str
    """Path below `.msgbook/rules`, with slashes; `AGENTS.md` for the one at the top."""
    text: str


def rules_in_force(
    rules: Sequence[ProjectRule], selected: Selection, expand: Expand
) -> tuple[list[ProjectRule], list[str]]:
    """The rules that are used, with their macros expanded, and what is wrong, a line each.

    A rule that has no text left, since a macro takes it all, is none. What would make the whole
    too long is left out as a whole: half a rule says something else.
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
