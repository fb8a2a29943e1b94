"""The agents, rules and skills of a project, read from its files. The only I/O of this package.

A project may come from anyone. So no link out of it is followed, no secret is read, and lengths
and numbers of files are limited. Each problem is a notice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from msgbook.agents.project_rules import AGENTS_FILE, ProjectRule
from msgbook.agents.skills import Skill, SkillError, parse_skill
from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.text import one_line, repair_surrogates, visible
from msgbook.tools.files import decode, list_entries, read_file
from msgbook_format.links import real_path

AGENTS_FOLDER = PurePosixPath(".msgbook/agents")
RULES_FOLDER = PurePosixPath(".msgbook/rules")
SKILLS_FOLDER = PurePosixPath(".agents/skills")

FILE_LIMIT = 100_000
"""Bytes of one file."""

MOST_FILES = 200
"""Files of one kind that are read: agents, rules or skills."""

_MOST_ENTRIES = 2_000
"""Entries of folders that are visited for one kind."""

_MOST_LEVELS = 10


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """Agents, rules and skills of a project; skills of the user's home, too."""

    agents: dict[str, str] = field(default_factory=dict)
    """Texts of `.msgbook/agents/NAME.md`, by NAME, sorted."""
    rules: tuple[ProjectRule, ...] = ()
    """`AGENTS.md` first, then the files in `.msgbook/rules`, sorted."""
    skills: tuple[Skill, ...] = ()
    """Skills of the project, then skills of the home with other names."""
    notices: tuple[str, ...] = ()
    """One line for each file or folder that is not read."""


def read_project(project: Path | None, folder: Path, home: Path | None = None) -> ProjectFiles:
    """Read the files as they are now. Takes time, so call it in a thread.

    Args:
        project: The project's folder; None if there is no project or it is not trusted.
        folder: The notebook's folder in the project: paths of skills are relative to it.
        home: The folder of the user's own skills; None for none.
    """
    agents: dict[str, str] = {}
    rules: tuple[ProjectRule, ...] = ()
    skills: list[Skill] = []
    notices: list[str] = []
    if project is not None:
        tree = _Tree(project)
        agents = {
            repair_surrogates(path.stem): text
            for path, text in tree.markdown(AGENTS_FOLDER, levels=1)
        }
        rules = tuple(_rules(tree))
        skills = list(_skills(tree, start=folder.resolve()))
        notices = tree.notices
    if home is not None and (project is None or home.resolve() != project.resolve()):
        own = _Tree(home, follows_links=True)
        skills += _skills(own)
        notices = notices + own.notices
    named: dict[str, Skill] = {}
    for skill in skills:
        named.setdefault(skill.name, skill)
    return ProjectFiles(agents, rules, tuple(named.values()), tuple(notices))


def _rules(tree: _Tree) -> Iterator[ProjectRule]:
    """Yield the rules that have text, each name once."""
    top = PurePosixPath(AGENTS_FILE)
    found = [(top, AGENTS_FILE, tree.text(top) or "")]
    for path, text in tree.markdown(RULES_FOLDER):
        found.append((path, repair_surrogates(str(path.relative_to(RULES_FOLDER))), text))
    names = set()
    for path, name, text in found:
        if not text.strip():
            continue
        if name in names:
            tree.add_notice(
                path, f"not read, since another rule is called {visible(name)}; rename it."
            )
        else:
            names.add(name)
            yield ProjectRule(name, text)


def _skills(tree: _Tree, start: Path | None = None) -> Iterator[Skill]:
    """Yield the skills below a folder.

    Args:
        start: Paths are relative to this folder; None for absolute paths.
    """
    names = [name for name, kind in tree.list_entries(SKILLS_FOLDER) if kind != "file"]
    if len(names) > MOST_FILES:
        tree.add_notice(SKILLS_FOLDER, f"only the first {MOST_FILES} of {len(names)} are read.")
    for name in names[:MOST_FILES]:
        path = SKILLS_FOLDER / name / "SKILL.md"
        text = tree.text(path)
        if text is None:
            continue
        shown = os.path.relpath(tree.top / path, start) if start else str(tree.top / path)
        try:
            yield parse_skill(text, repair_surrogates(shown))
        except SkillError as error:
            tree.add_notice(path, str(error))


