"""The errors that a person may meet. Each says what to do."""

from __future__ import annotations


class MsgbookError(Exception):
    """Root of the errors that msgbook raises on purpose.

    The message is one line for a person: no path outside the notebook's folder, no key.
    """


class ConfigError(MsgbookError):
    """A setting is missing or cannot be used; the message names it."""


class ProviderError(MsgbookError):
    """The model's server could not be reached, or did not answer with a completion.

    Args:
        name: Short name of the kind of failure, shown as the error's name (`AuthenticationError`).
        message: What happened and which setting to change.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
