"""`msgbook doctor`: are the settings right, and what can the model's server do."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.terminal import home_as_tilde, line_of, say

if TYPE_CHECKING:
    from msgbook.cli.doctor.findings import Finding
    from msgbook.config import Settings

TIMEOUT = 60.0
"""Seconds for one request: a local server may have to load the model first."""

_MARKS = {"pass": "pass   ", "fail": "FAIL   ", "unknown": "unknown"}


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "doctor",
        help="check the settings and the model's server",
        description="Show the settings in force, and check the installation and the model's "
        "server with two short requests. Exit code: 0 without failures, 1 with some, 2 when the "
        "settings cannot be read.",
    )
    parser.add_argument("--json", action="store_true", help="print all of it as one JSON object")
    parser.add_argument("--setup", action="store_true", help="write msgbook.toml by asking, first")
    parser.add_argument("--offline", action="store_true", help="leave the server out")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help="for one request (default: %(default)g)",
    )
    parser.add_argument("--provider", metavar="NAME", help="check this one, not the default one")
    parser.add_argument("--model", metavar="NAME", help="check with this model")
    parser.set_defaults(run=_run)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, not {word!r}")
    return seconds


def _run(arguments: argparse.Namespace) -> int:
    import asyncio

    if arguments.setup:
        from msgbook.cli.doctor.setup import set_up

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
    """Show the settings, make the checks, print each finding when it is there.

    Args:
        provider: Name of the one to check; None for the default one.
        model: To check with; None for the one that is set.

    Returns:
        0 without failures, 1 with some.

    Raises:
        ConfigError: The settings cannot be read, or the provider cannot be used.
    """
    from msgbook.approval import load_with_project
    from msgbook.cli.doctor.findings import as_objects, exit_code
    from msgbook.cli.doctor.settings import aimed_at, in_force, others_in_force
    from msgbook.config import config_path, hide_keys, load_settings, redact

    settings, rules = load_with_project(Path.cwd(), env)
    hide_keys(settings)
    others = others_in_force(settings)
    settings = aimed_at(settings, provider, model)
    lines = in_force(settings, env, config_path(env), load_settings(env).model)
    if model:
        lines["model"] = f"{model} (--model)"
    lines |= others
    if rules:
        lines["rules"] = f"{len(rules)} that allow calls without asking; %approvals lists them"
    usage: dict[str, int] = {}
    found: list[Finding] = []
    if not as_json:
        for name, value in lines.items():
            say(f"{name:10}{_shown(value, settings)}")
        say("")
    async for finding in _findings(settings, usage, offline=offline, seconds=seconds):
        found.append(finding)
        if not as_json:
            _show(finding, settings)
            sys.stdout.flush()
    if as_json:
        told = {"settings": lines, "findings": as_objects(found), "usage": usage}
        say(redact(json.dumps(told, indent=1, ensure_ascii=False), settings.secrets))
    elif usage:
        words = ", ".join(f"{count} {key}".replace("_", " ") for key, count in usage.items())
        say(f"\nThe checks used {words}.")
    return exit_code(found)


async def _findings(
    settings: Settings, usage: dict[str, int], *, offline: bool, seconds: float
) -> AsyncIterator[Finding]:
    from msgbook.cli.doctor.findings import Finding, split_advice
    from msgbook.cli.doctor.local import check_installation
    from msgbook.config import DEMO_MODEL

    for warning in settings.warnings:
        if warning == settings.untrusted_project:
            yield Finding("project", "unknown", *split_advice(warning))
        else:
            yield Finding("settings", "fail", warning)
    for finding in check_installation(settings):
        yield finding
    if settings.provider is None or settings.model == DEMO_MODEL:
        advice = "For a real model: msgbook doctor --setup"
        yield Finding("server", "unknown", "the built-in demo model answers, offline", advice)
        return
    if offline:
        return
    from msgbook.cli.doctor.server import ServerChecks
    from msgbook.provider import OpenAIProvider

    provider = OpenAIProvider(settings.provider, secrets=settings.secrets)
    checks = ServerChecks(provider, settings.model, seconds=seconds)
    try:
        async for finding in checks.run():
            yield finding
    finally:
        await provider.close()
        usage.update(checks.usage)


def _show(finding: Finding, settings: Settings) -> None:
    say(f"{_MARKS[finding.status]}  {finding.check}: {_shown(finding.words, settings)}")
    if finding.advice and finding.status != "pass":
        say(f"         {_shown(finding.advice, settings)}")


def _shown(text: str, settings: Settings) -> str:
    """A line without secrets, with `~` for the home directory."""
    from msgbook.config import redact

    return home_as_tilde(redact(line_of(text), settings.secrets))
