"""What a project may set: it only narrows, until the user trusts exactly its configuration."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgbook.config import LIMIT_KEYS, Settings, load_settings
from msgbook.errors import MsgbookError
from msgbook.text import one_line, visible
from msgbook.tools.rules import Rule, read_rules
from msgbook.tools.store import Store, StoreError, data_file
from msgbook_format.regular_files import read_regular

TRUST_FILE = "trust.json"

CONFIG = Path(".msgbook") / "config.toml"
"""A project's configuration, below its folder."""

_MARK = CONFIG.parent.name
_COUNTS = (_MARK, "AGENTS.md", ".agents")
_SIZE_LIMIT = 1_000_000
_NARROWING = {"limits"}
_TRUSTED = {"model", "approval"}


class ProjectError(MsgbookError):
    """A project's configuration is missing or cannot be read."""


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """A project's configuration, as it reads."""

    folder: Path
    """The project's."""
    sha256: str
    table: dict[str, Any]

    def rules(self) -> tuple[list[Rule], list[str]]:
        """Its rules, which hold in the project alone, and a warning for each that is none."""
        approval = self.table.get("approval")
        tables = approval.get("rules", []) if isinstance(approval, dict) else []
        return read_rules(tables if isinstance(tables, list) else [None], str(CONFIG), self.folder)

    @property
    def model(self) -> str | None:
        model = self.table.get("model")
        return model.strip() or None if isinstance(model, str) else None


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What of a project's configuration is followed."""

    limits: dict[str, Any] = field(default_factory=dict)
    """Wanted limits, of any type; they can only lower the user's own."""
    model: str | None = None
    rules: tuple[Rule, ...] = ()
    warnings: tuple[str, ...] = ()
    """What is not followed, a line each."""
    untrusted: str = ""
    """That of the warnings which the user's trust would end."""


class Trust:
    """Which configurations the user trusts: by folder, and by what the file held.

    Raises:
        StoreError: From each method, when the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, project: Path) -> str | None:
        """SHA-256 of the configuration that was trusted; None for none."""
        found = self._projects().get(str(project))
        return found if isinstance(found, str) else None

    def grant(self, config: ProjectConfig) -> None:
        """Trust this configuration, and no other one of its project."""
        self._write({**self._projects(), str(config.folder): config.sha256})

    def revoke(self, project: Path) -> bool:
        """Trust the project no longer; whether it was trusted."""
        projects = self._projects()
        if projects.pop(str(project), None) is None:
            return False
        self._write(projects)
        return True

    def _projects(self) -> dict[str, Any]:
        projects = self._store.read().get("projects", {})
        if not isinstance(projects, dict):
            raise StoreError(f"{self._store.name}: projects is no object; mend it or delete it.")
        return projects

    def _write(self, projects: dict[str, Any]) -> None:
        self._store.write({**self._store.read(), "version": 1, "projects": projects})


def load_with_project(
    folder: Path, environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[Rule]]:
    """The user's settings with what the project of a notebook's folder may set, and all rules.

    Args:
        environ: The environment; the process's own by default.

    Raises:
        ConfigError: The user's settings cannot be read or used.
    """
    project = project_settings(folder, Trust(Store(data_file(TRUST_FILE))))
    settings = load_settings(environ, project_model=project.model)
    rules, problems = read_rules(settings.rules, "msgbook.toml")
    warnings = (*settings.warnings, *problems, *project.warnings)
    settings = replace(
        settings,
        project_limits=project.limits,
        warnings=warnings,
        untrusted_project=project.untrusted,
    )
    return settings, [*rules, *project.rules]


def find_project(folder: Path) -> Path:
    """The project of a folder: the nearest one above with `.msgbook`, else with `.git`, else it.

    Folders of another user, and all above them, count only where the user trusts them.
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
    """The project of a folder, whose agents, rules and skills count; None for another user's."""
    project = find_project(folder)
    return None if is_foreign(project, _MARK) else project


def find_foreign(folder: Path, trust: Trust) -> Path | None:
    """The nearest folder from this one upwards that is a project, if it is another user's."""
    real = folder.resolve()
    for candidate in (real, *real.parents):
        # Rules and skills count without a `.msgbook`, in the notebook's own folder.
        marks = _COUNTS if candidate == real else (_MARK,)
        if any(os.path.lexists(candidate / mark) for mark in marks):
            return candidate if is_foreign(candidate, _MARK, trust) else None
    return None


def is_foreign(folder: Path, name: str = ".", trust: Trust | None = None) -> bool:
    """Whether a folder, or what it holds under `name`, is another user's, and not trusted (POSIX).

    The administrator is another user, too; who runs `sudo` is the same one.
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
    trust = trust or Trust(Store(data_file(TRUST_FILE)))
    try:
        return trust.of(folder) is None
    except StoreError:
        return True


def read_config(project: Path) -> ProjectConfig | None:
    """A project's configuration; None when it has none.

    Raises:
        ProjectError: It cannot be read.
    """
    import tomllib  # most projects have none

    try:
        data = read_regular(project / CONFIG, _SIZE_LIMIT)
        table = tomllib.loads(data.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ProjectError(f"{CONFIG} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{CONFIG} is no valid TOML: {one_line(str(error), 200)}") from error
    return ProjectConfig(project, hashlib.sha256(data).hexdigest(), table)


def project_settings(folder: Path, trust: Trust) -> ProjectSettings:
    """What the project of a notebook's folder sets; what is wrong is a warning."""
    project, foreign = find_project(folder), find_foreign(folder, trust)
    if foreign is None:
        return _settings_of(project, folder, trust)
    where = shlex.quote(os.path.relpath(foreign, folder.resolve()))
    words = (
        f"Nothing of the project in {visible(where)} is followed, since it belongs to another "
        "user. Read it, then run in a terminal, in the notebook's folder: "
        f"msgbook trust {visible(where)}"
    )
    found = ProjectSettings() if foreign == project else _settings_of(project, folder, trust)
    return replace(found, warnings=(words, *found.warnings), untrusted=found.untrusted or words)


def _settings_of(project: Path, folder: Path, trust: Trust) -> ProjectSettings:
    try:
        config = read_config(project)
        trusted = trust.of(project) if config is not None else None
    except (ProjectError, StoreError) as error:
        return ProjectSettings(warnings=(f"Nothing of the project is followed: {error}",))
    if config is None:
        return ProjectSettings()
    limits = config.table.get("limits", {})
    limits = (
        {k: v for k, v in limits.items() if k in LIMIT_KEYS} if isinstance(limits, dict) else {}
    )
    warnings = _ignored(config)
    if trusted == config.sha256:
        rules, problems = config.rules()
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
        keys.append("limits, which is no table,")
    return [f"{CONFIG}: {one_line(key, 100)} cannot be set by a project." for key in keys]


def _untrusted(config: ProjectConfig, project: Path, folder: Path, *, changed: bool) -> str:
    keys = " and ".join(sorted(config.table.keys() & _TRUSTED))
    why = "it has changed since you trusted it" if changed else "you have not trusted it"
    where = os.path.relpath(project, folder.resolve())
    return (
        f"{CONFIG}: what it says of {keys} is not followed, since {why}. "
        f"Read it, then run in a terminal, in the notebook's folder: msgbook trust {where}"
    )
