"""Advice about errors of a server: the setting to check, or how to shorten the conversation."""

from __future__ import annotations

from urllib.parse import urlsplit

from msgbook.config import ProviderSettings
from msgbook.messages import OTHER_API
from msgbook.provider.error_kinds import ErrorKind

_ANSWERED = "The server has answered before"
_V1 = "(it usually ends in /v1)"
_STORED = "It looks for something that it has stored, and msgbook stores nothing there."
_SHORTEN = (
    "Leave out or summarize cells with history=exclude, history=summary or %compact; "
    "%context shows the size of each cell. If you set the agent's context_window, "
    "msgbook warns before it sends such a request."
)


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
            case "key" | 401 | 403:
                return f"Check {self.key_setting}."
            case "route":
                return self._for_missing_route()
            case "other_api":
                return f"Set {self._other_api} in {self._table}."
            case "stored":
                return f"{_STORED} Set {self._other_api} in {self._table}."
            case "loading":
                return "Wait until it has loaded the model."
            case "length":
                return _SHORTEN
            case "model" | 404 if model is not None:
                origin = model_origin or "MSGBOOK_MODEL or %model"
                return (
                    f"Check the model's name ({model!r}, set by {origin}; %models, or `msgbook doctor` in a "
                    f"terminal, lists the models of the server) and {self.url_setting}."
                )
            case 404:
                return f"Check {self.url_setting} {_V1}."
            case 429:
                return (
                    "Your rate limit or your budget with this provider is used up. Try again later."
                )
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
        return f"Check {self.url_setting} {_V1}."

    def for_lost_connection(self, *, has_answered: bool) -> str:
        """Return what to do about a server that cannot be reached; the argument is as in `for_no_answer`."""
        if self._settings.base_url is None:
            return "Is this computer online? For a server other than OpenAI's, set OPENAI_BASE_URL."
        if has_answered:
            return f"{_ANSWERED}. Is it still running?"
        return f"Is the server running? Check {self.url_setting}."

    @property
    def key_setting(self) -> str:
        if self._settings.from_environment:
            return "OPENAI_API_KEY"
        table = f"[providers.{self._settings.name}] in msgbook.toml"
        if self._settings.key_variable and not self._settings.api_key:
            return (
                f"{self._settings.key_variable}, which is not set: it is the api_key_env of {table}"
            )
        return f"api_key_env or headers of {table}"

    @property
    def url_setting(self) -> str:
        if self._settings.from_environment:
            return "OPENAI_BASE_URL"
        return f"base_url of [providers.{self._settings.name}] in msgbook.toml"

    @property
    def _table(self) -> str:
        return f"[providers.{self._settings.name}] of msgbook.toml"

    @property
    def _other_api(self) -> str:
        return f'api = "{OTHER_API[self._settings.api]}"'

    def _for_missing_route(self) -> str:
        """Return what to do about a missing path. Nearly all servers have the chat API, so their URL is wrong."""
        url = self._settings.base_url
        missing = f"It has no {urlsplit(url).path.rstrip('/') if url else '/v1'}{self._path}."
        # The table of a provider holds its URL, too; that of the environment's provider does not.
        is_one_table = not self._settings.from_environment
        if self._settings.api == "responses":
            checked = "base_url there" if is_one_table else self.url_setting
            return f"{missing} Set {self._other_api} in {self._table}, or check {checked} {_V1}."
        where = "there" if is_one_table else f"in {self._table}"
        return f"{missing} Check {self.url_setting} {_V1}, or set {self._other_api} {where}."
