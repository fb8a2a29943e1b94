"""Settings in force with their origins, never with a secret, and checks of all that needs no model server."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from importlib import import_module, metadata
from itertools import groupby
from pathlib import Path
from pkgutil import iter_modules

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_core.paths import jupyter_path

from msgbook.config import (
    DEMO_MODEL,
    Limits,
    ProviderSettings,
    Settings,
    config_path,
    redact,
    server_url,
)
from msgbook.config.known_models import describe_data, find_price, find_window
from msgbook.config.providers import ANTHROPIC_URL
from msgbook.errors import ConfigError
from msgbook.network.variables import Server, examine_environment
from msgbook.plugins import PROVIDERS, Entry, find_entries, installed_entries, is_off
from msgbook.provider import Servers, find_provider_entry, shown_url
from msgbook.server_checks.answer import Finding
from msgbook.text import counted, join_first, one_line, visible
from msgbook.tools import ToolHost, load_tools
from msgbook.tools.mcp import McpError, McpServer, McpServers
from msgbook_format.lazy import load_extra
from msgbook_format.syntax import CHAT_KERNEL, CODE_FIRST_KERNEL

PROJECT = ".msgbook/config.toml"
"""Name of a project's configuration file, for the user."""


def select_provider(settings: Settings, provider: str | None, model: str | None) -> Settings:
    """Return the settings with another default provider and model.

    Args:
        provider: Name of a provider in the settings; None for the default.
        model: None for the configured model, which belongs to the default provider.

    Raises:
        ConfigError: There is no such provider, or it cannot be used.
    """
    server = Servers(settings, problem=None, sleep=asyncio.sleep).find_settings(None, provider)
    if server is not None and server is not settings.provider:
        settings = replace(settings, providers={server.name: server}, model=None)
    return replace(settings, model=model, model_origin="--model") if model else settings


def describe_settings(
    settings: Settings, env: Mapping[str, str], path: Path | None
) -> dict[str, str]:
    """Return the settings by name, with value and origin, for the user to read.

    Args:
        env: Environment from which the settings were read.
        path: File from which they were read; None if there is none.
    """
    file = path.name if path else "msgbook.toml"
    lines = {"file": str(path) if path else "none (environment variables only)"}
    provider = settings.provider
    if provider is None:
        lines["server"] = "none is configured: the built-in demo model answers"
    else:
        lines |= _server(provider, file)
    lines["model"] = _model(settings)
    if provider is not None and settings.model not in (None, DEMO_MODEL):
        lines |= _known(provider, settings.model, file)
    lines["approval"] = _with_origin(settings.approval, "MSGBOOK_APPROVAL", env)
    limits = Limits(**settings.limits)  # type: ignore[arg-type]  # integers where needed
    in_force, _ = limits.narrow(settings.project_limits)
    values = {key: value for key, value in asdict(in_force).items() if value is not None}
    lines["limits"] = ", ".join(f"{key} {value:,}" for key, value in values.items())
    lowered = [key for key, value in asdict(limits).items() if value != values.get(key)]
    if lowered:
        lines["project"] = f"lowers {', '.join(lowered)} ({PROJECT})"
    return lines


def file_to_change(env: Mapping[str, str]) -> str:
    """Return the name of the configuration file, or its whole path if it has to be created."""
    path = config_path(env)
    if path is not None:
        return path.name
    from jupyter_core.paths import jupyter_config_dir

    return str(Path(jupyter_config_dir(), "msgbook.toml"))


def describe_other_names(settings: Settings) -> dict[str, str]:
    """Return the names of providers, agents and MCP servers."""
    lines = {}
    if len(settings.providers) > 1:
        lines["providers"] = ", ".join(_listed(p, settings) for p in settings.providers.values())
    if settings.agents:
        lines["agents"] = ", ".join(settings.agents)
    if settings.mcp_servers:
        lines["mcp"] = ", ".join(settings.mcp_servers)
    return lines


def _listed(provider: ProviderSettings, settings: Settings) -> str:
    word = " (the default)" if provider is settings.provider else ""
    return f"{provider.name} (cannot be used)" if provider.problem else provider.name + word


def _server(provider: ProviderSettings, file: str) -> dict[str, str]:
    table = f"[providers.{provider.name}] of {file}"
    where = provider.url_variable if provider.from_environment else table
    if provider.plugin:
        return _plugin(provider, where)
    url = shown_url(provider.base_url)
    is_set = provider.base_url and not (
        provider.from_environment and provider.base_url == ANTHROPIC_URL
    )
    lines = {"server": f"{url} ({where})" if is_set else url}
    lines["api"] = _api(provider, file)
    if provider.api_key:
        lines["key"] = f"is set ({_key_origin(provider)})"
    elif provider.headers:
        lines["key"] = "none, except in the headers"
    else:
        lines["key"] = f'none, so "none" is sent ({_key_origin(provider)} is not set)'
    if provider.headers:
        lines["headers"] = f"{', '.join(provider.headers)} ({where})"
    if provider.prices:
        lines["prices"] = f"of {', '.join(provider.prices)} ({file})"
    wants = [key for key in ("keep_reasoning", "alternate") if getattr(provider, key)]
    if wants:
        lines["options"] = f"{', '.join(wants)} ({file})"
    return lines


