"""The errors that a person may meet. Each says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class MsgbookError(Exception):
    """Root of the errors that msgbook raises on purpose.

    The message is one line for a person: no path outside the notebook's folder, no key.
    """

    details: Sequence[str] = ()
    """Further lines: what there is to choose from."""


class ToolError(MsgbookError):
    """A tool call, or the reading of a file for a model, that failed. The message is for the model."""


class ConfigError(MsgbookError):
    """A setting is missing or cannot be used; the message names it."""


class Retry(NamedTuple):
    """Asking the server again may help."""

    reason: str
    """What happened, without advice: the user need not do anything yet."""
    after: float | None = None
    """Seconds that the server asks to wait; None when it does not say."""


class ProviderError(MsgbookError):
    """The model's server could not be reached, or did not answer with a completion.

    Args:
        name: Short name of the kind of failure, shown as the error's name (`AuthenticationError`).
        message: What happened and which setting to change.
        retry: Set when asking again may help; never after the first byte of an answer.
    """

    def __init__(self, name: str, message: str, retry: Retry | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.retry = retry


class NotACompletionError(ProviderError):
    """The server answered with something else; the message does not name the setting yet."""

    def __init__(self, message: str) -> None:
        super().__init__("NotACompletion", message)


class AnswerCutError(ProviderError):
    """The connection broke in the middle of an answer; what had arrived stands."""


def reason(path: Path | str, error: Exception) -> str:
    """One line about an error with a file: which file, and what is wrong with it."""
    if isinstance(error, OSError):
        told = error.strerror or type(error).__name__
        return f"{path}: {told}"
    text = str(error)
    return text if text.startswith(str(path)) else f"{path}: {text}"
