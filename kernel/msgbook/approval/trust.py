"""The project of a folder, whether the user trusts its configuration, and the settings that it may make."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgbook.approval.rule import Rule, read_rules
from msgbook.approval.store import Store, StoreError, data_file
from msgbook.config import LIMIT_KEYS, Settings, load_settings
from msgbook.errors import MsgbookError
from msgbook.text import one_line
from msgbook_format.files import read_regular
from msgbook_format.typed import as_dict, as_text, text_or_none

PROJECT_CONFIG = Path(".msgbook") / "config.toml"
"""A project's configuration, below its folder."""

_MARK = PROJECT_CONFIG.parent.name
_COUNTS = (_MARK, "AGENTS.md", ".agents")
_SIZE_LIMIT = 1_000_000
"""Bytes of a project's settings that are read: a person has to be able to read what they trust."""


class ProjectError(MsgbookError):
    """A project's configuration is missing or cannot be read."""


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """A project's configuration as it is written."""

    folder: Path
    """The project's folder."""
    sha256: str
    table: dict[str, Any]

    def read_rules(self) -> tuple[list[Rule], list[str]]:
        """Return its approval rules, which hold only in the project, and a warning for each invalid one."""
        tables = as_dict(self.table.get("approval")).get("rules", [])
        return read_rules(
            tables if isinstance(tables, list) else [None], str(PROJECT_CONFIG), self.folder
        )

    @property
    def model(self) -> str | None:
        """The model that it sets; None for none."""
        model = self.table.get("model")
        return as_text(model).strip() or None


class Trust:
    """Configurations that the user trusts, by folder and by the content of the file.

    Raises:
        StoreError: Raised by each method if the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_user_file(cls) -> Trust:
        """Return the trust that is kept in Jupyter's data directory."""
        return cls(Store(data_file("trust.json")))

    def find_digest(self, project: Path) -> str | None:
        """Return the SHA-256 of the configuration that was trusted; None if none was."""
        found = self._projects(self._store.read()).get(str(project))
        return text_or_none(found)

    def add(self, config: ProjectConfig) -> None:
        """Trust this configuration, and no other one of its project."""
        with self._store.changing() as data:
            projects = {**self._projects(data), str(config.folder): config.sha256}
            data |= {"version": 1, "projects": projects}

    def remove(self, project: Path) -> bool:
        """Stop trusting a project. Return whether it was trusted."""
        with self._store.changing() as data:
            projects = dict(self._projects(data))
            if projects.pop(str(project), None) is None:
                return False
            data |= {"version": 1, "projects": projects}
        return True

    def _projects(self, data: Mapping[str, Any]) -> dict[str, Any]:
        projects = data.get("projects", {})
        if not isinstance(projects, dict):
            raise StoreError(
                f"{self._store.name}: expected an object in projects. Correct or delete the file."
            )
        return projects


def find_project(folder: Path) -> Path:
    """Return the project of a folder: the nearest parent with `.msgbook`, else with `.git`, else the folder.

    Folders of another user, and all above them, count only if the user trusts them.
    """
    real = folder.resolve()
    ours = [real, *_own_parents(real)]
    for name in (".msgbook", ".git"):
        for candidate in ours:
            if os.path.lexists(candidate / name) and not is_foreign(candidate, name):
                return candidate
    return real


def _own_parents(real: Path) -> Iterator[Path]:
    for candidate in real.parents:
        if is_foreign(candidate):
            return
        yield candidate


def followed_project(folder: Path) -> Path | None:
    """Return the project whose agents, rules and skills a folder uses; None if it is another user's."""
    project = find_project(folder)
    return None if is_foreign(project, _MARK) else project


def find_foreign(folder: Path, trust: Trust) -> Path | None:
    """Return the nearest project from this folder upwards if it is another user's, else None."""
    real = folder.resolve()
    for candidate in (real, *real.parents):
        # In the notebook's own folder, rules and skills count even without a `.msgbook`.
        marks = _COUNTS if candidate == real else (_MARK,)
        if any(os.path.lexists(candidate / mark) for mark in marks):
            return candidate if is_foreign(candidate, _MARK, trust) else None
    return None


def is_foreign(folder: Path, name: str = ".", trust: Trust | None = None) -> bool:
    """Return whether a folder or its entry `name` belongs to another user and is not trusted (POSIX).

    The administrator is another user, too; a user who runs `sudo` is the same user.
    """
    if not hasattr(os, "geteuid"):
        return False
    own = {os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        own.add(int(os.environ["SUDO_UID"]))
    owners = set()
    for path in (folder, folder / name):
        with suppress(OSError):
            owners.add(path.lstat().st_uid)
    if owners <= own:
        return False
    trust = trust or Trust.from_user_file()
    try:
        return trust.find_digest(folder) is None
    except StoreError:
        return True


def read_config(project: Path) -> ProjectConfig | None:
    """Return a project's configuration; None if it has none.

    Raises:
        ProjectError: It cannot be read.
    """
    import tomllib  # most projects have none

    try:
        data = read_regular(project / PROJECT_CONFIG, _SIZE_LIMIT)
        table = tomllib.loads(data.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ProjectError(
            f"{PROJECT_CONFIG} cannot be read: {error.strerror or error}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ProjectError(
            f"{PROJECT_CONFIG} is not valid TOML: {one_line(str(error), 200)}"
        ) from error
    return ProjectConfig(project, hashlib.sha256(data).hexdigest(), table)


# Settings of a project: they can only narrow, until the user trusts exactly this configuration.


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
    given = as_dict(config.table.get("limits"))
    limits = {key: value for key, value in given.items() if key in LIMIT_KEYS}
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
    return os.path.relpath(project, folder.resolve())
