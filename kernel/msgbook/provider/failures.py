"""What went wrong with a server, in words that name the setting to change. Knows no SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from msgbook.config import ProviderSettings, redact
from msgbook.errors import NotACompletionError, ProviderError, Retry
from msgbook.provider.answer_quirks import error_message
from msgbook.provider.http import RedirectedError
from msgbook.provider.retry import asked_wait, may_retry
from msgbook.text import one_line, visible

_REFUSALS = {400, 404, 415, 422, 500, 501}
"""Statuses of servers that do not take what is in a request; llama.cpp answers 500 to an image."""

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum (model|context) length|prompt is too long"
    r"|(input|prompt) tokens? count|too many (input |prompt )?tokens|input is too long",
    re.IGNORECASE,
)
"""No server documents its words: those known are in tests/provider/test_failures.py."""
_TOKEN_LIMIT = re.compile(r"\bmax_(completion_|output_)?tokens\b")
"""Where the refusal names it, the limit is too large, and not the conversation."""

_BODY_LIMIT = 2000
"""Characters of a refusal that are looked at: a server may repeat the whole request in it."""


class RefusedError(ProviderError):
    """The server answered that it does not take the request, or failed on what is in it.

    Args:
        failure: What a person is told.
        said: The server's words on one line; empty for none.
        body: The beginning of its answer as text, which may name what the words do not.
    """

    def __init__(self, failure: ProviderError, status: int, said: str, body: str) -> None:
        super().__init__(failure.name, str(failure), failure.retry)
        self.status = status
        self.said = said
        self.body = body


class Failures:
    """Makes the errors of one server.

    Args:
        secrets: Kept out of every message.
    """

    def __init__(self, settings: ProviderSettings, secrets: tuple[str, ...]) -> None:
        self._settings = settings
        self._secrets = secrets

    def of_status(
        self, name: str, status: int, headers: Mapping[str, str], body: object, model: str | None
    ) -> ProviderError:
        """The server answered with an HTTP error.

        Args:
            headers: With names in lower case, or that do not mind.
            body: The JSON of the answer, or its text.
            model: That was asked; None for another request.
        """
        said = self.clean(error_message(_error_in(body))).rstrip(".")
        words = (
            f"The server answered {status}: {said}." if said else f"The server answered {status}."
        )
        match status:
            case 401 | 403:
                hint = f"Check {self.key_setting}."
            case 404 if model is not None:
                hint = (
                    f"Check the model's name (it was {model!r}; MSGBOOK_MODEL or %model set it, "
                    f"%models lists those there are) and {self.url_setting}."
                )
            case 404:
                hint = f"Check {self.url_setting} (it usually ends in /v1)."
            case 429:
                hint = "The server limits the rate or the budget is used up; try again later."
            case 400 | 413 | 422 | 500 if _TOO_LONG.search(said) and not _TOKEN_LIMIT.search(said):
                hint = (
                    "Leave cells out or sum them up, by history=exclude, history=summary or "
                    "%compact; %context shows how long each is. With the agent's context_window "
                    "set, msgbook tells before it asks."
                )
            case _:
                hint = ""
        retry = None
        if may_retry(status, headers, body):
            retry = Retry(f"{status} {said}".rstrip(), asked_wait(status, headers, body))
        failure = ProviderError(name, f"{words} {hint}".rstrip(), retry)
        if status not in _REFUSALS:
            return failure
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        return RefusedError(failure, status, said, redact(text[:_BODY_LIMIT], self._secrets))

    def of_connection(self, error: BaseException) -> ProviderError:
        """The server could not be reached, sends the request elsewhere, or the connection broke."""
        # The SDK says only "Connection error."; what lies below tells why.
        cause = error.__cause__ or error
        while isinstance(cause, ExceptionGroup):
            cause = cause.exceptions[0]
        why = self.clean(visible(str(cause))).rstrip(".") or type(cause).__name__
        if isinstance(cause, RedirectedError):
            words = f"{why}. Nothing was sent there. If that is the right server, set"
            return ProviderError("RedirectedError", f"{words} {self.url_setting} to it.")
        failed = f"The connection to {shown_url(self._settings.base_url)} failed: {why}"
        return ProviderError(
            "APIConnectionError",
            f"{failed}. Is the server running? Check {self.url_setting}.",
            Retry(failed),
        )

    def in_answer(self, error: ProviderError) -> ProviderError:
        """The error, found in the answer itself: without secrets, with the setting to check."""
        words = redact(str(error), self._secrets)
        if isinstance(error, NotACompletionError):
            words = f"{words} Check {self.url_setting} (it usually ends in /v1)."
        return ProviderError(error.name, words, error.retry)

    @property
    def key_setting(self) -> str:
        if self._settings.from_environment:
            return "OPENAI_API_KEY"
        if self._settings.key_variable and not self._settings.api_key:
            return (
                f"{self._settings.key_variable}, which is not set: it is the api_key_env of "
                f"[providers.{self._settings.name}] in msgbook.toml"
            )
        return f"api_key_env or headers of [providers.{self._settings.name}] in msgbook.toml"

    @property
    def url_setting(self) -> str:
        if self._settings.from_environment:
            return "OPENAI_BASE_URL"
        return f"base_url of [providers.{self._settings.name}] in msgbook.toml"

    def clean(self, text: str) -> str:
        return redact(one_line(text), self._secrets)


def shown_url(url: str | None) -> str:
    """A URL without what may be secret in it: user, password, query."""
    if url is None:
        return "the OpenAI API"
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _error_in(body: object) -> Any:
    if isinstance(body, list) and len(body) == 1:  # Gemini
        body = body[0]
    return body.get("error", body) if isinstance(body, dict) else body or ""
