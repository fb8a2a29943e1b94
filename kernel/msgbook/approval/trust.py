"""Which project a folder belongs to, what its configuration says, and whether the user trusts it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
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
    """A project's configuration, as it reads."""

    folder: Path
    """The project's."""
    sha256: str
    table: dict[str, Any]

    def rules(self) -> tuple[list[Rule], list[str]]:
        """Its rules, which hold in the project alone, and a warning for each that is none."""
        approval = self.table.get("approval")
        tables = approval.get("rules", []) if isinstance(approval, dict) else []
        return read_rules(
            tables if isinstance(tables, list) else [None], str(PROJECT_CONFIG), self.folder
        )

    @property
    def model(self) -> str | None:
        model = self.table.get("model")
        return model.strip() or None if isinstance(model, str) else None


class Trust:
    """Which configurations the user trusts: by folder, and by what the file held.

    Raises:
        StoreError: From each method, when the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_user_file(cls) -> Trust:
        """Return the trust that is kept in Jupyter's data directory."""
        return cls(Store(data_file("trust.json")))

    def find_digest(self, project: Path) -> str | None:
        """Return the SHA-256 of the configuration that was trusted; None if none was."""
        found = self._projects().get(str(project))
        return found if isinstance(found, str) else None

    def add(self, config: ProjectConfig) -> None:
        """Trust this configuration, and no other one of its project."""
        self._write({**self._projects(), str(config.folder): config.sha256})

    def remove(self, project: Path) -> bool:
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
    trust = trust or Trust.from_user_file()
    try:
        return trust.find_digest(folder) is None
    except StoreError:
        return True


def read_config(project: Path) -> ProjectConfig | None:
    """A project's configuration; None when it has none.

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
            f"{PROJECT_CONFIG} is no valid TOML: {one_line(str(error), 200)}"
        ) from error
    return ProjectConfig(project, hashlib.sha256(data).hexdigest(), table)