def _key_origin(provider: ProviderSettings) -> str:
    if provider.saved_key:
        return provider.saved_key.words
    return provider.key_variable or "api_key_env"


def _api(provider: ProviderSettings, file: str) -> str:
    if provider.is_api_set:
        return f"{provider.api} ([providers.{provider.name}] of {file})"
    return f"{provider.api} (the default for this server)"


def _plugin(provider: ProviderSettings, where: str) -> dict[str, str]:
    lines = {"server": f"the plug-in's provider {provider.plugin} ({where})"}
    if provider.base_url:
        lines["url"] = shown_url(provider.base_url)
    if provider.api_key:
        lines["key"] = f"is set ({_key_origin(provider)})"
    if provider.options:
        lines["options"] = ", ".join(provider.options)
    return lines


def _model(settings: Settings) -> str:
    if settings.model is None:
        if settings.provider is None:
            return f"{DEMO_MODEL}, the built-in model: no server is configured"
        return "none is set; if the server offers only one, that one answers"
    return f"{settings.model} ({settings.model_origin})"


def _known(provider: ProviderSettings, model: str, file: str) -> dict[str, str]:
    """Return the context window and the price of the model, with where they come from."""
    table = f"[providers.{provider.name}]"
    window, price = find_window(provider, model), find_price(provider, model)
    source = f"({file})" if provider.context_window else f"({describe_data()})"
    lines = {
        "window": f"not known; context_window in {table} of {file} sets it"
        if window is None
        else f"{window:,} tokens {source}"
    }
    if price is None:
        return {**lines, "price": f"not known; {table[:-1]}.prices] of {file} sets it"}
    amounts = f"{price.input:g} for a million tokens of input, {price.cached:g} cached, {price.output:g} of output"
    source = f"(US dollars; {describe_data()})" if price.is_known else f"({file})"
    return {**lines, "price": f"{amounts} {source}"}


def _with_origin(value: str, variable: str, env: Mapping[str, str]) -> str:
    return f"{value} ({variable if variable in env else 'the default'})"


# Checks of the environment variables that change how servers are reached.


def check_environment(env: Mapping[str, str], settings: Settings) -> Iterator[Finding]:
    """Yield a finding for each variable that is set.

    Args:
        env: The environment, as it was before keys were removed from it.
        settings: Empty if they cannot be read.
    """
    for row in examine_environment(env, [*_servers(settings)]):
        yield Finding("environment", row.status, row.words, row.advice)


def _servers(settings: Settings) -> Iterator[Server]:
    for provider in settings.providers.values():
        if not provider.plugin and not provider.problem:
            yield Server(provider.name, server_url(provider.base_url))
    for server in settings.mcp_servers.values():
        if server.url is not None and not server.problem:
            yield Server(server.name, server.url)


# Checks of the installation: the files that JupyterLab needs.


LABEXTENSION = "@msgbook/labextension"

_INSTALL_AGAIN = "Install msgbook again, with the Python that runs JupyterLab."


def check_installation(settings: Settings) -> Iterator[Finding]:
    """Check what is installed beside the code, and who can read the settings."""
    yield _check_kernelspecs()
    yield _check_labextension()
    yield _check_jupytext()
    yield _list_extras()
    check_git: Callable[[], Finding | None] = load_extra("msgbook", "git.check")
    for found in (check_git(), _check_config_file(settings)):
        if found:
            yield found


def _list_extras() -> Finding:
    """Name what is beside the core, which works without any of it."""
    folders = (
        import_module(f"{package}.extras").__path__ for package in ("msgbook", "msgbook_format")
    )
    names = {module.name for folder in folders for module in iter_modules(folder)} - {"verbs"}
    return Finding("extras", "pass", ", ".join(sorted(names)))


def _check_kernelspecs() -> Finding:
    found = list(map(_check_kernelspec, (CHAT_KERNEL, CODE_FIRST_KERNEL)))
    failed = next((one for one in found if one.status == "fail"), None)
    return failed or Finding("kernelspec", "pass", ", ".join(one.words for one in found))


def _check_kernelspec(name: str) -> Finding:
    try:
        spec = KernelSpecManager().get_kernel_spec(name)
    except NoSuchKernel:
        return Finding(
            "kernelspec", "fail", f"Jupyter cannot find the kernel {name}", _INSTALL_AGAIN
        )
    python = spec.argv[0]
    # Jupyter replaces a bare `python` by its own Python.
    if Path(python).is_absolute() and not os.access(python, os.X_OK):
        return Finding("kernelspec", "fail", f"{python} cannot be run", _INSTALL_AGAIN)
    return Finding("kernelspec", "pass", spec.display_name)


