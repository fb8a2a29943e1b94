"""The errors that a person may see. Each message says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RESTART = "restart the kernel if this is a notebook"
"""End of advice to change a file that is read when a kernel or a command starts."""


class MsgbookError(Exception):
    """Root of the errors that msgbook raises on purpose.

    The message is one line for a person: no path outside the notebook's folder, no key.
    """

    details: Sequence[str] = ()
    """Further lines for the person, such as the possible choices."""


class ToolError(MsgbookError):
    """A tool call, or the reading of a file for a model, that failed. The message is for the model."""


class ConfigError(MsgbookError):
    """A setting that is missing or cannot be used; the message names it."""


class Retry(NamedTuple):
    """Information that another try may succeed."""

    reason: str
    """What happened, without advice, because the user need not do anything yet."""
    after: float | None = None
    """Seconds to wait, if the server names them."""
    is_loading: bool = False
    """True if the server is loading the model, which takes longer than other failures last."""


class ProviderError(MsgbookError):
    """A server that could not be reached, or that did not answer with a completion.

    Args:
        name: Short name of the kind of failure, shown as the error's name (`AuthenticationError`).
        message: What happened.
        retry: Set if another try may succeed; never after the beginning of an answer.
        advice: What to do, such as the setting to change; empty for nothing.
    """

    def __init__(
        self, name: str, message: str, retry: Retry | None = None, advice: str = ""
    ) -> None:
        super().__init__(f"{message} {advice}".rstrip())
        self.name = name
        self.retry = retry
        self.advice = advice

    @property
    def what(self) -> str:
        """Return what happened, without advice."""
        return str(self).removesuffix(self.advice).rstrip()


class NotACompletionError(ProviderError):
    """An answer that is not a completion. The message does not name the setting yet."""

    def __init__(self, message: str) -> None:
        super().__init__("NotACompletion", message)


class OtherApiError(ProviderError):
    """An answer over the API that the server was not asked over. The message does not name the setting yet."""

    def __init__(self, message: str) -> None:
        super().__init__("OtherApi", message)


class UnusableSettingError(ProviderError):
    """A setting, or a variable of the environment, with which the server cannot be asked."""


class LostConnectionError(ProviderError):
    """A server that could not be reached, or whose connection broke."""


class NoModelListError(ProviderError):
    """The server cannot list its models: it refuses, or its answer is not a list."""


class AnswerCutError(ProviderError):
    """An answer that broke off. The part that had arrived is kept."""


def describe_file_error(path: Path | str, error: Exception) -> str:
    """Return one line that names the file and says what is wrong with it."""
    if isinstance(error, OSError):
        return f"{path}: {error.strerror or type(error).__name__}"
    text = str(error)
    return text if text.startswith(str(path)) else f"{path}: {text}"


def describe_foreign_error(error: BaseException) -> str:
    """Return class and message of an error of code that is not ours, whose `__str__` may raise."""
    name = type(error).__name__
    try:
        return f"{name}: {error}".removesuffix(": ")
    except Exception:  # `__str__` is code of any author, too
        return name
