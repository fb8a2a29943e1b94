"""Advice about errors of a server: the setting to check, or how to shorten the conversation."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgbook.config import ProviderSettings, default_api
from msgbook.errors import RESTART
from msgbook.messages import OTHER_API
from msgbook.provider.error_kinds import ErrorKind

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
                return f"Set {self._other_api} in {self._table}, and {RESTART}."
            case "stored":
                return f"{_STORED} Set {self._other_api} in {self._table}, and {RESTART}."
            case "loading":
                return "Wait until it has loaded the model."
            case "length":
                return f"{_TOO_LARGE} {_SHORTEN}" if status == 413 else _SHORTEN
            case "model" | 404 if model is not None:
                origin = model_origin or "MSGBOOK_MODEL or %model"
                return (
                    f"Check the model's name ({model!r}, set by {origin}; %models, or `msgbook doctor` in a "
                    f"terminal, lists the models of the server) and {self.url_setting}{self.and_restart}."
                )
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
        if default_api(self._settings.base_url) == "responses":
            # The host is OpenAI's own.
            other = f"For a server other than OpenAI's, set {self.url_setting}{self.and_restart}."
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

    @property
    def _check_key(self) -> str:
        from_environment = self._settings.from_environment
        variable = "OPENAI_API_KEY" if from_environment else self._settings.key_variable
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
            return "OPENAI_BASE_URL"
        return f"base_url of {self._table}"

    @property
    def and_restart(self) -> str:
        """The end of advice about the URL: a kernel reads a changed file when it starts."""
        return "" if self._settings.from_environment else f", and {RESTART}"

    @property
    def _table(self) -> str:
        return f"[providers.{self._settings.name}] of {self._settings.file}"

    @property
    def _other_api(self) -> str:
        return f'api = "{OTHER_API[self._settings.api]}"'

    def _for_missing_route(self) -> str:
        """Return what to do about a missing path. Nearly all servers have the chat API, so their URL is wrong."""
        url = self._settings.base_url
        missing = (
            f"The server has no {urlsplit(url).path.rstrip('/') if url else '/v1'}{self._path}."
        )
        # The table of a provider holds its URL, too; that of the environment's provider does not.
        is_one_table = not self._settings.from_environment
        if self._settings.api == "responses":
            checked = "base_url in the same table" if is_one_table else self.url_setting
            advice = f"Set {self._other_api} in {self._table}, or check {checked} {_V1}"
            return f"{missing} {advice}, and {RESTART}."
        where = "in the same table" if is_one_table else f"in {self._table}"
        advice = f"Check {self.url_setting} {_V1}, or set {self._other_api} {where}"
        return f"{missing} {advice}, and {RESTART}."
