"""Messages of a Python notebook in Jupytext's other formats: for these `%%msg` is the name of a language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook_format.syntax import CODE_FIRST_CELLS, MSG_MAGIC

Function = Callable[..., Any]

MESSAGE = MSG_MAGIC.removeprefix("%%")


def parser_init(original: Function) -> Function:
    """Let Jupytext's parser find no strings in a message."""

    def init(self: Any, language: str | None) -> None:
        original(self, language)
        self.ignore = self.ignore or language == MESSAGE

    return init


def cell_language(original: Function) -> Function:
    """Take the line of a message off a cell's lines, with the blanks above it, and return what follows the magic."""

    def find(
        source: list[str], default_language: str, custom_cell_magics: list[str]
    ) -> tuple[str | None, str | None]:
        place = next((n for n, line in enumerate(source) if line.strip()), 0)
        words = source[place].strip() if source else ""
        is_message = words.startswith(MSG_MAGIC) and CODE_FIRST_CELLS.is_message(words)
        if is_message and default_language == "python":
            del source[: place + 1]
            return MESSAGE, words.removeprefix(MSG_MAGIC).lstrip()
        found: tuple[str | None, str | None] = original(
            source, default_language, custom_cell_magics
        )
        return found

    return find
