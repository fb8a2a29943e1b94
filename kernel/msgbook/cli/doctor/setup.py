"""`msgbook doctor --setup`: asks the user for the settings of `msgbook.toml`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from jupyter_core.paths import jupyter_config_dir

from msgbook.cli.terminal import CommandError, home_as_tilde, line_of, say
from msgbook.config import ProviderSettings, check_url, config_path
from msgbook.config.providers import OPENAI_URL, at_base_url
from msgbook.config.vendors import vendor_of
from msgbook.config.written_settings import Answers, SettingsWriteError, format_toml, write_settings
from msgbook.errors import ConfigError, ProviderError, describe_file_error
from msgbook.messages import ApiName
from msgbook.server_checks.server import list_models
from msgbook_format.files import read_regular

Ask = Callable[[str], str]
"""Asks the user a question and returns the answer; raises `EOFError` if there is none."""

_UNSET = "unset it before you start Jupyter or the command."
_OVERRIDING = {
    "OPENAI_API_KEY": f"For a server other than OpenAI's, {_UNSET} Its key can be in another variable.",
    "OPENAI_BASE_URL": f"To use the server that you name below, {_UNSET}",
    "MSGBOOK_MODEL": f"To use the model that you name below, {_UNSET}",
}
"""What to do about variables that override the file."""

_KEYS = {"OpenAI": "OPENAI_API_KEY", "Anthropic": "ANTHROPIC_API_KEY"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERED = 20
"""Models that are numbered."""
_CHOOSE_LATER = (
    'No model is set. Before you send a message, write `model = "NAME"` at the top of the file, set '
    "MSGBOOK_MODEL, or write `%model NAME` into a cell above the message."
)
_ONLY_ONE = "If the server offers only one model, you need not do this."


def set_up(*, seconds: float) -> None:
    """Ask the user and write the file that the kernel reads.

    Args:
        seconds: Limit for the server's list of models.

    Raises:
        CommandError: Nobody can be asked, the user wants no change, or the file cannot be written.
    """
    path = _target()
    if not sys.stdin.isatty():
        raise CommandError(f"--setup asks questions and needs a terminal. The file is {path}.")
    for name, what_to_do in _OVERRIDING.items():
        if os.environ.get(name):
            say(f"The environment variable {name} is set and overrides the file. {what_to_do}")
    try:
        old = _read_replaced(path, input)
        answers = ask_settings(
            input, lambda url, variable: asyncio.run(_offered(url, variable, seconds))
        )
    except EOFError:
        raise CommandError("Cancelled; nothing was written.") from None
    try:
        backup = write_settings(path, format_toml(answers), old=old)
    except SettingsWriteError as error:
        raise CommandError(str(error)) from error
    say(
        f"Wrote {home_as_tilde(str(path))}."
        + (f" The old file is now {backup.name}." if backup else "")
    )
    say("")


def ask_settings(ask: Ask, offered: Callable[[str, str], list[str] | None]) -> Answers:
    """Ask for server, key variable and model. The key itself is never asked for or written.

    Args:
        offered: Returns the models of a server, given its URL and the variable of the key; None if
            the server does not list them.
    """
    url = OPENAI_URL
    while True:
        url, variable = _ask_server(ask, url)
        models = offered(url, variable)
        if models is not None or _says_yes(ask, "Keep these answers anyway? [y/N] "):
            return Answers(url, variable, _ask_model(ask, models or []), _ask_api(ask, url))


def _ask_server(ask: Ask, default_url: str) -> tuple[str, str]:
    """Return the base URL and the variable of the key, which may be empty."""
    url = _ask_until(ask, f"Base URL of the server [{default_url}]: ", _wrong_url) or default_url
    default = _KEYS.get(vendor_of(url).company, "none")
    question = f"Name of the environment variable that holds the key [{default}]: "
    variable = _ask_until(ask, question, _wrong_variable) or default
    variable = "" if variable == "none" else variable
    if variable and not os.environ.get(variable):
        say(f"{variable} is not set in this shell. Set it before starting JupyterLab.")
    return url, variable


def _target() -> Path:
    named = config_path(os.environ)
    if named:
        return named
    return Path(jupyter_config_dir()) / "msgbook.toml"


def _read_replaced(path: Path, ask: Ask) -> bytes | None:
    """Return the content of the file that is replaced, after the user has agreed; None without a file."""
    if not path.exists():
        return None
    shown = home_as_tilde(str(path))
    if not _says_yes(ask, f"{shown} exists. Replace it, and keep a copy? [y/N] "):
        raise CommandError(f"{path} was not changed.")
    try:
        return read_regular(path)
    except OSError as error:
        raise CommandError(describe_file_error(path, error)) from error


def _says_yes(ask: Ask, question: str) -> bool:
    return ask(question).strip().lower() in ("y", "yes")


def _ask_until(ask: Ask, question: str, wrong: Callable[[str], str]) -> str:
    """Return an answer that is valid or empty."""
    while True:
        answer = ask(question).strip()
        problem = wrong(answer) if answer else ""
        if not problem:
            return answer
        say(problem)


def _wrong_url(url: str) -> str:
    try:
        check_url(url, "This")
    except ConfigError as error:
        return str(error)
    return ""


def _wrong_variable(name: str) -> str:
    if _VARIABLE.fullmatch(name):
        return ""
    return "That is not the name of a variable. Do not type the key itself: it does not belong in the file. For no key, type none."


def _wrong_api(name: str) -> str:
    return "" if name in get_args(ApiName) else "Enter chat, responses or anthropic."


def _known_api(url: str) -> ApiName | None:
    return "anthropic" if vendor_of(url).company == "Anthropic" else None


async def _offered(url: str, variable: str, seconds: float) -> list[str] | None:
    """Return the server's models, or print why it does not list them and return None."""
    key = os.environ.get(variable, "").strip() or None
    settings = at_base_url(
        ProviderSettings("main", url, key, variable or None), _known_api(url) or None
    )
    try:
        return await list_models(settings, seconds=seconds)
    except TimeoutError:
        say(f"The server did not list its models in {seconds:g} s.")
    except ProviderError as error:
        # The advice names settings that are not written yet.
        say(line_of(error.what))
    return None


def _ask_model(ask: Ask, offered: list[str]) -> str:
    for number, name in enumerate(offered[:_NUMBERED], 1):
        say(f"{number:4} {line_of(name)}")
    if len(offered) > _NUMBERED:
        say(f"     and {len(offered) - _NUMBERED} more")
    default = offered[0] if len(offered) == 1 else ""
    shown = f" [{line_of(default)}]" if default else ""
    how = "number or name" if offered else "name"
    later = "" if default else "; Enter to choose later"
    answer = ask(f"Model ({how}{later}){shown}: ").strip()
    if answer.isdecimal() and 1 <= int(answer) <= min(len(offered), _NUMBERED):
        return offered[int(answer) - 1]
    if not (answer or default or os.environ.get("MSGBOOK_MODEL")):
        say(_CHOOSE_LATER if offered else f"{_CHOOSE_LATER} {_ONLY_ONE}")
    return answer or default


def _ask_api(ask: Ask, url: str) -> str:
    """Return the API; empty for the default. Of OpenAI's and Anthropic's own servers it is known."""
    if vendor_of(url).company:
        return _known_api(url) or ""
    question = "API: chat, responses or anthropic (the checks below compare them) [chat]: "
    return _ask_until(ask, question, _wrong_api)
