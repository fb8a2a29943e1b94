"""`msgbook doctor --setup`: `msgbook.toml`, written by asking."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgbook.cli.doctor.findings import split_advice
from msgbook.cli.terminal import home_as_tilde, line_of, say
from msgbook.cli.usage_errors import CommandError
from msgbook.config import ProviderSettings
from msgbook.errors import ConfigError, ProviderError

Ask = Callable[[str], str]
"""Puts a question to the user and returns the answer; raises `EOFError` where there is none."""

OPENAI_URL = "https://api.openai.com/v1"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERED = 20
"""Models that are shown to choose from by number."""
_CHOOSE_LATER = (
    'No model is chosen. No message is answered before one is: write `model = "NAME"` at the top of '
    "the file, set MSGBOOK_MODEL, or put `%model NAME` into a cell above the message."
)
_ONLY_ONE = "A server that offers just one model needs none of this."


@dataclass(frozen=True, slots=True)
class Answers:
    """What the user wants the file to say."""

    base_url: str
    key_variable: str
    """Empty: the server needs no key."""
    model: str
    """Empty: the server offers just one, or it is to be chosen later."""


def set_up(*, seconds: float) -> None:
    """Ask, and write the file that the kernel reads.

    Args:
        seconds: That the server may take to list its models.

    Raises:
        CommandError: Nobody can be asked, the user wants no change, or it cannot be written.
    """
    path = _target()
    if not sys.stdin.isatty():
        raise CommandError(f"--setup asks questions and needs a terminal. The file is {path}.")
    for name in ("OPENAI_BASE_URL", "MSGBOOK_MODEL"):
        if os.environ.get(name):
            say(f"{name} is set in the environment and goes before what the file says.")
    try:
        replaced = _may_write(path, input)
        answers = ask_settings(
            input, lambda url, variable: asyncio.run(_offered(url, variable, seconds))
        )
    except EOFError:
        raise CommandError("No answer; nothing was written.") from None
    backup = write_settings(path, answers, replace=replaced)
    say(
        f"Wrote {home_as_tilde(str(path))}."
        + (f" The file before it is {backup.name}." if backup else "")
    )
    is_meant = answers.base_url == OPENAI_URL and answers.key_variable == "OPENAI_API_KEY"
    if os.environ.get("OPENAI_API_KEY") and not is_meant:
        say("OPENAI_API_KEY is set in the environment and goes before what the file says.")
    say("")


def ask_settings(ask: Ask, offered: Callable[[str, str], list[str] | None]) -> Answers:
    """Ask for server, key variable and model. A key itself is neither asked for nor written.

    Args:
        offered: The models of a server, asked with the key in a variable; None when it does not
            tell them.
    """
    while True:
        url, variable = _ask_server(ask)
        models = offered(url, variable)
        if models is not None or _says_yes(ask, "Keep these answers all the same? [y/N] "):
            return Answers(url, variable, _ask_model(ask, models or []))


def _ask_server(ask: Ask) -> tuple[str, str]:
    """The base URL, and the variable of the key, which may be empty."""
    url = _ask_until(ask, f"Base URL of the server [{OPENAI_URL}]: ", _wrong_url) or OPENAI_URL
    default = "OPENAI_API_KEY" if url == OPENAI_URL else "none"
    question = f"Name of the environment variable that holds the key [{default}]: "
    variable = _ask_until(ask, question, _wrong_variable) or default
    variable = "" if variable == "none" else variable
    if variable and not os.environ.get(variable):
        say(f"{variable} is not set here. Set it before you start JupyterLab.")
    return url, variable


def toml_of(answers: Answers) -> str:
    """The file's text."""
    key = f"api_key_env = {_quoted(answers.key_variable)}\n" if answers.key_variable else ""
    model = f"model = {_quoted(answers.model)}\n\n" if answers.model else ""
    return f"{model}[providers.main]\nbase_url = {_quoted(answers.base_url)}\n{key}"


def write_settings(path: Path, answers: Answers, *, replace: bool) -> Path | None:
    """Write the file in one step, for its owner alone.

    Returns:
        Where the file that was there is now; None when there was none.

    Raises:
        CommandError: It cannot be written, or there is one by now and `replace` is false.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(toml_of(answers))
        if replace:
            backup = _free_name(path)
            os.link(path, backup)
            fresh.replace(path)
            return backup
        # Unlike a rename, a link never replaces a file that has come in between.
        os.link(fresh, path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    finally:
        fresh.unlink(missing_ok=True)
    return None


def _target() -> Path:
    from msgbook.config import config_path

    named = config_path(os.environ)
    if named:
        return named
    from jupyter_core.paths import jupyter_config_dir

    return Path(jupyter_config_dir()) / "msgbook.toml"


def _may_write(path: Path, ask: Ask) -> bool:
    """Whether there is a file to replace, with the user's leave."""
    if not path.exists():
        return False
    shown = home_as_tilde(str(path))
    if not _says_yes(ask, f"{shown} exists. Replace it, and keep a copy? [y/N] "):
        raise CommandError(f"{path} was left as it is.")
    return True


def _free_name(path: Path) -> Path:
    number = 1
    while (backup := path.with_name(f"{path.name}.bak{number}")).exists():
        number += 1
    return backup


def _says_yes(ask: Ask, question: str) -> bool:
    return ask(question).strip().lower() in ("y", "yes")


def _ask_until(ask: Ask, question: str, wrong: Callable[[str], str]) -> str:
    """An answer that is right, or empty."""
    while True:
        answer = ask(question).strip()
        problem = wrong(answer) if answer else ""
        if not problem:
            return answer
        say(problem)


def _wrong_url(url: str) -> str:
    from msgbook.config import check_url

    try:
        check_url(url, "This")
    except ConfigError as error:
        return str(error)
    return ""


def _wrong_variable(name: str) -> str:
    if _VARIABLE.fullmatch(name):
        return ""
    return "That is no name of a variable. The key itself stays out of the file; none means no key."


async def _offered(url: str, variable: str, seconds: float) -> list[str] | None:
    """The server's models; None when it does not tell them, with a word why."""
    from msgbook.provider import OpenAIProvider

    key = os.environ.get(variable, "").strip() or None
    settings = ProviderSettings("main", url, key, variable or None)
    provider = OpenAIProvider(settings, secrets=(key,) if key else ())
    try:
        async with asyncio.timeout(seconds):
            return await provider.models()
    except TimeoutError:
        say(f"The server did not list its models in {seconds:g} s.")
    except ProviderError as error:
        # Its advice names settings that are not written yet.
        say(line_of(split_advice(str(error))[0]))
    finally:
        await provider.close()
    return None


def _ask_model(ask: Ask, offered: list[str]) -> str:
    for number, name in enumerate(offered[:_NUMBERED], 1):
        say(f"{number:4} {line_of(name)}")
    if len(offered) > _NUMBERED:
        say(f"     and {len(offered) - _NUMBERED} more")
    default = offered[0] if len(offered) == 1 else ""
    shown = f" [{line_of(default)}]" if default else ""
    how = "number or name" if offered else "name"
    none = "" if default else " (Enter: none yet)"
    answer = ask(f"Model, by {how}{shown}{none}: ").strip()
    if answer.isdecimal() and 1 <= int(answer) <= min(len(offered), _NUMBERED):
        return offered[int(answer) - 1]
    if not (answer or default or os.environ.get("MSGBOOK_MODEL")):
        say(_CHOOSE_LATER if offered else f"{_CHOOSE_LATER} {_ONLY_ONE}")
    return answer or default


def _quoted(text: str) -> str:
    """A TOML string; JSON's are the same, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
