"""Checks a message file: what is probably not meant so, line by line, and what can be mended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter

from msgbook_format.checks import (
    agent_rules,
    file_rules,
    frontmatter_rules,
    marker_rules,
    output_rules,
)
from msgbook_format.checks.checked_text import CheckedText, parse_for_checks
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.fix import fix
from msgbook_format.checks.output_rules import OutputFileRule

__all__ = ["Finding", "OutputFileRule", "check", "fix"]

Rule = Callable[[CheckedText], Iterable[Finding]]

_RULES: tuple[Rule, ...] = (
    file_rules.bom,
    file_rules.mixed_line_ends,
    file_rules.control_characters,
    file_rules.conflict_marks,
    file_rules.message_section,
    frontmatter_rules.frontmatter,
    marker_rules.near_markers,
    marker_rules.orphan_outputs,
    marker_rules.footnotes,
    marker_rules.attributes,
    marker_rules.duplicate_ids,
    marker_rules.fences,
    agent_rules.frontmatter_agents,
    agent_rules.named_agents,
    agent_rules.msg_lines,
    output_rules.calls_and_results,
    output_rules.values,
    output_rules.data,
)


def check(
    text: str,
    *,
    output_file: OutputFileRule | None = None,
    agents: Collection[str] | None = None,
) -> list[Finding]:
    """What in a message file is probably not meant so, by line. No text raises.

    Takes time in proportion to the length of the text. As in `reads`, all of the text is messages
    unless its frontmatter names a `message_section`.

    Args:
        output_file: Looks at the files that outputs stand in; without it nobody does, since the
            text alone does not say where they are.
        agents: Names that the project and the user's settings define; without them a
            `default_agent` is judged only in a text that defines agents itself.
    """
    checked = parse_for_checks(text, agents)
    found = {finding for rule in _RULES for finding in rule(checked)}
    if output_file is not None:
        found.update(output_rules.output_files(checked, output_file))
    return sorted(found, key=attrgetter("line", "code", "message"))
