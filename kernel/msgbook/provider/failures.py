"""Errors of servers, in words that name the setting to change or say how to shorten the request. Knows no SDK."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from msgbook.config import ProviderSettings, other_api, redact, vendor_of
from msgbook.errors import (
    RESTART,
    LostConnectionError,
    NoModelListError,
    NotACompletionError,
    OtherApiError,
    ProviderError,
    Retry,
)
from msgbook.network import Route, is_untrusted
from msgbook.provider.apis import find_api
from msgbook.provider.charsets import CharsetError
from msgbook.provider.compression import CompressionError
from msgbook.provider.error_quirks import (
    ErrorKind,
    ReportedError,
    body_text,
    error_message,
    find_error,
    find_kind,
    full_message,
    is_loading,
    is_page,
    reported_status,
)
from msgbook.provider.http import RedirectedError
from msgbook.provider.requested_waits import may_retry, requested_wait
from msgbook.text import excerpt, visible

_REFUSALS = {0, 400, 404, 413, 415, 422, 500, 501}
"""Statuses by which servers refuse a part of a request; llama.cpp answers 500 to an image. 0: inside an answer."""

_NO_ACCESS = {401, 403, 407}
"""Statuses that a proxy or gateway sends, too; 407 asks for the password of a proxy."""

_SAY_NOTHING = {401, 403, 408, 409, 429}
"""Statuses that say nothing about whether a server can list its models."""

_BODY_LIMIT = 2000
"""Characters of a refusal that are searched: a server may repeat the complete request in it."""


class RefusedError(ProviderError):
    """The server refused the request, or failed on a part of it.

    Args:
        failure: The error for a person.
        status: HTTP status; 0 for an error inside an answer that names none.
        said: The server's message on one line; empty for none.
        body: The beginning of its answer as text, which may name what the message does not.
        words: The message, longer than `said`, with the place in the request that it names; empty for a page.
        kind: What the error is about, if its words tell.
    """

    def __init__(
        self,
        failure: ProviderError,
        status: int,
        said: str,
        body: str,
        words: str | None = None,
        kind: ErrorKind | None = None,
    ) -> None:
        super().__init__(failure.name, failure.what, failure.retry, failure.advice)
        self.status = status
        self.said = said
        self.body = _spelled_out(body)
        self.words = _spelled_out(said if words is None else words)
        self.kind = kind

    def advised(self, advice: str) -> RefusedError:
        """Return the error with advice; itself if it has some, or there is none to give."""
        if self.advice or not advice:
            return self
        failure = ProviderError(self.name, self.what, self.retry, advice)
        return type(self)(failure, self.status, self.said, self.body, self.words, self.kind)


_SHORT_FORM = re.compile(r"\b(\w{0,12})n(?:['\u2019]|\\u2019)t\b", re.IGNORECASE)
_LONG_FORMS = {"ca": "cannot", "wo": "will not"}


def _spelled_out(words: str) -> str:
    """Return words with `not` in place of short forms such as `isn't`, so that one pattern finds both."""
    return _SHORT_FORM.sub(
        lambda found: _LONG_FORMS.get(found[1].lower()) or f"{found[1]} not", words
    )


class UnknownModelError(RefusedError):
    """The server does not know the model, or does not let this user have it."""


class MissingRouteError(ProviderError):
    """The server does not have the path of the API over which it is asked."""


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
        self._advice = Advice(settings, find_api(settings.api).path)
        self._secrets = secrets
        self.has_answered = False
        """True once the server has answered a request to the end."""
        self.route: Route | None = None
        """The way to the server; None before the first request, and where nothing goes over the network."""

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
        words = _sentence(f"The server answered {status}{': ' if said else ''}{said}")
        retry = None
        loads = is_loading(status, error)
        if loads or may_retry(status, headers, body):
            wait = requested_wait(status, headers, body)
            retry = Retry(f"{status} {said}".rstrip(), wait, loads)
        text = redact(body_text(body)[:_BODY_LIMIT], self._secrets)
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
            advice = self._advice.for_no_answer(has_answered=self.has_answered)
            advice = f"{advice} {self.way_advice()}".rstrip()
        elif isinstance(error, OtherApiError):
            advice = self._advice.for_answer("other_api", 0, model, model_origin)
        return ProviderError(error.name, words, error.retry, advice)

    def _from_report(
        self, report: ReportedError, model: str | None, model_origin: str
    ) -> ProviderError:
        status, said = reported_status(report.error), self.clean(str(report)).rstrip(".")
        body = {"error": report.error}
        loads = is_loading(status, report.error)
        may_pass = loads or (status and may_retry(status, {}, body))
        wait = requested_wait(status, {}, body)
        retry = Retry(said, wait, loads) if may_pass else None
        text = redact(body_text(body)[:_BODY_LIMIT], self._secrets)
        words = _sentence(f"The server reported an error: {said}")
        answer = _Answer(report.name, status, report.error, said, text, words, retry)
        return self._failure(answer, model, model_origin)

    def _failure(self, answer: _Answer, model: str | None, model_origin: str) -> ProviderError:
        kind = find_kind(answer.status, answer.error, model, self._settings.api)
        hint = self._hint(kind, answer, model, model_origin)
        retry = None if kind in ("key", "route", "length") else answer.retry
        failure = ProviderError(answer.name, answer.words, retry, hint)
        if kind == "route":
            return MissingRouteError(answer.name, answer.words, advice=hint)
        if model is None and not (kind in ("key", "loading") or answer.status in _SAY_NOTHING):
            return NoModelListError(answer.name, answer.words, retry, hint)
        if kind == "key" or (answer.status not in _REFUSALS and kind not in ("model", "policy")):
            return failure
        refused = UnknownModelError if kind == "model" else RefusedError
        named = redact(full_message(answer.error)[:_BODY_LIMIT], self._secrets)
        return refused(failure, answer.status, answer.said, answer.body, named, kind)

    def _hint(
        self, kind: ErrorKind | None, answer: _Answer, model: str | None, model_origin: str
    ) -> str:
        """Return what to do about an error; what is not JSON may come from a proxy."""
        hint = self._advice.for_answer(kind, answer.status, model, model_origin)
        if is_page(answer.error) and answer.status in _NO_ACCESS:
            hint = self._advice.for_page
        through = self.way_advice() if isinstance(answer.error, str) else ""
        return f"{through} {hint}".strip()

    def from_connection(self, error: BaseException) -> ProviderError:
        """Return the error for a server that cannot be reached, redirects, or breaks the connection."""
        # The SDK says only "Connection error."; the cause says why.
        cause = error.__cause__ or error
        while isinstance(cause, ExceptionGroup):
            cause = cause.exceptions[0]
        why = self.clean(visible(str(cause))).rstrip(".") or type(cause).__name__
        if isinstance(cause, RedirectedError):
            words = f"{why}. Nothing was sent there. If that is the right server, change"
            where = f"{self._advice.url_setting} to its address{self._advice.and_restart}"
            return ProviderError("RedirectedError", f"{words} {where}.")
        if isinstance(cause, CompressionError):
            words = (
                f"The body of the server's answer {why}. Turn off its compression in the server,"
            )
            gateway = "or in the gateway before it."
            return ProviderError("CompressionError", f"{words} {gateway}")
        if isinstance(cause, CharsetError):
            words = f"The body of the server's answer {why}. Let the server send UTF-8."
            return ProviderError("CharsetError", words)
        proxy = self.route.proxy if self.route is not None else None
        through = f" through the proxy {proxy.shown}" if proxy is not None else ""
        failed = f"The connection to {shown_url(self._settings.base_url)}{through} failed: {why}"
        advice = self.way_advice(why) or self._advice.for_lost_connection(
            has_answered=self.has_answered
        )
        retry = None if is_untrusted(why) else Retry(failed)
        return LostConnectionError("APIConnectionError", f"{failed}.", retry, advice)

    def way_advice(self, why: str = "") -> str:
        """Return what to do if the way to the server is the cause of a failure; empty if it cannot be.

        Args:
            why: The library's words for the failure.
        """
        return self.route.advice(why) if self.route is not None else ""

    @property
    def check_url(self) -> str:
        """Advice to check the base URL."""
        return f"Check {self._advice.url_setting}{self._advice.and_restart}."

    def clean(self, text: str) -> str:
        """Return the text on one line, without secrets."""
        return self.without_secrets(excerpt(text))

    def without_secrets(self, text: str) -> str:
        return redact(text, self._secrets)


def _sentence(words: str) -> str:
    return words if words.endswith(("!", "?")) else f"{words}."


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def shown_url(url: str | None) -> str:
    """Return a URL without the parts that may be secret: user, password and query."""
    if url is None:
        return "the OpenAI API"
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


# Advice about errors of a server: the setting to check, or how to shorten the conversation.


_ANSWERED = "The server has answered before"
_V1 = "(it usually ends in /v1)"
_STORED = "The server expects a stored response, but msgbook stores nothing there."
_SHORTEN = (
    "Leave out or summarize cells with history=exclude, history=summary or %compact; "
    "%context shows the size of each cell. If you set the agent's context_window, "
    "msgbook warns before it sends such a request."
)
_TOO_LARGE = (
    "Images and documents make a request large: leave them out first, or make them smaller."
)
_NOT_HERE = "The provider does not serve the place that your requests come from. Neither key nor settings change that."
_FORBIDDEN = "Change what it forbids, or leave out its cell with history=exclude."


class Advice:
    """Names the settings of one server.

    Args:
        path: Path of the requests of its API below the base URL.
    """

    def __init__(self, settings: ProviderSettings, path: str) -> None:
        self._settings = settings
        self._path = path

    def for_answer(
        self, kind: ErrorKind | None, status: int, model: str | None, model_origin: str
    ) -> str:
        """Return what to do about an error that the server sent; empty if that is not known.

        Args:
            status: HTTP status; 0 if there is none.
            model: The requested model; None for a request that lists the models.
            model_origin: Describes what sets the model.
        """
        match kind or status:
            case "policy":
                return _FORBIDDEN
            case "region":
                return _NOT_HERE
            case "key" | 401 | 403:
                return self._check_key
            case "route":
                return self._for_missing_route()
            case "other_api":
                return f"{_capital(self._set_other_api)}."
            case "stored":
                return f"{_STORED} {_capital(self._set_other_api)}."
            case "loading":
                return "Wait until it has loaded the model."
            case "length":
                return f"{_TOO_LARGE} {_SHORTEN}" if status == 413 else _SHORTEN
            case "model" | 404 if model is not None:
                return self._check_model(model, model_origin)
            case 404:
                return f"Check {self.url_setting} {_V1}{self.and_restart}."
            case 429:
                return "You have reached this provider's rate limit or spending limit. Try again later."
            case _:
                return ""

    def for_no_answer(self, *, has_answered: bool) -> str:
        """Return what to do about an answer that is none of a model.

        Args:
            has_answered: Whether the server has answered a request of this session.
        """
        if has_answered:
            return (
                f"{_ANSWERED}, so this is a fault of the server or of a proxy: run the cell again."
            )
        return f"Check {self.url_setting} {_V1}{self.and_restart}."

    def for_lost_connection(self, *, has_answered: bool) -> str:
        """Return what to do about a server that cannot be reached; the argument is as in `for_no_answer`."""
        if company := vendor_of(self._settings.base_url).company:
            other = (
                f"For a server other than {company}'s, set {self.url_setting}{self.and_restart}."
            )
            return f"Is this computer online, and does a proxy let the request through? {other}"
        if has_answered:
            return f"{_ANSWERED}. Is it still running?"
        return f"Is the server running? Check {self.url_setting}{self.and_restart}."

    @property
    def for_page(self) -> str:
        """Advice about a page for a browser that refuses the request."""
        return (
            "A model server answers with JSON, so this page comes from something else: a proxy, a gateway or another "
            f"site. Check {self.url_setting} {_V1}{self.and_restart}."
        )

    def _check_model(self, model: str, origin: str) -> str:
        if self._settings.is_unsaved:
            return f"Check the model's name ({model!r}) and the URL."
        origin = origin or "MSGBOOK_MODEL or %model"
        return (
            f"Check the model's name ({model!r}, set by {origin}; %models, or `msgbook doctor` in a "
            f"terminal, lists the models of the server) and {self.url_setting}{self.and_restart}."
        )

    @property
    def _check_key(self) -> str:
        if self._settings.is_unsaved:
            key = self._settings.api_key
            return "Check the key." if key else "The server wants a key: enter it above."
        from_environment = self._settings.from_environment
        variable = self._settings.named_key_variable
        saved = self._settings.saved_key
        if saved and not from_environment:
            missing = (
                "" if self._settings.api_key else f"There is no key: {saved.words} is missing. "
            )
            return f"{missing}Enter the key in Connect a Model… of JupyterLab ({saved.words}, for {self._table}), and {RESTART}."
        if variable and not self._settings.api_key:
            whose = "" if from_environment else f", the api_key_env of {self._table},"
            return f"{variable}{whose} is not set. Set it before you start Jupyter or the command."
        if from_environment:
            return f"Check {variable}."
        return f"Check api_key_env or headers of {self._table}, and {RESTART}."

    @property
    def url_setting(self) -> str:
        """The name of the setting with the base URL."""
        if self._settings.from_environment:
            return self._settings.url_variable
        if self._settings.is_unsaved:
            return "the URL"
        return f"base_url of {self._table}"

    @property
    def and_restart(self) -> str:
        """The end of advice about the URL: a kernel reads a changed file when it starts."""
        is_in_file = not (self._settings.from_environment or self._settings.is_unsaved)
        return f", and {RESTART}" if is_in_file else ""

    @property
    def _table(self) -> str:
        return f"[providers.{self._settings.name}] of {self._settings.file}"

    @property
    def _other_api(self) -> str:
        return f'api = "{other_api(self._settings.api, self._settings.base_url)}"'

    @property
    def _set_other_api(self) -> str:
        """The setting of the API, for which the form has no field."""
        setting = f"set {self._other_api} in {self._table}"
        if self._settings.is_unsaved:
            return f"save, and then {setting}"
        return f"{setting}, and {RESTART}"

    def _for_missing_route(self) -> str:
        """Return what to do about a missing path. Nearly all servers have the chat API, so their URL is wrong."""
        url = self._settings.base_url
        missing = (
            f"The server has no {urlsplit(url).path.rstrip('/') if url else '/v1'}{self._path}."
        )
        if self._settings.is_unsaved:
            return f"{missing} Check the URL {_V1}. If it is right, {self._set_other_api}."
        # The table of a provider holds its URL, too; that of the environment's provider does not.
        is_one_table = not self._settings.from_environment
        if self._settings.api != "chat":
            checked = "base_url in the same table" if is_one_table else self.url_setting
            advice = f"Set {self._other_api} in {self._table}, or check {checked} {_V1}"
            return f"{missing} {advice}, and {RESTART}."
        where = "in the same table" if is_one_table else f"in {self._table}"
        advice = f"Check {self.url_setting} {_V1}, or set {self._other_api} {where}"
        return f"{missing} {advice}, and {RESTART}."
