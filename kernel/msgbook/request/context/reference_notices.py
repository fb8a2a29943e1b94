"""Notices about references that cannot be resolved, each shown once and not too many of them."""

from __future__ import annotations

from collections.abc import Iterable

from msgbook.events import Notice
from msgbook.scanner import Problem
from msgbook.text import one_line

_LIMIT = 50
"""Notices of one prompt."""


class ReferenceNotices:
    """Collects the notices of one prompt.

    Attributes:
        notices: Grows with each call.
    """

    def __init__(self) -> None:
        self.notices: list[Notice] = []

    def add(self, text: str) -> None:
        notice = Notice(text, "warning")
        if len(self.notices) == _LIMIT:
            self.notices.append(
                Notice("Further problems with references are not shown.", "warning")
            )
        elif len(self.notices) < _LIMIT and notice not in self.notices:
            self.notices.append(notice)

    def add_failure(self, tag: str, reason: object, where: str = "") -> None:
        """Add a notice that says why nothing is sent for a tag.

        Args:
            where: Key of the file or rule that holds the tag; empty for the prompt.
        """
        place = f"{one_line(where, 200)}: " if where else ""
        self.add(f"{place}@[{one_line(tag, 200)}] is not sent: {str(reason).rstrip('.')}.")

    def add_about(self, tag: str, words: str) -> None:
        """Add a notice about a tag of which something is sent."""
        self.add(f"@[{one_line(tag, 200)}]: {words.rstrip('.')}.")

    def add_problems(self, problems: Iterable[Problem], where: str) -> None:
        """Add a notice for each problem in the text of a file or rule."""
        for problem in problems:
            self.add(f"{one_line(where, 200)}, line {problem.line}: {problem.message}")
