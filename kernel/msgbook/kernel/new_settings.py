"""The settings that a person enters to connect a model: checked, tried and written into `msgbook.toml`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from jupyter_core.paths import jupyter_config_dir

from msgbook.config import (
    ProviderSettings,
    Settings,
    at_base_url,
    check_url,
    config_path,
    load_settings,
    redact,
    show_url,
)
from msgbook.config.key_places import KEY_PLACES, SESSION
from msgbook.config.key_store import find_key_store
from msgbook.config.providers import ENVIRONMENT, OPENAI_URL, PRESETS, fits_a_header
from msgbook.config.urls import origin_of
from msgbook.config.written_settings import (
    Answers,
    SettingsWriteError,
    edit_settings,
    free_name,
    write_settings,
)
from msgbook.errors import ConfigError, ProviderError
from msgbook.messages import ApiName
from msgbook.server_checks.answer import as_objects
from msgbook.server_checks.server import check_server
from msgbook.server_checks.server import list_models as list_models_of
from msgbook_format.typed import as_text

# Keys in a `msgbook.toml` that stand where msgbook reads none.


_KEY_NAME = re.compile(r"(?:auth|key|token|secret|cookie|password)$", re.IGNORECASE)

_KEY_LENGTH = 8
"""Characters from which on a setting named like a key counts as one."""


def texts_named_like_keys(toml: str) -> Iterator[str]:
    """Yield the texts of a file's settings that are named like a key."""
    waiting: list[Any] = [tomllib.loads(toml)]
    while waiting:
        value = waiting.pop()
        match value:
            case dict():
                for name, entry in value.items():
                    if len(as_text(entry)) >= _KEY_LENGTH and _KEY_NAME.search(name):
                        yield entry
                waiting += value.values()
            case list():
                waiting += value


LIST_SECONDS = 20.0
"""Limit for a server's list of models: a person waits for it in a form."""

TEST_SECONDS = 60.0
"""Limit for each request of a test: a local server may have to load the model first."""


def describe_state(settings: Settings) -> dict[str, Any]:
    """Return what the form shows before anything is entered: no key, and of URLs no password.

    Its fields are those of the default provider, if it can be entered in the form.
    """
    path = _path()
    provider = settings.provider
    return {
        "path": str(path),
        "exists": path.exists(),
        "configured": provider is not None,
        "model": settings.model or "",
        "current": _current(provider, settings.model or "") if provider else None,
        "overriding": list(_overriding(settings)),
        "keyring": find_key_store(),
        "presets": [preset._asdict() for preset in PRESETS],
    }


async def list_models(form: Form, settings: Settings) -> dict[str, Any]:
    """Return the models of the server.

    Raises:
        ConfigError: The form cannot be used, or the server does not list its models.
    """
    server = _provider(form, settings)
    try:
        return {"models": await list_models_of(server, seconds=LIST_SECONDS)}
    except TimeoutError:
        why = f"The server did not list its models in {LIST_SECONDS:g} s."
        raise ConfigError(why) from None
    except ProviderError as error:
        # The advice names settings that are not written yet.
        raise ConfigError(_clean(error.what, server)) from None


async def test(form: Form, settings: Settings) -> dict[str, Any]:
    """Return the findings of `msgbook doctor` about the server and the model.

    Raises:
        ConfigError: The form cannot be used.
    """
    server = _provider(form, settings)
    tried = Settings({server.name: server}, form.model or None, "this form")
    usage: dict[str, int] = {}
    checks = check_server(tried, server, usage, seconds=TEST_SECONDS, file=_path().name)
    found = as_objects([finding async for finding in checks])
    clean = [{key: _clean(text, server) for key, text in finding.items()} for finding in found]
    return {"findings": clean, "tokens": sum(usage.values())}


def with_session_key(form: Form, keys: Mapping[str, str]) -> Form:
    """Return the form with the key of the session for its server, if it wants that one and none was typed.

    Args:
        keys: By the base URLs of their servers.
    """
    if form.key_from != SESSION or form.key:
        return form
    return replace(form, key=keys.get(_server(form).base_url or "", ""))


def preview(form: Form, settings: Settings) -> dict[str, Any]:
    """Return the file as `save` would write it, to look at: without the secrets of its headers.

    Raises:
        ConfigError: The form cannot be used.
        SettingsWriteError: The file cannot be changed safely.
    """
    old, new = _change(form)
    secrets = (*settings.secrets, *_secrets_of_file(), *texts_named_like_keys(old))
    return {
        "path": str(_path()),
        "text": redact(new, secrets),
        "old": redact(old, secrets),
        "digest": _digest(old, new),
        "server": _server(form).base_url,
    }


def save(form: Form, digest: str) -> dict[str, Any]:
    """Save the key in its place, and write the file if it is the one that the person was shown.

    Args:
        digest: Of the text that was shown.

    Raises:
        ConfigError: The form or the place of the key cannot be used.
        SettingsWriteError: The file has changed, or cannot be written.
    """
    old, new = _change(form)
    if digest != _digest(old, new):
        raise SettingsWriteError(
            "The file has changed since it was shown. Nothing was written: look at the new text."
        )
    path, place = _path().resolve(), KEY_PLACES.get(form.key_from)
    entry = free_name(old, form.name)
    if place and form.key:
        place.save(entry, form.key)
    try:
        backup = None
        if new != old:
            backup = write_settings(path, new, old=old.encode() if path.exists() else None)
    except SettingsWriteError:
        if place and form.key:
            place.delete(entry)
        raise
    return {"path": str(path), "backup": backup.name if backup else None}


