"""The agents, rules and skills of a project, read from its files, and those that are used. The only I/O of this package.

A project may come from anyone. So no link out of it is followed, no secret is read, and lengths
and numbers of files are limited. Each problem is a notice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from msgbook.agents.agent import Agent, name_values, text_value
from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.text import one_line, repair_surrogates, visible
from msgbook.tools.files import decode, list_entries, read_file
from msgbook_format.links import real_path
from msgbook_format.syntax import YamlError, compose, plain_value, split_frontmatter

AGENTS_FOLDER = PurePosixPath(".msgbook/agents")
RULES_FOLDER = PurePosixPath(".msgbook/rules")
SKILLS_FOLDER = PurePosixPath(".agents/skills")

FILE_LIMIT = 100_000
"""Bytes of one file. Rules are sent with each request, and a longer text is hardly one that a person wrote."""

MOST_FILES = 200
"""Files of one kind that are read: agents, rules or skills. They are read before each turn."""

_MOST_ENTRIES = 2_000
"""Entries of folders that are visited for one kind, before each turn: a project may have `node_modules` there."""

_MOST_LEVELS = 10
"""Folders in one another that are searched: people sort a few levels deep."""


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


# Project rules: text that a model has to follow. Pure.


AGENTS_FILE = "AGENTS.md"
"""The rule at the top of a project, which other programs read, too."""

Expand = Callable[[str], tuple[str, Sequence[str]]]
"""Expands the macros of a text, and returns the result and one line for each problem."""

TOTAL_LIMIT = 200_000
"""Characters of all rules of a request together."""


@dataclass(frozen=True, slots=True)
class ProjectRule:
    """One rule."""

    name: str
    """Path below `.msgbook/rules`, with slashes; `AGENTS.md` for the rule at the top."""
    text: str


def rules_in_force(
    rules: Sequence[ProjectRule], selected: Selection, expand: Expand
) -> tuple[list[ProjectRule], list[str]]:
    """Return the rules in use, with their macros expanded, and one line for each problem.

    A rule without text after expansion is left out. A rule that makes the rules too long is left out
    completely: half a rule may mean something else.
    """
    notices = [*selected.notices, *selected.unknown([rule.name for rule in rules])]
    found = []
    room = TOTAL_LIMIT
    for rule in rules:
        if not selected.uses(rule.name):
            continue
        text, problems = expand(rule.text)
        notices += [f"Rule {visible(rule.name)}: {problem}" for problem in problems]
        if not text.strip():
            continue
        if len(text) > room:
            notices.append(
                f"Rule {visible(rule.name)} is left out: the rules have more than {TOTAL_LIMIT} "
                "characters together."
            )
            continue
        room -= len(text)
        found.append(ProjectRule(rule.name, text))
    return found, notices


# Skills: instructions that a model reads when it needs them. Pure.
#
# A skill is a folder with a `SKILL.md`. The system prompt has the `name` and `description` from its
# frontmatter; the model reads the rest with the tool `read`.


_NAME_LIMIT, _DESCRIPTION_LIMIT = 64, 1024
"""Characters, as the Agent Skills format limits them."""

_FRONTMATTER_LIMIT = 5_000
"""Characters at the start of a file that are read: each turn reads all skills, and YAML is slow."""

_HEADING = """\
# Installed Skills

