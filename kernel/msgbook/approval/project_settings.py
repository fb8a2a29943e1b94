"""Settings of a project: they can only narrow, until the user trusts exactly this configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgbook.approval.rules import Rule, read_rules
from msgbook.approval.store import StoreError
from msgbook.approval.trust import (
    PROJECT_CONFIG,
    ProjectConfig,
    ProjectError,
    Trust,
    find_foreign,
    find_project,
    read_config,
)
from msgbook.config import LIMIT_KEYS, Settings, load_settings
from msgbook.text import one_line

_NARROWING = {"limits"}
_TRUSTED = {"model", "approval"}


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The part of a project's configuration that is followed."""

    limits: dict[str, Any] = field(default_factory=dict)
    """Limits that the project wants, of any type; they can only lower the user's own."""
    model: str | None = None
    rules: tuple[Rule, ...] = ()
    warnings: tuple[str, ...] = ()
    """Parts that are not followed, one line each."""
    untrusted: str = ""
    """The warning that goes away once the user trusts the project; empty for none."""


def load_with_project(
    folder: Path, environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[Rule]]:
    """Return the user's settings with those of the project of a notebook's folder, and all approval rules.

    Args:
        environ: The environment; by default the process's own.

    Raises:
        ConfigError: The user's settings cannot be read or used.
    """
    project = load_project_settings(folder, Trust.from_user_file())
    settings = load_settings(environ, project_model=project.model)
    rules, problems = read_rules(settings.rules, settings.file)
    warnings = (*settings.warnings, *problems, *project.warnings)
    settings = replace(
        settings,
        project_limits=project.limits,
        warnings=warnings,
        untrusted_project=project.untrusted,
    )
    return settings, [*rules, *project.rules]


def load_project_settings(folder: Path, trust: Trust) -> ProjectSettings:
    """Return the settings of the project of a notebook's folder; problems become warnings."""
    project, foreign = find_project(folder), find_foreign(folder, trust)
    if foreign is None:
        return _read_settings(project, folder, trust)
    where = _upwards(foreign, folder)
    words = (
        f"The project in {where} is ignored, since it belongs to another user. Read it, then run "
        f"this in a terminal in the notebook's folder: msgbook trust {where}"
    )
    found = ProjectSettings() if foreign == project else _read_settings(project, folder, trust)
    return replace(found, warnings=(words, *found.warnings), untrusted=found.untrusted or words)


def _read_settings(project: Path, folder: Path, trust: Trust) -> ProjectSettings:
    try:
        config = read_config(project)
        trusted = trust.find_digest(project) if config is not None else None
    except (ProjectError, StoreError) as error:
        return ProjectSettings(warnings=(f"The project is ignored: {error}",))
    if config is None:
        return ProjectSettings()
    limits = config.table.get("limits", {})
    limits = (
        {k: v for k, v in limits.items() if k in LIMIT_KEYS} if isinstance(limits, dict) else {}
    )
    warnings = _ignored(config)
    if trusted == config.sha256:
        rules, problems = config.read_rules()
        return ProjectSettings(limits, config.model, tuple(rules), (*warnings, *problems))
    untrusted = ""
    if config.table.keys() & _TRUSTED:
        untrusted = _untrusted(config, project, folder, changed=trusted is not None)
        warnings.append(untrusted)
    return ProjectSettings(limits, warnings=tuple(warnings), untrusted=untrusted)


def _ignored(config: ProjectConfig) -> list[str]:
    keys = sorted(config.table.keys() - _TRUSTED - _NARROWING)
    limits = config.table.get("limits", {})
    if isinstance(limits, dict):
        keys += [f"limits.{key}" for key in sorted(limits.keys() - LIMIT_KEYS)]
    else:
        keys.append("limits, which is not a table,")
    return [f"{PROJECT_CONFIG}: {one_line(key, 100)} cannot be set by a project." for key in keys]


def _untrusted(config: ProjectConfig, project: Path, folder: Path, *, changed: bool) -> str:
    names = sorted(config.table.keys() & _TRUSTED)
    keys, verb = " and ".join(names), "is" if len(names) == 1 else "are"
    why = "it has changed since you trusted it" if changed else "you have not trusted it"
    return (
        f"{PROJECT_CONFIG}: {keys} {verb} ignored, since {why}. Read it, then run this in a "
        f"terminal in the notebook's folder: msgbook trust {_upwards(project, folder)}"
    )


def _upwards(project: Path, folder: Path) -> str:
    """Return the path from a folder up to its project: `.`, `..`, `../..` and so on."""
    return os.path.relpath(project, folder.resolve())