def _change(form: Form) -> tuple[str, str]:
    """Return the text of the file, and the one that it would have."""
    old = _read(_path())
    return old, edit_settings(old, _answers(form, old), free_name(old, form.name))


def _digest(old: str, new: str) -> str:
    return sha256(f"{old}\0{new}".encode()).hexdigest()


def _secrets_of_file() -> tuple[str, ...]:
    return settings.secrets if (settings := _settings_of_file()) else ()


def _providers_of_file() -> Collection[ProviderSettings]:
    return settings.providers.values() if (settings := _settings_of_file()) else ()


def _settings_of_file() -> Settings | None:
    """Return the settings as the file has them now; it may have changed since the kernel started."""
    try:
        return load_settings()
    except ConfigError:
        return None


def _answers(form: Form, old: str) -> Answers:
    form.check()
    if not form.model:
        raise ConfigError("Choose a model.")
    place = KEY_PLACES.get(form.key_from)
    return Answers(
        form.base_url,
        form.key_variable if form.key_from == "variable" else "",
        form.model,
        form.api,
        (place.setting, place.value(_entry(form, old))) if place else None,
    )


def _entry(form: Form, old: str) -> str:
    """Return the name of the key's entry: that of the provider, which is new if the key is."""
    if form.key:
        return free_name(old, form.name)
    if _saved_key(form) is None:
        raise ConfigError("Enter the key: none is saved there for this provider and this server.")
    return form.name


def _saved_key(form: Form) -> str | None:
    """Return the key that is saved in the form's place for its server; None if there is none.

    A key that was entered for one server is sent to no other that is typed in its place.
    """
    is_for_server = any(
        provider.saved_key is not None
        and (provider.saved_key.place, provider.saved_key.entry) == (form.key_from, form.name)
        and origin_of(provider.base_url or "") == origin_of(form.base_url)
        for provider in _providers_of_file()
    )
    return KEY_PLACES[form.key_from].read(form.name) if is_for_server else None


def _provider(form: Form, settings: Settings) -> ProviderSettings:
    """Return the settings of the server in the form."""
    form.check()
    key: str | None = None
    if form.key_from == "variable":
        key = _value_of(form.key_variable, settings)
        if key is None:
            raise ConfigError(
                f"{form.key_variable} is not set in the environment of JupyterLab. Set it before you start "
                "JupyterLab."
            )
    elif form.key_from in KEY_PLACES:
        key = form.key or _saved_key(form)
    return _server(form, key)


def _server(form: Form, key: str | None = None) -> ProviderSettings:
    provider = ProviderSettings(
        form.name,
        form.base_url,
        key,
        form.key_variable if form.key_from == "variable" else None,
        is_api_set=bool(form.api),
        is_unsaved=True,
        file=_path().name,
    )
    return at_base_url(provider, form.api or None)  # type: ignore[arg-type]  # checked


def _current(provider: ProviderSettings, model: str) -> dict[str, str] | None:
    """Return the fields of the form for a provider; None if the form has no fields for what it needs."""
    if provider.plugin or provider.base_url != (show_url(provider.base_url or "") or None):
        return None
    saved, variable = provider.saved_key, provider.key_variable if provider.api_key else None
    return {
        "name": (saved.entry if saved else "") or provider.name,
        "base_url": provider.base_url or OPENAI_URL,
        "key_from": "variable" if variable else saved.place if saved else "none",
        "key_variable": variable or "",
        "model": model,
        "api": provider.api if provider.is_api_set or provider.api == "anthropic" else "",
    }


def _value_of(variable: str, settings: Settings) -> str | None:
    """Return the value of a variable, also if the session has hidden it as a key."""
    hidden = {p.key_variable: p.api_key for p in settings.providers.values() if not p.saved_key}
    return hidden.get(variable) or os.environ.get(variable, "").strip() or None


def _overriding(settings: Settings) -> Iterator[str]:
    """Yield the names of the set variables that go before the file."""
    ours = settings.providers.get(ENVIRONMENT)
    ours = ours if ours and ours.from_environment else None
    if ours and ours.api_key:
        yield "OPENAI_API_KEY"
    if ours and ours.base_url:
        yield "OPENAI_BASE_URL"
    if os.environ.get("MSGBOOK_MODEL", "").strip():
        yield "MSGBOOK_MODEL"


def _clean(text: str, server: ProviderSettings) -> str:
    return redact(text, Settings({server.name: server}).secrets)


def _path() -> Path:
    return config_path(os.environ) or Path(jupyter_config_dir()) / "msgbook.toml"


def _read(path: Path) -> str:
    """Return the text of the file; empty if there is none."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsWriteError(f"{path.name} cannot be read: {error}.") from error


# The fields of the form that connects a model, as a page sends them.


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
            raise ConfigError("Choose one of the APIs.")