Each skill below is a file of instructions for one kind of task. When a task fits the description
of a skill, read the file at its path first and follow it. Do not guess what a skill says."""


class SkillError(ValueError):
    """A `SKILL.md` without a valid skill; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill, as the system prompt lists it."""

    name: str
    description: str
    path: str
    """Path of its `SKILL.md` for the tool `read`."""


def parse_skill(text: str, path: str) -> Skill:
    """Parse the frontmatter of a `SKILL.md`.

    Raises:
        SkillError: The name or description is missing or too long.
    """
    table, _, problem = split_markdown(text[:_FRONTMATTER_LIMIT])
    if problem is not None:
        raise SkillError(problem)
    values = []
    for key, limit in (("name", _NAME_LIMIT), ("description", _DESCRIPTION_LIMIT)):
        try:
            value = one_line(text_value(table.get(key)), limit + 1)
        except ValueError:
            value = ""
        if not 0 < len(value) <= limit:
            raise SkillError(f"expected {key}: in its frontmatter, 1 to {limit} characters.")
        values.append(value)
    return Skill(values[0], values[1], path)


def skills_in_use(skills: Sequence[Skill], selected: Selection) -> tuple[list[Skill], list[str]]:
    """Return the skills in use, and one line for each problem."""
    notices = [*selected.notices, *selected.unknown([skill.name for skill in skills])]
    return [skill for skill in skills if selected.uses(skill.name)], notices


def build_skills_index(skills: Sequence[Skill]) -> str:
    """Return the list of skills for a model; empty if there are none."""
    if not skills:
        return ""
    entries = (
        {"name": skill.name, "description": skill.description, "path": skill.path}
        for skill in sorted(skills, key=lambda skill: skill.name)
    )
    listed = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"{_HEADING}\n\n```json\n[\n{listed}\n]\n```"


# Markdown files with a frontmatter: definitions of agents and skills.


class MarkdownFile(NamedTuple):
    """The parts of a Markdown file."""

    table: dict[str, Any]
    """The frontmatter; empty if there is none, or it cannot be read."""
    body: str
    """The text after the frontmatter, without blank lines around it."""
    problem: str | None = None
    """Why the frontmatter cannot be read; None if it can."""


def split_markdown(text: str) -> MarkdownFile:
    """Split a file into frontmatter and body. Line ends become LF."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    end = split_frontmatter(text)
    block, body = text[:end], text[end:].strip()
    if not block:
        return MarkdownFile({}, body)
    inner = block[block.index("\n") + 1 : block.rindex("---")]
    try:
        root = compose(inner)
        table = plain_value(root) if root is not None else {}
    except YamlError as error:
        return MarkdownFile({}, body, f"line {error.line + 1} is not YAML: {error}.")
    if not isinstance(table, dict):
        return MarkdownFile({}, body, "expected the frontmatter to map names to values.")
    return MarkdownFile(table, body)


# Selection of the project rules and skills that a conversation uses. Pure.


Kind = Literal["rules", "skills"]

DEFAULTS: Mapping[Kind, tuple[str, ...]] = {"rules": ("*",), "skills": ()}
"""The default: all rules, no skills. Each rule is meant to be followed. Each skill adds its description
to every request, even if it belongs to another program."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The names in use, and what selected them."""

    kind: Kind
    wanted: tuple[str, ...]
    """Names, with the wildcards `*` and `?`."""
    by: str
    """For notices: `agent NAME`, `the notebook` or `by default`."""
    notices: tuple[str, ...] = ()

    def uses(self, name: str) -> bool:
        """Return whether a rule or skill with this name is used."""
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.wanted)

    def unknown(self, names: Sequence[str]) -> list[str]:
        """Return one line for each wanted name that does not exist."""
        return [
            f"{self.kind} of {self.by}: there is no {visible(one_line(wanted, 100))!r}."
            for wanted in self.wanted
            if wanted != "*"
            and not any(name == wanted or fnmatchcase(name, wanted) for name in names)
        ]


def select(kind: Kind, agent: Agent, notebook: Mapping[str, Any]) -> Selection:
    """Return the agent's own selection, else the notebook's, else the default.

    Args:
        notebook: The notebook's `metadata.msgbook`, where `rules` and `skills` are lists of names.
    """
    own = agent.rules if kind == "rules" else agent.skills
    if own is not None:
        return Selection(kind, own, f"agent {visible(agent.name)}")
    default = Selection(kind, DEFAULTS[kind], "by default")
    value = notebook.get(kind)
    if value is None:
        return default
    try:
        return Selection(kind, name_values(value), "the notebook")
    except ValueError:
        words = f"{kind} of the notebook: expected a list of names; it is ignored."
        return Selection(kind, default.wanted, default.by, (words,))
