"""`msgbook trust DIR`: accepts the settings of a project."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgbook.approval import (
    PROJECT_CONFIG,
    ProjectConfig,
    Trust,
    find_project,
    is_foreign,
    read_config,
)
from msgbook.cli.terminal import CommandError, line_of, say


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    trust = Trust.from_user_file()
    return set_trust(Path(arguments.folder), trust, revoke=arguments.revoke)


def set_trust(folder: Path, trust: Trust, *, revoke: bool = False) -> int:
    """Trust the project of a folder, or stop trusting it, and print what that means.

    Returns:
        0.

    Raises:
        MsgbookError: There is no such folder or no configuration, it cannot be read, or the decision
            cannot be saved.
    """
    if not folder.is_dir():
        raise CommandError(f"{folder}: no such folder")
    project = find_project(folder)
    if revoke:
        was_trusted = trust.remove(project)
        say(f"{line_of(str(project))} {'is no longer' if was_trusted else 'was not'} trusted.")
        return 0
    config = read_config(project)
    if config is None and is_foreign(project, PROJECT_CONFIG.parent.name, trust):
        trust.add(ProjectConfig(project, "", {}))
        say(f"{line_of(str(project))} is trusted, although it belongs to another user.")
        return 0
    if config is None:
        raise CommandError(f"{project} has no {PROJECT_CONFIG} to trust")
    rules, warnings = config.read_rules()
    trust.add(config)
    say(f"{line_of(str(project / PROJECT_CONFIG))} is trusted as it is now.")
    if config.model:
        say(f"model: {line_of(config.model)}")
    for rule in rules:
        say(f"approved without a question: {rule}")
    for warning in warnings:
        say(line_of(warning))
    return 0
