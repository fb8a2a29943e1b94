"""`msgbook doctor`: checks the settings, the installation and the model's server."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from msgbook.approval import load_with_project
from msgbook.cli.doctor.settings import (
    check_environment,
    check_installation,
    check_mcp_servers,
    check_plugins,
    describe_other_names,
    describe_settings,
    file_to_change,
    select_provider,
)
from msgbook.cli.doctor.setup import set_up
from msgbook.cli.terminal import home_as_tilde, line_of, say
from msgbook.config import DEMO_MODEL, Settings, config_path, hide_keys, redact
from msgbook.errors import ConfigError
from msgbook.server_checks.answer import Finding, Status, as_objects, exit_code, split_advice
from msgbook.server_checks.server import check_server

_MARKS = {"pass": "pass   ", "fail": "FAIL   ", "unknown": "unknown", "note": "note   "}


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    if arguments.setup:
        set_up(seconds=arguments.timeout)
    return asyncio.run(
        examine(
            {**os.environ},
            as_json=arguments.json,
            offline=arguments.offline,
            seconds=arguments.timeout,
            provider=arguments.provider,
            model=arguments.model,
        )
    )


async def examine(
    env: Mapping[str, str],
    *,
    as_json: bool,
    offline: bool,
    seconds: float,
    provider: str | None = None,
    model: str | None = None,
) -> int:
    """Print the settings, run the checks, and print each finding as it arrives.

    Args:
        provider: Name of the provider to check; None for the default provider.
        model: Model to check with; None for the configured model.

    Returns:
        0 without failures, 1 with failures.

    Raises:
        ConfigError: The settings cannot be read, or the provider cannot be used.
    """
    try:
        settings, rules = load_with_project(Path.cwd(), env)
    except ConfigError:
        _show_environment(env, as_json=as_json)
        raise
    hide_keys(settings)
    others = describe_other_names(settings)
    settings = select_provider(settings, provider, model)
    lines = describe_settings(settings, env, config_path(env))
    lines |= others
    if rules:
        lines["rules"] = (
            f"{len(rules)} that approve calls without a question; %approvals lists them"
        )
    usage: dict[str, int] = {}
    found: list[Finding] = []
    if not as_json:
        for name, value in lines.items():
            say(f"{name:10}{_shown(value, settings)}")
        say("")
    async for finding in _findings(settings, env, usage, offline=offline, seconds=seconds):
        found.append(finding)
        if not as_json:
            _show(finding, settings)
            sys.stdout.flush()
    if as_json:
        report = {"settings": lines, "findings": as_objects(found), "usage": usage}
        say(redact(json.dumps(report, indent=1, ensure_ascii=False), settings.secrets))
    elif usage:
        tokens = ", ".join(f"{count} {key}".replace("_", " ") for key, count in usage.items())
        say(f"\nThe checks used {tokens}.")
    return exit_code(found)


def _show_environment(env: Mapping[str, str], *, as_json: bool) -> None:
    """Print what can be said where the settings cannot be read."""
    found = [*check_environment(env, Settings())]
    if as_json:
        report = {"settings": {}, "findings": as_objects(found), "usage": {}}
        say(json.dumps(report, indent=1, ensure_ascii=False))
        return
    for finding in found:
        _show(finding, Settings())


async def _findings(
    settings: Settings,
    env: Mapping[str, str],
    usage: dict[str, int],
    *,
    offline: bool,
    seconds: float,
) -> AsyncIterator[Finding]:
    overridden = settings.overridden
    for warning in settings.warnings:
        if warning == settings.untrusted_project:
            yield Finding("project", "unknown", *split_advice(warning))
        elif overridden is None or warning != str(overridden):
            yield Finding("settings", "fail", warning)
    if overridden and settings.provider and settings.provider.from_environment:
        is_mixed = str(overridden) in settings.warnings
        status: Status = "fail" if is_mixed else "note"
        yield Finding("settings", status, *overridden)
    for finding in (
        *check_environment(env, settings),
        *check_installation(settings),
        *check_plugins(settings),
    ):
        yield finding
    if not offline:
        async for finding in check_mcp_servers(settings):
            yield finding
    if settings.provider is None or settings.model == DEMO_MODEL:
        advice = "For a real model, run msgbook doctor --setup"
        yield Finding("server", "note", "the built-in demo model answers, without a server", advice)
        return
    if offline:
        return
    checks = check_server(
        settings, settings.provider, usage, seconds=seconds, file=file_to_change(os.environ)
    )
    async for finding in checks:
        yield finding


def _show(finding: Finding, settings: Settings) -> None:
    say(f"{_MARKS[finding.status]}  {finding.check}: {_shown(finding.words, settings)}")
    if finding.advice and finding.status != "pass":
        say(f"         {_shown(finding.advice, settings)}")


def _shown(text: str, settings: Settings) -> str:
    return home_as_tilde(redact(line_of(text), settings.secrets))
