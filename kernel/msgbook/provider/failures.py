"""Errors of servers, in words that name the setting to change. Knows no SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from msgbook.config import ProviderSettings, redact
from msgbook.errors import (
    LostConnectionError,
    NoModelListError,
    NotACompletionError,
    ProviderError,
    Retry,
)
from msgbook.provider.error_quirks import (
    ReportedError,
    as_text,
    error_message,
    find_error,
    is_loading,
    is_too_long,
    is_unknown_model,
    is_wrong_key,
    reported_status,
)
from msgbook.provider.http import RedirectedError
from msgbook.provider.retry import may_retry, requested_wait
from msgbook.text import one_line, visible

_REFUSALS = {400, 404, 415, 422, 500, 501}
"""Statuses by which servers refuse a part of a request; llama.cpp answers 500 to an image."""

_REFUSES_ANY_REQUEST = {401, 403, 408, 409, 429}
"""Statuses that say nothing about whether a server can list its models."""

_ANSWERED = "The server has answered before"

_BODY_LIMIT = 2000
"""Characters of a refusal that are searched: a server may repeat the complete request in it."""


class RefusedError(ProviderError):
    """The server refused the request, or failed on a part of it.

    Args:
        failure: The error for a person.
        said: The server's message on one line; empty for none.
        body: The beginning of its answer as text, which may name what the message does not.
    """

    def __init__(self, failure: ProviderError, status: int, said: str, body: str) -> None:
        super().__init__(failure.name, failure.what, failure.retry, failure.advice)
        self.status = status
        self.said = said
        self.body = body


class UnknownModelError(RefusedError):
    """The server does not know the model, or does not let this user have it."""


class _Answer(NamedTuple):
    """An error as a server sent it."""

    name: str
    status: int
    """0 for an error inside an answer that names no status."""
    error: Any
    """The `error` value."""
    said: str
    body: str
    words: str
    """Description for a person."""
    retry: Retry | None


class Failures:
    """Makes the errors of one server.

    Args:
        secrets: Redacted from every message.
    """

    def __init__(self, settings: ProviderSettings, secrets: tuple[str, ...]) -> None:
        self._settings = settings
        self._secrets = secrets
        self.has_answered = False
        """True once the server has answered a request to the end."""

    def from_status(
        self,
        name: str,
        status: int,
        headers: Mapping[str, str],
        body: object,
        model: str | None,
        model_origin: str = "",
    ) -> ProviderError:
        """Return the error for an HTTP status.

        Args:
            headers: Names in lower case, or in a mapping that ignores case.
            body: The JSON of the answer, or its text.
            model: The requested model; None for a request that lists the models.
            model_origin: Describes what sets the model.
        """
        error = find_error(body)
        said = self.clean(error_message(error)).rstrip(".")
        words = f"The server answered {status}{': ' if said else ''}{said}."
        retry = None
        loads = is_loading(status, error)
        if loads or may_retry(status, headers, body):
            wait = requested_wait(status, headers, body)
            retry = Retry(f"{status} {said}".rstrip(), wait, loads)
        text = redact(as_text(body)[:_BODY_LIMIT], self._secrets)
        answer = _Answer(name, status, error, said, text, words, retry)
        return self._failure(answer, model, model_origin)

    def from_answer(
        self, error: ProviderError, model: str | None, model_origin: str = ""
    ) -> ProviderError:
        """Return an error found in an answer, without secrets and with the setting to check."""
        if isinstance(error, ReportedError):
            return self._from_report(error, model, model_origin)
        words, advice = redact(str(error), self._secrets), ""
        if isinstance(error, NotACompletionError):
            advice = (
                f"{_ANSWERED}, so this is a fault of the server or of a proxy: run the cell again."
                if self.has_answered
                else f"Check {self.url_setting} (it usually ends in /v1)."
            )
        return ProviderError(error.name, words, error.retry, advice)

    def _from_report(
        self, report: ReportedError, model: str | None, model_origin: str
    ) -> ProviderError:
        status, said = reported_status(report.error), self.clean(str(report)).rstrip(".")
        body = {"error": report.error}
        loads = is_loading(status, report.error)
        may_pass = loads or (status and may_retry(status, {}, body))
        retry = Retry(said, is_loading=loads) if may_pass else None
        text = redact(as_text(body)[:_BODY_LIMIT], self._secrets)
        words = f"The server reported an error: {said}."
        answer = _Answer(report.name, status, report.error, said, text, words, retry)
        return self._failure(answer, model, model_origin)

    def _failure(self, answer: _Answer, model: str | None, model_origin: str) -> ProviderError:
        status = answer.status
        is_unknown = model is not None and is_unknown_model(status, answer.error, model)
        wrong_key = is_wrong_key(status, answer.error)
        hint = (
            f"Check {self.key_setting}."
            if wrong_key
            else self._hint(answer, model, model_origin, is_unknown=is_unknown)
        )
        failure = ProviderError(answer.name, answer.words, answer.retry, hint)
        loads = answer.retry is not None and answer.retry.is_loading
        if model is None and not (wrong_key or loads or status in _REFUSES_ANY_REQUEST):
            return NoModelListError(answer.name, answer.words, answer.retry, hint)
        if wrong_key or (status not in _REFUSALS and not is_unknown):
            return failure
        refused = UnknownModelError if is_unknown else RefusedError
        return refused(failure, status, answer.said, answer.body)

    def _hint(
        self, answer: _Answer, model: str | None, model_origin: str, *, is_unknown: bool
    ) -> str:
        """Return what the user can do about an error; empty if that is not known."""
        status = answer.status
        match status:
            case _ if is_unknown or (status == 404 and model is not None):
                origin = model_origin or "MSGBOOK_MODEL or %model"
                return (
                    f"Check the model's name ({model!r}, set by {origin}; %models, or `msgbook doctor` in a "
                    f"terminal, lists the models of the server) and {self.url_setting}."
                )
            case 401 | 403:
                return f"Check {self.key_setting}."
            case 404:
                return f"Check {self.url_setting} (it usually ends in /v1)."
            case 429:
                return (
                    "Your rate limit or your budget with this provider is used up. Try again later."
                )
            case 0 | 400 | 413 | 422 | 500 if is_too_long(answer.error):
                return (
                    "Leave out or summarize cells with history=exclude, history=summary or %compact; "
                    "%context shows the size of each cell. If you set the agent's context_window, "
                    "msgbook warns before it sends such a request."
                )
            case _ if answer.retry and answer.retry.is_loading:
                return "Wait until it has loaded the model."
            case _:
                return ""

    def from_connection(self, error: BaseException) -> ProviderError:
        """Return the error for a server that cannot be reached, redirects, or breaks the connection."""
        # The SDK says only "Connection error."; the cause says why.
        cause = error.__cause__ or error
        while isinstance(cause, ExceptionGroup):
            cause = cause.exceptions[0]
        why = self.clean(visible(str(cause))).rstrip(".") or type(cause).__name__
        if isinstance(cause, RedirectedError):
            words = f"{why}. Nothing was sent there. If that is the right server, change"
            return ProviderError("RedirectedError", f"{words} {self.url_setting} to its address.")
        failed = f"The connection to {shown_url(self._settings.base_url)} failed: {why}"
        advice = (
            f"{_ANSWERED}. Is it still running?"
            if self.has_answered
            else f"Is the server running? Check {self.url_setting}."
        )
        return LostConnectionError("APIConnectionError", f"{failed}.", Retry(failed), advice)

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
        """Return the text on one line, without secrets."""
        return redact(one_line(text), self._secrets)


def shown_url(url: str | None) -> str:
    """Return a URL without the parts that may be secret: user, password and query."""
    if url is None:
        return "the OpenAI API"
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
