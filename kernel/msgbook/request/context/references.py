"""Follows the references of a prompt: tags to texts. All I/O is behind `Sources`.

A path is relative to the notebook's folder, wherever its tag stands: one tag means one thing, and
its text, macros expanded, is the key under which the model finds it. The files of a glob have
their paths as keys. Files of prose (Markdown, plain text) may refer to further files, by their path
and in brackets alone; those are items of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgbook.events import Notice
from msgbook.request.context.content_reference import ToolRun
from msgbook.request.context.macro_expansion import expand_macros
from msgbook.request.context.scanner import Problem, run_in_thread_if_long
from msgbook.request.context.sources import SourceError, Sources
from msgbook.request.context.tags import Reference, Tag, TagError, find_tags, is_glob, parse_tag
from msgbook.request.context.tool_arguments import ToolArguments, expand_in_tag
from msgbook.text import capped, one_line, repair_surrogates

FILE_LIMIT = 200_000
"""Characters of one item; of a longer one head and tail are sent."""
TOTAL_LIMIT = 400_000
"""Characters of all items of a prompt."""
ITEMS = 200
"""Items of a prompt: files, cells, values and calls."""
DEPTH = 20
"""How many files deep references are followed."""
_KEY_GROWTH = 5_000
"""Characters that macros put into one tag: more than any path has."""
_CALL = re.compile(r"\w+\s*\{.*\}", re.DOTALL)
"""What is meant as a call, but is none."""
_TRIES = 1000
"""References of a prompt that are followed, found or not."""
_NOTICES = 50


@dataclass(slots=True)
class ResolvedReferences:
    """What references brought, in order of first mention."""

    files: dict[str, str] = field(default_factory=dict)
    tools: list[ToolRun] = field(default_factory=list)
    allowed: set[str] = field(default_factory=set)
    """Keys of those `files` that were not free."""
    notices: list[Notice] = field(default_factory=list)


async def resolve_references(
    text: str,
    macros: Mapping[str, str],
    sources: Sources,
    *,
    rules: Iterable[tuple[str, str]] = (),
    line: int = 1,
) -> ResolvedReferences:
    """Follow the references of a prompt. What fails is a notice, and the others are followed.

    Args:
        text: The prompt as written.
        rules: Name and text of those in force, which may name files alone. They share the room of
            the prompt, behind it.
        line: Where the text begins in its cell, from 1.
    """
    resolver = _Resolver(macros, sources)
    await resolver.follow_prompt(text, line)
    for name, rule in rules:
        await resolver.follow_nested(rule, (name,))
    return resolver.resolved


class _Resolver:
    def __init__(self, macros: Mapping[str, str], sources: Sources) -> None:
        self._macros = macros
        self._sources = sources
        self._left = TOTAL_LIMIT
        self._arguments = ToolArguments(macros)
        self._followed = 0
        self._refused = False
        self._tried: set[str] = set()
        self._calls: set[tuple[str, str]] = set()
        self.resolved = ResolvedReferences()

    async def follow_prompt(self, text: str, line: int) -> None:
        """Follow what the user has written: all kinds of references."""
        found = await run_in_thread_if_long(text, find_tags, text)
        for problem in found.problems:
            self._say(f"Line {line + problem.line - 1}: {problem.words}")
        for tag in found.tags:
            if self._is_enough(tag):
                return
            try:
                if tag.tool:
                    await self._call(tag)
                elif tag.bare:
                    await self._bare(tag)
                else:
                    key = self._expanded(tag.text)
                    await self._item(key, parse_tag(key), ())
            except (SourceError, TagError) as error:
                self._notice(tag.text, error)

    async def follow_nested(self, text: str, chain: tuple[str, ...]) -> None:
        """Follow what a file or rule has written: files, by path and in brackets.

        Args:
            chain: The keys that lead here, outermost first.
        """
        found = await run_in_thread_if_long(text, find_tags, text, bare=False)
        self._tell(found.problems, one_line(chain[-1], 200))
        for tag in found.tags:
            if self._is_enough(tag):
                return
            try:
                key = self._expanded(tag.text)
                reference = parse_tag(key) if not tag.tool else None
                if reference is None or reference.kind != "path":
                    raise SourceError("a referenced file may name files alone")
                if key in chain:
                    circle = " -> ".join((*chain[chain.index(key) :], key))
                    raise SourceError(f"the references go in a circle: {circle}")
                if len(chain) > DEPTH:
                    raise SourceError(f"references are followed {DEPTH} files deep")
                await self._item(key, reference, chain)
            except (SourceError, TagError) as error:
                self._notice(tag.text, error, chain[-1])

    def _is_enough(self, tag: Tag) -> bool:
        """Whether nothing more is followed; each tag in brackets counts, whatever comes of it."""
        self._followed += not tag.bare
        if self._followed == _TRIES + 1:
            self._notice(tag.text, f"left out with all that follow: {_TRIES} have been followed")
        return self._followed > _TRIES

    async def _bare(self, tag: Tag) -> None:
        for spelling in tag.spellings:
            reference = parse_tag(spelling)
            if len(self._tried) > _TRIES:
                return
            self._tried.add(f"@{spelling}")
            if reference.kind == "path" and await self._sources.exists(reference.name):
                await self._item(spelling, reference, ())
                return

    async def _item(self, key: str, reference: Reference, chain: tuple[str, ...]) -> None:
        """Put what a reference means under its key, unless it has been tried."""
        if not self._is_new(key):
            return
        self._room()
        if reference.kind == "cell":
            cell = await self._sources.cell(reference.name)
            self._add(key, cell.text, free=cell.free)
        elif reference.kind == "python":
            self._add(key, await self._sources.python(reference.name))
        elif is_glob(reference.name) and not await self._sources.exists(reference.name):
            if chain:
                raise SourceError("a referenced file may name single files alone")
            await self._glob(reference)
        elif _CALL.fullmatch(key) and not await self._sources.exists(reference.name):
            raise SourceError("expected a file, or a tool with its arguments as a JSON object")
        else:
            await self._file(key, reference, chain)

    async def _glob(self, reference: Reference) -> None:
        matches = await self._sources.glob(reference.name)
        if not matches.paths:
            raise SourceError(matches.note or "no file matches")
        if matches.note:
            self._notice(reference.name, matches.note)
        for path in matches.paths:
            if not self._is_new(path):
                continue
            try:
                self._room()
                await self._file(path, Reference("path", path, reference.lines), ())
            except SourceError as error:
                self._notice(path, error)
            if self._refused:
                return

    async def _file(self, key: str, reference: Reference, chain: tuple[str, ...]) -> None:
        document = await self._sources.read(reference.name, reference.lines, nested=bool(chain))
        text = document.text
        if document.note:
            self._notice(key, document.note)
        if document.kind != "literal":
            text, problems = expand_macros(text, self._macros)
            self._tell(problems, one_line(key, 200))
        self._add(key, text, free=document.free)
        if document.kind == "prose":
            await self.follow_nested(text[:FILE_LIMIT], (*chain, key))

    async def _call(self, tag: Tag) -> None:
        arguments = self._arguments.read(tag.arguments)
        canonical = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        if (tag.tool, canonical) in self._calls:
            return
        self._calls.add((tag.tool, canonical))
        self._room()
        result = await self._sources.tool(tag.tool, canonical)
        shown = self._bounded(tag.text, result.text)
        self.resolved.tools.append(ToolRun(tag.tool, arguments, shown, result.free))

    def _expanded(self, text: str) -> str:
        return expand_in_tag(text, self._macros, _KEY_GROWTH)

    def _is_new(self, key: str) -> bool:
        """Whether a key is tried for the first time."""
        new = key not in self._tried
        self._tried.add(key)
        return new

    def _add(self, key: str, text: str, *, free: bool = True) -> None:
        self.resolved.files[key] = self._bounded(key, text)
        if not free:
            self.resolved.allowed.add(key)

    def _room(self) -> None:
        """Make sure that one more item has room.

        Raises:
            SourceError: There is none. It is told once.
        """
        count = len(self.resolved.files) + len(self.resolved.tools)
        if count < ITEMS and self._left > 0 and len(self._tried) <= _TRIES:
            return
        self._refused = True
        limit = f"{ITEMS} items" if self._left > 0 else f"{TOTAL_LIMIT} characters"
        raise SourceError(f"left out, since a prompt brings at most {limit}")

    def _bounded(self, key: str, text: str) -> str:
        text = repair_surrogates(text)
        limit = min(FILE_LIMIT, self._left)
        self._left -= min(len(text), limit)
        if len(text) > limit:
            words = f"{len(text) - limit} of {len(text)} characters were left out in the middle"
            self._notice(key, f"{words}; ask for lines with @[path:1:200]")
        return capped(text, limit)

    def _tell(self, problems: list[Problem], where: str) -> None:
        for problem in problems:
            self._say(f"{where}, line {problem.line}: {problem.words}")

    def _notice(self, tag: str, reason: object, where: str = "") -> None:
        place = f"{one_line(where, 200)}: " if where else ""
        self._say(f"{place}@[{one_line(tag, 200)}]: {str(reason).rstrip('.')}.")

    def _say(self, words: str) -> None:
        notices = self.resolved.notices
        notice = Notice(words, "warning")
        if len(notices) == _NOTICES:
            notices.append(Notice("What else is wrong with the references is not told.", "warning"))
        elif len(notices) < _NOTICES and notice not in notices:
            notices.append(notice)
