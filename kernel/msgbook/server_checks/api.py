"""The check of the API: whether the server has the other one, and which of the two shows more. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from msgbook.errors import RESTART
from msgbook.messages import API_TITLES, OTHER_API, ApiName
from msgbook.server_checks.answer import Answer
from msgbook.server_checks.findings import Finding

_CALLS, _REASONING, _USAGE, _ENCRYPTED = "tool calls", "reasoning", "usage", "encrypted reasoning"
_RANKS = (_CALLS, _REASONING, _USAGE, _ENCRYPTED)
"""What an answer can show, the most important first."""
_REASONS = (_CALLS, _REASONING, _USAGE)
"""What is a reason to change the API. Encrypted reasoning alone is none: nobody can read it."""


@dataclass(frozen=True, slots=True)
class ApiChoice:
    """The API in force, and where the other one would be set."""

    api: ApiName
    provider: str
    """Name of the provider."""
    file: str = "msgbook.toml"
    """Name of the configuration file, or its path if it has to be created."""

    @property
    def other(self) -> ApiName:
        """The API that is not in force."""
        return OTHER_API[self.api]

    @property
    def advice(self) -> str:
        """The line that sets the other API."""
        return (
            f'To use the {API_TITLES[self.other]}, set api = "{self.other}" in '
            f"[providers.{self.provider}] of {self.file}, and {RESTART}."
        )


def judge_apis(choice: ApiChoice, ours: Answer | None, theirs: Answer) -> Finding:
    """Judge which API shows more of the answer to the same question.

    Args:
        ours: The answer over the API in force; None if the server does not have it.
        theirs: The answer over the other one.
    """
    if ours is None:
        words = f"the server has only the {API_TITLES[choice.other]}"
        return Finding("api", "fail", words, choice.advice)
    shown, other = _shown(ours), _shown(theirs)
    if shown == other:
        ours_title, title = API_TITLES[choice.api], API_TITLES[choice.other]
        words = f"using the {ours_title}; the {title} returns the same: {_listed(shown)}"
        return Finding("api", "pass", words)
    words = f"{choice.api} returns {_listed(shown)}; {choice.other} returns {_listed(other)}"
    if ours.is_cut or theirs.is_cut:
        return Finding("api", "unknown", f"{words}; this check's token limit cut off an answer")
    if _rank(other) <= _rank(shown):
        return Finding("api", "pass", words)
    return Finding("api", "note", words, choice.advice)


def judge_only_api(choice: ApiChoice, *, answers: bool) -> Finding:
    """Describe a server that does not have the other API.

    Args:
        answers: Whether it answers over the API in force.
    """
    if answers:
        return Finding(
            "api",
            "pass",
            f"using the {API_TITLES[choice.api]}; the server has no {API_TITLES[choice.other]}",
        )
    words = "the server has neither the chat API nor the Responses API at this URL"
    return Finding("api", "fail", words, "Is the base URL right (it usually ends in /v1)?")


def judge_no_answer(choice: ApiChoice, why: str, *, answers: bool) -> Finding:
    """Describe a server that did not answer over the other API, for another reason.

    Args:
        why: What happened.
        answers: Whether it answers over the API in force.
    """
    begins = f"using the {API_TITLES[choice.api]}; " if answers else ""
    return Finding("api", "unknown", f"{begins}over the {API_TITLES[choice.other]}: {why}")


def _shown(answer: Answer) -> list[str]:
    """Return what an answer shows, the most important first."""
    if answer.end is None or not answer.end.ended:
        return []
    seen = {
        _CALLS: answer.has_valid_call,
        _REASONING: answer.has_reasoning,
        _USAGE: bool(answer.end.usage),
        _ENCRYPTED: answer.has_encrypted_reasoning,
    }
    return [name for name in _RANKS if seen[name]]


def _rank(shown: list[str]) -> tuple[bool, ...]:
    return tuple(name in shown for name in _REASONS)


def _listed(shown: list[str]) -> str:
    return ", ".join(shown) or "none of " + ", ".join(_RANKS)
