"""The fields of the form that connects a model, as a page sends them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import get_args

from msgbook.config import check_url
from msgbook.config.key_places import KEY_PLACES
from msgbook.config.providers import fits_a_header
from msgbook.errors import ConfigError
from msgbook.messages import ApiName

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Form:
    """The fields as a person has filled them in so far, unchecked.

    Attributes:
        name: Wished name of the provider.
        key_from: `none`, `variable`, or the name of a place for keys (`KEY_PLACES`).
        key: The key that was typed; empty for the one that is saved.
    """

    name: str
    base_url: str
    key_from: str
    key_variable: str
    model: str
    api: str
    key: str = field(default="", repr=False)

    def check(self) -> None:
        """Raise `ConfigError` unless a server can be asked with it."""
        if not self.base_url:
            raise ConfigError("Enter the URL of the server, such as http://localhost:11434/v1.")
        check_url(self.base_url, "The URL")
        if not _NAME.fullmatch(self.name):
            raise ConfigError("The provider's name can have letters, digits, - and _ only.")
        if self.key_from not in ("none", "variable", *KEY_PLACES):
            raise ConfigError("Choose where the key is.")
        if self.key_from == "variable" and not _VARIABLE.fullmatch(self.key_variable):
            raise ConfigError(
                "Enter the name of an environment variable, such as OPENAI_API_KEY, and not the key itself."
            )
        if self.key and (not fits_a_header(self.key) or " " in self.key):
            raise ConfigError(
                "The key contains a blank, a line break or a character that no key has."
            )
        if self.api and self.api not in get_args(ApiName):
            raise ConfigError("Choose one of the two APIs.")
