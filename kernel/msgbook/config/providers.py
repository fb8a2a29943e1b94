"""The providers that the user has configured, the environment's first, and those that a person can choose by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from msgbook.config.environment import ANTHROPIC_KEY
from msgbook.config.file import SettingsFile, strip_text
from msgbook.config.key_places import KEY_PLACES, SESSION, find_saved_key
from msgbook.config.settings import ProviderSettings, SavedKey
from msgbook.config.urls import find_url_problem, read_server_url, show_url, with_version
from msgbook.config.vendors import vendor_of
from msgbook.errors import ConfigError
from msgbook.messages import ApiName
from msgbook.text import one_line, visible
from msgbook_format.typed import as_dict

ENVIRONMENT = "openai"
"""Name of the provider that the environment sets."""

ANTHROPIC = "anthropic"
"""Name of the provider that the environment sets by `ANTHROPIC_API_KEY`."""

ORGANIZATION_HEADERS = {
    "OPENAI_ORG_ID": "OpenAI-Organization",
    "OPENAI_PROJECT_ID": "OpenAI-Project",
}
"""Variables of the SDK that are sent as headers."""

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com/v1"


class FoundProviders(NamedTuple):
    """Providers of the environment and the file."""

    providers: dict[str, ProviderSettings]
    """By name, the default one first."""
    set_aside: list[ProviderSettings]
    """Providers that are not used; their secrets stay secret."""


def read_providers(env: Mapping[str, str], file: SettingsFile) -> FoundProviders:
    """Return all providers; the default is the environment's, else the first of the file, else Anthropic's of the
    environment.

    Raises:
        ConfigError: The default provider cannot be used. Another one gets a `problem` and a warning.
    """
    names = file.provider_names()
    found: dict[str, ProviderSettings] = {}
    set_aside: list[ProviderSettings] = []
    ours = _read_environment(env)
    if ours is not None:
        found[ENVIRONMENT] = _with_options(ours, file)
        if ENVIRONMENT in names:
            names.remove(ENVIRONMENT)
            set_aside.append(_read_table(env, file, ENVIRONMENT))
            _warn_of_ignored_keys(file, ours)
    claude = _read_anthropic_environment(env, file)
    for name in names:
        given = claude if name == ANTHROPIC else None
        found[name] = _with_options(given or _read_table(env, file, name), file)
    if claude is not None and ANTHROPIC not in found:
        found[ANTHROPIC] = _with_options(claude, file)
    for number, provider in enumerate(found.values()):
        if provider.problem and number == 0:
            raise ConfigError(provider.problem)
        if provider.problem:
            file.warnings.append(f"{provider.problem} The provider {provider.name} is not used.")
        elif number == 0 and _lacks_variable(provider) and ours is None:
            file.warnings.append(
                f"{provider.key_variable}, the api_key_env of provider {provider.name}, is not set."
            )
    return FoundProviders(found, set_aside)


def other_api(api: ApiName, base_url: str | None) -> ApiName:
    """Return the API that a server may have besides, or instead."""
    return vendor_of(base_url).second_api if api == "chat" else "chat"


def server_url(base_url: str | None) -> str:
    """Return the base URL of a server: OpenAI's if none is set."""
    return base_url or OPENAI_URL


def check_url(url: str | None, setting: str) -> None:
    """Raise `ConfigError`, which names the setting, unless the URL is that of a server."""
    problem = find_url_problem(url, ("http", "https")) if url is not None else ""
    if problem:
        # What has no scheme may be a key that stands in the wrong place.
        quoted = f" ({show_url(url)!r})" if url and "://" in url else ""
        raise ConfigError(
            f"{setting} is not a URL{quoted}: {problem}. "
            "Expected one like http://localhost:11434/v1."
        )


def _read_environment(env: Mapping[str, str]) -> ProviderSettings | None:
    """Return the server of `OPENAI_API_KEY` and `OPENAI_BASE_URL`, with the headers of the environment.

    No URL and no header of the file is added: a key or a header could reach the wrong server.
    """
    key = env.get("OPENAI_API_KEY", "").strip() or None
    base_url = env.get("OPENAI_BASE_URL", "").strip() or None
    if not key and not base_url:
        return None
    check_key(key, "OPENAI_API_KEY")
    check_url(base_url, "OPENAI_BASE_URL")
    return ProviderSettings(
        ENVIRONMENT,
        base_url,
        key,
        "OPENAI_API_KEY",
        headers=_environment_headers(env),
        from_environment=True,
    )


_OWN_SERVER = (
    "base_url",
    "api_key_env",
    *(place.setting for place in KEY_PLACES.values()),
    "plugin",
)
"""Keys of `[providers.anthropic]` that say where its server or its key is: then the environment says nothing."""


