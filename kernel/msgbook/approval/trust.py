"""The project of a folder, its configuration, and whether the user trusts it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.approval.rules import Rule, read_rules
from msgbook.approval.store import Store, StoreError, data_file
from msgbook.errors import MsgbookError
from msgbook.text import one_line
from msgbook_format.files import read_regular

PROJECT_CONFIG = Path(".msgbook") / "config.toml"
"""A project's configuration, below its folder."""

_MARK = PROJECT_CONFIG.parent.name
_COUNTS = (_MARK, "AGENTS.md", ".agents")
_SIZE_LIMIT = 1_000_000


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
        approval = self.table.get("approval")
        tables = approval.get("rules", []) if isinstance(approval, dict) else []
        return read_rules(
            tables if isinstance(tables, list) else [None], str(PROJECT_CONFIG), self.folder
        )

    @property
    def model(self) -> str | None:
        """The model that it sets; None for none."""
        model = self.table.get("model")
        return model.strip() or None if isinstance(model, str) else None


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
        return found if isinstance(found, str) else None

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
