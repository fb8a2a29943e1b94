"""`msgbook trust DIR`: follow what a project sets."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.terminal import line_of, say
from msgbook.cli.usage_errors import CommandError

if TYPE_CHECKING:
    from msgbook.approval import Trust


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "trust",
        help="follow the model and the approval rules that a project sets",
        description="Trust the .msgbook/config.toml of the project that DIR belongs to, as it is "
        "now: after a change it is not followed until it is trusted again.",
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--revoke", action="store_true", help="trust the project no longer")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from msgbook.approval import Trust

    trust = Trust.from_user_file()
    return set_trust(Path(arguments.folder), trust, revoke=arguments.revoke)


def set_trust(folder: Path, trust: Trust, *, revoke: bool = False) -> int:
    """Trust the project of a folder, or trust it no longer, and say what that means.

    Returns:
        0.

    Raises:
        MsgbookError: There is no such folder or no configuration, or it cannot be read; or the
            decision cannot be kept.
    """
    from msgbook.approval import (
        PROJECT_CONFIG,
        ProjectConfig,
        find_project,
        is_foreign,
        read_config,
    )

    if not folder.is_dir():
        raise CommandError(f"{folder}: no such folder")
    project = find_project(folder)
    if revoke:
        was = trust.remove(project)
        say(f"{line_of(str(project))}: {'trusted no longer' if was else 'was not trusted'}")
        return 0
    config = read_config(project)
    if config is None and is_foreign(project, PROJECT_CONFIG.parent.name, trust):
        trust.add(ProjectConfig(project, "", {}))
        say(f"{line_of(str(project))} is trusted, although it is another user's.")
        return 0
    if config is None:
        raise CommandError(f"{project}: there is no {PROJECT_CONFIG} to trust")
    rules, warnings = config.read_rules()
    trust.add(config)
    say(f"{line_of(str(project / PROJECT_CONFIG))} is trusted as it is now.")
    if config.model:
        say(f"model: {line_of(config.model)}")
    for rule in rules:
        say(f"allowed without asking: {rule}")
    for warning in warnings:
        say(line_of(warning))
    return 0