def _read_anthropic_environment(
    env: Mapping[str, str], file: SettingsFile
) -> ProviderSettings | None:
    """Return the server of `ANTHROPIC_API_KEY` and `ANTHROPIC_BASE_URL`, unless the file has one of this name."""
    key = env.get(ANTHROPIC_KEY, "").strip() or None
    if not key or any(setting in file.provider(ANTHROPIC) for setting in _OWN_SERVER):
        return None
    base_url = env.get("ANTHROPIC_BASE_URL", "").strip() or ANTHROPIC_URL
    check_key(key, ANTHROPIC_KEY)
    check_url(base_url, "ANTHROPIC_BASE_URL")
    return ProviderSettings(
        ANTHROPIC, base_url, key, ANTHROPIC_KEY, api="anthropic", from_environment=True
    )


def _environment_headers(env: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that the environment sets for its server; those of lines go before."""
    custom = parse_header_lines(env.get("OPENAI_CUSTOM_HEADERS", ""))
    for name, value in custom.items():
        if not _HEADER_NAME.fullmatch(name) or not fits_a_header(value):
            raise ConfigError(
                f"OPENAI_CUSTOM_HEADERS contains a header that cannot be sent ({visible(one_line(name, 60))!r}). "
                "Expected lines of Name: value in ASCII. Correct or unset it."
            )
    named = {name.lower() for name in custom}
    found = {}
    for variable, header in ORGANIZATION_HEADERS.items():
        value = env.get(variable, "").strip()
        if value and not fits_a_header(value):
            raise ConfigError(
                f"{variable} ({visible(one_line(value, 60))!r}) contains a line break or characters that a header "
                "cannot have. Correct or unset it."
            )
        if value and header.lower() not in named:
            found[header] = value
    return {**found, **custom}


def parse_header_lines(text: str) -> dict[str, str]:
    """Return the headers of `OPENAI_CUSTOM_HEADERS`, lines of `Name: value`, as the SDK reads them."""
    lines = (line.partition(":") for line in text.split("\n"))
    return {name.strip(): value.strip() for name, colon, value in lines if colon}


def _read_table(env: Mapping[str, str], file: SettingsFile, name: str) -> ProviderSettings:
    """Return the provider of `[providers.NAME]`; its `problem` says if it cannot be used."""
    entry = file.provider(name)
    variable = strip_text(entry.get("api_key_env"))
    key = (env.get(variable, "").strip() or None) if variable else None
    saved = find_saved_key(entry)
    if saved and not key:
        key = _read_saved_key(saved, file, name)
    headers, options = entry.get("headers", {}), entry.get("options", {})
    provider = ProviderSettings(
        name,
        strip_text(entry.get("base_url")),
        key,
        variable,
        saved,
        {str(key): str(value) for key, value in as_dict(headers).items()},
        plugin=strip_text(entry.get("plugin")) or "",
        options=as_dict(options),
    )
    try:
        _check(provider, f"of [providers.{name}]", entry, file.name)
    except ConfigError as error:
        return replace(provider, problem=str(error))
    return provider


def _read_saved_key(saved: SavedKey, file: SettingsFile, provider: str) -> str | None:
    """Return a key that is saved; without one, warn and return None."""
    place = KEY_PLACES[saved.place]
    try:
        key = place.read(saved.entry)
        why = f"there is no {saved.words}."
    except ConfigError as error:
        key, why = None, str(error)
    # The key of a session comes when a kernel has started.
    if key is None and saved.place != SESSION:
        file.warn(("providers", provider, place.setting), f"provider {provider} has no key: {why}")
    return key


def _lacks_variable(provider: ProviderSettings) -> bool:
    # A key may be saved elsewhere than in its variable.
    return bool(provider.key_variable and not provider.api_key and not provider.saved_key)


def _check(provider: ProviderSettings, whose: str, entry: Mapping[str, Any], file: str) -> None:
    """Raise `ConfigError` unless the provider can be used."""
    if "plugin" in entry and not provider.plugin:
        raise ConfigError(f"{file}: plugin {whose} is not the name of a plug-in's provider.")
    if not isinstance(entry.get("options", {}), dict):
        raise ConfigError(f"{file}: options {whose} is not a table.")
    if "options" in entry and not provider.plugin:
        raise ConfigError(f"{file}: options {whose} are for a plug-in, but plugin is missing.")
    if provider.base_url is None and not provider.plugin and entry.get("api") != "anthropic":
        # Without a URL the SDK would send everything to OpenAI.
        raise ConfigError(_missing_url(provider, whose, file))
    check_url(provider.base_url, f"{file}: base_url {whose}")
    if provider.key_variable or provider.saved_key:
        saved = provider.saved_key
        check_key(provider.api_key, provider.key_variable or f"The key ({saved and saved.words})")
    if not isinstance(entry.get("headers", {}), dict):
        raise ConfigError(f"{file}: headers {whose} is not a table.")
    if not all(map(fits_a_header, (*provider.headers, *provider.headers.values()))):
        raise ConfigError(
            f"{file}: headers {whose} contain a line break or characters that a header cannot have."
        )


def _missing_url(provider: ProviderSettings, whose: str, file: str) -> str:
    if provider.name == ENVIRONMENT:
        return (
            f"{file}: [providers.{ENVIRONMENT}] has no base_url, and neither OPENAI_API_KEY nor OPENAI_BASE_URL "
            f"is set in the environment. Set one of them, or base_url (for OpenAI {OPENAI_URL})."
        )
    if provider.name == ANTHROPIC:
        return (
            f"{file}: [providers.{ANTHROPIC}] has no base_url, and {ANTHROPIC_KEY} is not set in the environment. "
            'Set it, or api = "anthropic" with the setting of a key.'
        )
    return f"{file}: base_url {whose} is missing. For OpenAI it is {OPENAI_URL}."


def check_key(key: str | None, variable: str) -> None:
    """Raise `ConfigError` unless a header can carry the key; libraries fail with obscure errors."""
    if key and (not fits_a_header(key) or " " in key):
        raise ConfigError(
            f"{variable} contains a line break or characters that a key cannot have. Set it again without them."
        )


def fits_a_header(text: str) -> bool:
    """Return whether a header can carry a text as its name or value."""
    return text.isascii() and text.isprintable()


def _with_options(provider: ProviderSettings, file: SettingsFile) -> ProviderSettings:
    """Return the provider with the prices and options of `[providers.NAME]`."""
    name = provider.name
    api = file.options(name, "api").get("api")
    is_claude = provider.from_environment and provider.api == "anthropic"
    if provider.plugin:
        found = replace(provider, api=api or "chat")
    else:
        found = at_base_url(provider, api or ("anthropic" if is_claude else None))
    known = not provider.plugin and found.api in vendor_of(found.base_url).documents
    prices = file.prices(name)
    options = file.options(
        name,
        "keep_reasoning",
        "alternate",
        "documents",
        "requests_per_minute",
        "max_parallel",
        "context_window",
    )
    # A value that cannot be used counts as false.
    documents = known if "documents" not in file.provider(name) else options.get("documents", False)
    return replace(
        found,
        is_api_set=api is not None,
        file=file.name,
        prices=prices,
        **{**options, "documents": documents},
    )


def at_base_url(provider: ProviderSettings, api: ApiName | None) -> ProviderSettings:
    """Return the provider with its base URL, where the whole URL of an endpoint was given, and its API.

    Args:
        api: The API that is set; None for that of the endpoint, or the server's default.
    """
    base_url, of_endpoint = provider.base_url, None
    if base_url is not None:
        base_url, of_endpoint = read_server_url(base_url)
    api = api or of_endpoint or vendor_of(base_url).api
    if api == "anthropic":
        base_url = with_version(base_url or ANTHROPIC_URL)
    return replace(provider, base_url=base_url, api=api)


def _warn_of_ignored_keys(file: SettingsFile, ours: ProviderSettings) -> None:
    """Warn of keys in the file that differ from the environment's provider of the same name."""
    entry = file.provider(ENVIRONMENT)
    url = strip_text(entry.get("base_url"))
    others = [
        "base_url" if url and url.rstrip("/") != (ours.base_url or OPENAI_URL).rstrip("/") else "",
        "api_key_env" if entry.get("api_key_env", ours.key_variable) != ours.key_variable else "",
        "headers" if entry.get("headers") else "",
        "plugin" if entry.get("plugin") else "",
    ]
    for key in filter(None, others):
        file.warn(
            ("providers", ENVIRONMENT, key),
            f"{key} of [providers.{ENVIRONMENT}] is ignored, since OPENAI_API_KEY or OPENAI_BASE_URL is "
            "set in the environment. Give the provider another name.",
        )


# Servers that a person can choose by name when a model is connected.


class Preset(NamedTuple):
    """A server that many people use.

    Attributes:
        name: Wished name of its `[providers.NAME]`.
        title: Name that its makers give it.
        key_variable: Variable that usually holds the key; empty for a server without keys.
        api: The API that is set; None for the default of the URL.
    """

    name: str
    title: str
    base_url: str
    key_variable: str = ""
    api: ApiName | None = None


PRESETS = (
    # `openai` is the provider of the environment.
    Preset("openai-api", "OpenAI", OPENAI_URL, "OPENAI_API_KEY"),
    Preset("anthropic", "Anthropic", ANTHROPIC_URL, ANTHROPIC_KEY, "anthropic"),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    Preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
    Preset("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    Preset("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Preset("ollama", "Ollama", "http://localhost:11434/v1"),
    Preset("lm-studio", "LM Studio", "http://localhost:1234/v1"),
    Preset("llama-cpp", "llama.cpp", "http://localhost:8080/v1"),
    Preset("vllm", "vLLM", "http://localhost:8000/v1"),
)
"""In the order in which they are offered: hosted ones first, then those on the person's computer."""