class _Tree:
    """The files below a folder.

    Args:
        follows_links: Whether links out of the folder are followed. True for the user's own folder.
    """

    def __init__(self, top: Path, *, follows_links: bool = False) -> None:
        self.top = top.resolve()
        self._roots = Roots(self.top)
        self._follows_links = follows_links
        self.notices: list[str] = []

    def add_notice(self, path: PurePosixPath, message: str) -> None:
        self.notices.append(f"{visible(one_line(str(path), 200))}: {message}")

    def list_entries(self, folder: PurePosixPath) -> list[tuple[str, str]]:
        """Return name and kind of each entry of a folder, sorted; empty if there is no such folder."""
        place = self.top / folder
        if not os.path.lexists(place):
            return []
        try:
            real = real_path(place) if self._follows_links else place
            found = list_entries(Roots(real) if self._follows_links else self._roots, real)
        except OSError as error:
            why = error.strerror or "it cannot be listed"
            self.add_notice(
                folder, f"not read, since it or a folder above it cannot be listed: {why}."
            )
            return []
        if len(found) > _MOST_ENTRIES:
            self.add_notice(folder, f"only the first {_MOST_ENTRIES} entries are read.")
        return found[:_MOST_ENTRIES]

    def markdown(
        self, folder: PurePosixPath, levels: int = _MOST_LEVELS
    ) -> Iterator[tuple[PurePosixPath, str]]:
        """Yield the Markdown files below a folder, sorted by path, with their texts."""
        paths = sorted(self._walk(folder, levels), key=str)
        if len(paths) > MOST_FILES:
            self.add_notice(folder, f"only the first {MOST_FILES} of {len(paths)} files are read.")
        for path in paths[:MOST_FILES]:
            text = self.text(path)
            if text is not None:
                yield path, text

    def text(self, path: PurePosixPath) -> str | None:
        """Return a file's text with LF as line ends; None if there is no such file or it may not be read."""
        place = self.top / path
        if not os.path.lexists(place):
            return None
        try:
            real = real_path(place)
            if not self._follows_links and not self._roots.is_inside(real):
                raise ToolError("not read, since it is a link out of the project.")
            if self._roots.is_secret(real):
                raise ToolError("not read, since it may hold a secret.")
            roots = Roots(real.parent) if self._follows_links else self._roots
            data, _ = read_file(roots, real, FILE_LIMIT + 1)
        except ToolError as error:
            self.add_notice(path, str(error))
            return None
        except OSError as error:
            self.add_notice(path, f"not read: {error.strerror or 'it is not a file'}.")
            return None
        file = decode(data) if len(data) <= FILE_LIMIT else None
        if file is None:
            why = f"longer than {FILE_LIMIT} bytes" if len(data) > FILE_LIMIT else "not text"
            self.add_notice(path, f"not read, since it is {why}.")
        return file.lines if file else None

    def _walk(self, folder: PurePosixPath, levels: int) -> Iterator[PurePosixPath]:
        left = _MOST_ENTRIES
        waiting = [(folder, 1)]
        while waiting:
            here, level = waiting.pop()
            for name, kind in self.list_entries(here):
                left -= 1
                if left < 0:
                    self.add_notice(
                        here, f"more than {_MOST_ENTRIES} entries; the rest is not read."
                    )
                    return
                path = here / name
                if kind == "folder" and level < levels:
                    waiting.append((path, level + 1))
                elif kind != "folder" and name.endswith(".md"):
                    yield path
                elif kind == "other" and os.path.isdir(self.top / path):  # noqa: PTH112 - no error where nothing is allowed
                    self.add_notice(path, "a link to a folder is not followed.")
