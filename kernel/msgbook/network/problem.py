"""A variable of the environment with which no connection can be made."""

from __future__ import annotations

from msgbook.errors import ConfigError


class NetworkProblem(ConfigError):  # noqa: N818 - a problem that the user can solve
    """A variable with which no connection can be made.

    Args:
        variable: Its name; empty if it is the system that sets the value.
        words: What is wrong, with the value as it may be shown.
        advice: What to do.
    """

    def __init__(self, variable: str, words: str, advice: str) -> None:
        super().__init__(f"{words} {advice}")
        self.variable = variable
        self.words = words
        self.advice = advice