def _check_labextension() -> Finding:
    for folder in jupyter_path("labextensions"):
        package = Path(folder, LABEXTENSION, "package.json")
        try:
            version = json.loads(package.read_text("utf-8")).get("version")
        except (OSError, ValueError, AttributeError):
            continue
        return Finding("labextension", "pass", f"{LABEXTENSION} {version}")
    words = f"JupyterLab cannot find {LABEXTENSION}, so it shows turns as Markdown"
    return Finding("labextension", "fail", words, _INSTALL_AGAIN)


def _check_jupytext() -> Finding:
    try:
        version = metadata.version("jupytext")
    except metadata.PackageNotFoundError:
        return Finding("jupytext", "fail", "it is not installed", 'pip install "jupytext<1.20"')
    if version.startswith("1.19."):
        return Finding("jupytext", "pass", version)
    advice = (
        "Message files open, but cannot be paired. To pair: pip install 'jupytext>=1.19.2,<1.20'"
    )
    return Finding("jupytext", "unknown", f"msgbook does not know version {version}", advice)


def _check_config_file(settings: Settings) -> Finding | None:
    """Check whether other users can read a configuration file with a secret."""
    path = config_path(os.environ)
    if path is None or not settings.providers or sys.platform == "win32":
        return None
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text("utf-8")
    except OSError:
        return None
    # Secrets from the environment are not in the file.
    in_file = any(secret in text for secret in settings.secrets)
    if in_file and mode & 0o077:
        words = f"{path} holds a secret, and other users can read it ({mode:o})"
        return Finding("config file", "fail", words, f"chmod 600 {path}")
    return Finding("config file", "pass", f"{path} ({mode:o})")


# Checks of the MCP servers: each is started once, and says what it offers.


_NAMED = 6
"""Tools that a finding names."""


async def check_mcp_servers(settings: Settings) -> AsyncIterator[Finding]:
    """Start all servers side by side; yield a finding for each, in the order of the file."""
    servers = McpServers(settings.mcp_servers, lambda text: redact(text, settings.secrets))
    if servers.missing:
        yield Finding("mcp", "unknown", f"MCP servers are not used: {servers.missing}")
        return
    usable = [server for server in servers.servers.values() if not server.settings.problem]
    try:
        checks = [asyncio.create_task(_check(server)) for server in usable]
        for check in checks:
            yield await check
        for clash in servers.clashes(servers.servers):
            yield Finding("mcp", "fail", clash)
    finally:
        await servers.close()


async def _check(server: McpServer) -> Finding:
    name, started = visible(server.settings.name), time.monotonic()
    try:
        await server.refresh()
    except McpError as error:
        return Finding("mcp", "fail", f"{name}: {error}")
    tools = server.tools
    asking = sum(not tool.read_only for tool in tools)
    seconds = time.monotonic() - started
    named = join_first([visible(tool.listed.name) for tool in tools], _NAMED)
    found = [
        f"{name}: {counted(len(tools), 'tool')} in {seconds:.1f} s ({named or 'none'})",
        f"{asking} need{'s' * (asking == 1)} approval",
        *server.problems,
    ]
    return Finding("mcp", "unknown" if server.problems else "pass", "; ".join(found))


# Checks of the plug-ins: what each adds, and what of it cannot be used.


def check_plugins(settings: Settings) -> Iterator[Finding]:
    """Yield one finding for each plug-in, and one for each part that cannot be used. Their tools are imported."""
    entries = installed_entries()
    for _, of_package in groupby(entries, lambda entry: entry.package):
        yield Finding("plug-in", "pass", _describe([*of_package], settings.plugins_off))
    _, tool_problems = load_tools(ToolHost(Path.cwd()), settings.plugins_off)
    _, provider_problems = find_entries(PROVIDERS, settings.plugins_off)
    for problem in (*tool_problems, *provider_problems, *_unusable_providers(settings)):
        yield Finding("plug-in", "fail", problem)
    for name in settings.plugins_off:
        if not any(is_off(entry, [name]) for entry in entries):
            words = f"[plugins] off names {visible(one_line(name, 100))!r}, which is not installed"
            yield Finding("plug-in", "unknown", words)


def _describe(entries: Iterable[Entry], off: Iterable[str]) -> str:
    """Return package and version of a plug-in, and what it adds."""
    entries, off = [*entries], [*off]
    package, version = entries[0].package, entries[0].version
    added = (
        f"{entry.kind} {entry.name}" + (" (turned off)" if is_off(entry, off) else "")
        for entry in entries
    )
    return visible(one_line(f"{package} {version}: {', '.join(added)}"))


def _unusable_providers(settings: Settings) -> Iterator[str]:
    """Yield a line for each configured provider, but the default one, whose plug-in cannot be used."""
    for server in settings.providers.values():
        if not server.plugin or server is settings.provider or server.problem:
            continue
        try:
            find_provider_entry(server, settings.plugins_off).load()
        except ConfigError as error:
            yield str(error)
