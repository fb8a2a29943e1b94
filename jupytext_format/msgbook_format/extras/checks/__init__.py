"""Checks of a text: its probable mistakes, by line, and fixes for some of them.

A rule takes a `CheckedText`, in which a `LocatedCell` is a text cell with its line and role, and
yields findings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter

from msgbook_format.extras.checks import (
    agent_rules,
    file_rules,
    output_rules,
)
from msgbook_format.extras.checks.checked_text import CheckedText, parse_for_checks
from msgbook_format.extras.checks.file_rules import fix
from msgbook_format.finding import Finding, OutputFileRule

__all__ = ["check", "fix"]

Rule = Callable[[CheckedText], Iterable[Finding]]

_RULES: tuple[Rule, ...] = (
    file_rules.check_bom,
    file_rules.check_mixed_line_ends,
    file_rules.check_cr_line_ends,
    file_rules.check_control_characters,
    file_rules.check_conflict_marks,
    file_rules.check_message_section,
    agent_rules.check_frontmatter,
    file_rules.check_near_markers,
    file_rules.check_orphan_outputs,
    file_rules.check_attributes,
    file_rules.check_duplicate_ids,
    file_rules.check_fences,
    file_rules.check_unread_footnotes,
    agent_rules.check_msg_words,
    agent_rules.check_frontmatter_agents,
    agent_rules.check_named_agents,
    agent_rules.check_default_agents,
    agent_rules.check_msg_lines,
    output_rules.check_calls_and_results,
    output_rules.check_call_texts,
    output_rules.check_values,
    output_rules.check_data,
    output_rules.check_history,
    output_rules.check_output_history,
)


def check(
    text: str,
    *,
    output_file: OutputFileRule | None = None,
    agents: Collection[str] | None = None,
) -> list[Finding]:
    """Return the probable mistakes in a text, by line. No text raises an error.

    The time is proportional to the length of the text. As in `reads`, all of the text is messages
    unless its frontmatter names a `message_section`.

    Args:
        output_file: Checks the files that hold the data of outputs. Without it they are not
            checked, because the text alone does not say where they are.
        agents: Names that the project and the user's settings define. Without them, a
            `default_agent` is checked only in a text that defines agents itself.
    """
    checked = parse_for_checks(text, agents)
    found = {finding for rule in _RULES for finding in rule(checked)}
    if output_file is not None:
        found.update(output_rules.check_output_files(checked, output_file))
    return sorted(found, key=attrgetter("line", "code", "message"))
