"""References of a prompt, resolved to texts. All I/O is behind `Sources`.

A path is relative to the notebook's folder, also in a referenced file. The text of a tag, with its
macros expanded, is the key under which the model finds the item. Files of a glob have their paths as
keys, with the lines if the reference has any. Prose files (Markdown, plain text) may refer to further
files, by path and in brackets only; those are items of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgbook.approval import MCP_PREFIX
from msgbook.events import Notice
from msgbook.request.context.content_reference import ToolRun
from msgbook.request.context.macros import expand_macros
from msgbook.request.context.sources import SourceError, Sources
from msgbook.request.context.tags import (
    Reference,
    Tag,
    TagError,
    find_tags,
    is_glob,
    parse_tag,
    parts_of,
)
from msgbook.request.context.tool_arguments import ReferenceNotices, ToolArguments, expand_in_tag
from msgbook.scanner import run_in_thread_if_long
from msgbook.text import capped, one_line, repair_surrogates

FILE_LIMIT = 200_000
"""Characters of one item, some 50,000 tokens. Of a longer item, the head and the tail are sent."""
TOTAL_LIMIT = 400_000
"""Characters of all items of a prompt: two items of full length, and what most windows hold."""
DOCUMENTS_LIMIT = 40_000_000
"""Characters of all documents of a prompt, in Base64."""
ITEMS = 200
"""Items of a prompt: files, cells, variables and calls. Each is read, recorded and named in the turn."""
DEPTH = 20
"""Levels of files that refer to files. People write two or three; files may refer to each other."""
_KEY_GROWTH = 5_000
"""Characters that macros may add to one tag: more than any path has."""
_CALL = re.compile(r"\w+\s*\{.*\}", re.DOTALL)
"""A tag that looks like a tool call but is not one."""
_LIKE_LINES = re.compile(r"(.+?)(:.*|#L?\d+(?:-L?\d+)?|#page=\d+)")
"""A path with something else than lines, perhaps with lines as other programs write them."""
_MAX_TAGS = 1000
"""Tags of a prompt that are resolved, including those that fail."""


@dataclass(slots=True)
class ResolvedReferences:
    """Texts that the references of a prompt stand for, in order of first mention."""

    files: dict[str, str] = field(default_factory=dict)
    tools: list[ToolRun] = field(default_factory=list)
    documents: dict[str, str] = field(default_factory=dict)
    """Data URLs of those of the `files` that are sent as documents."""
    approved_keys: set[str] = field(default_factory=set)
    """Keys of the `files` that needed approval."""
    notices: list[Notice] = field(default_factory=list)


async def resolve_references(
    text: str,
    macros: Mapping[str, str],
    sources: Sources,
    *,
    rules: Iterable[tuple[str, str]] = (),
    line: int = 1,
) -> ResolvedReferences:
    """Resolve the references of a prompt. A reference that fails is a notice; the others go on.

    Args:
        text: The prompt as written.
        rules: Name and text of the project rules in force. They may refer to files only, and get
            what the prompt leaves of its limits.
        line: First line of the text in its cell, from 1.
    """
    resolver = _Resolver(macros, sources)
    await resolver.resolve_prompt(text, line)
    for name, rule in rules:
        await resolver.resolve_nested(rule, (name,))
    return resolver.resolved


class _Resolver:
    def __init__(self, macros: Mapping[str, str], sources: Sources) -> None:
        self._macros = macros
        self._sources = sources
        self._characters_left = TOTAL_LIMIT
        self._arguments = ToolArguments(macros)
        self._tag_count = 0
        self._is_full = False
        self._tried: set[str] = set()
        self._calls: set[tuple[str, str]] = set()
        self._notices = ReferenceNotices()
        self.resolved = ResolvedReferences(notices=self._notices.notices)

    async def resolve_prompt(self, text: str, line: int) -> None:
        """Resolve all kinds of references: a person has written this text."""
        tags, problems = await run_in_thread_if_long(text, find_tags, text)
        for problem in problems:
            self._notices.add(f"Line {line + problem.line - 1}: {problem.message}")
        for tag in tags:
            if self._exceeds_tags(tag):
                return
            try:
                if tag.tool:
                    await self._run_tool(tag)
                elif tag.is_bare:
                    await self._resolve_bare(tag)
                else:
                    key = await self._key_of(tag)
                    await self._resolve_item(key, await self._named_by(key), ())
            except (SourceError, TagError) as error:
                self._notices.add_failure(tag.text, error)

    async def resolve_nested(self, text: str, chain: tuple[str, ...]) -> None:
        """Resolve the references of a file or rule: only to files, by path and in brackets.

        Args:
            chain: The keys of the files that lead here, outermost first.
        """
        tags, problems = await run_in_thread_if_long(text, find_tags, text, bare=False)
        self._notices.add_problems(problems, chain[-1])
        for tag in tags:
            if self._exceeds_tags(tag):
                return
            try:
                key = await self._key_of(tag)
                reference = await self._named_by(key) if not tag.tool else None
                if reference is None or reference.kind != "path":
                    raise SourceError("a referenced file or a rule may refer to files only")
                if key in chain:
                    circle = " -> ".join((*chain[chain.index(key) :], key))
                    raise SourceError(f"the references form a circle: {circle}")
                if len(chain) > DEPTH:
                    raise SourceError(f"references may be at most {DEPTH} files deep")
                await self._resolve_item(key, reference, chain)
            except (SourceError, TagError) as error:
                self._notices.add_failure(tag.text, error, chain[-1])

    def _exceeds_tags(self, tag: Tag) -> bool:
        """Count a tag in brackets, and return whether there are too many."""
        self._tag_count += not tag.is_bare
        if self._tag_count == _MAX_TAGS + 1:
            reason = f"a prompt may have {_MAX_TAGS} references, so all later ones are left out too"
            self._notices.add_failure(tag.text, reason)
        return self._tag_count > _MAX_TAGS

    async def _resolve_bare(self, tag: Tag) -> None:
        for spelling in tag.spellings:
            reference = parse_tag(spelling)
            if len(self._tried) > _MAX_TAGS:
                return
            self._tried.add(f"@{spelling}")
            if reference.kind == "path" and await self._sources.exists(reference.name):
                await self._resolve_item(spelling, reference, ())
                return

    async def _resolve_item(self, key: str, reference: Reference, chain: tuple[str, ...]) -> None:
        """Add the text of a reference under its key, unless the key has been tried before."""
        if not self._try_key(key):
            return
        self._check_room()
        if reference.kind == "cell":
            cell = await self._sources.cell(reference.name)
            self._add(key, cell.text, needed_approval=cell.needed_approval)
        elif reference.kind == "python":
            self._add(key, await self._sources.python(reference.name))
        elif is_glob(reference.name) and not await self._sources.exists(reference.name):
            if reference.cell:
                raise SourceError("expected one notebook before :cell:, got a pattern")
            if chain:
                raise SourceError("a referenced file or a rule may refer to single files only")
            await self._read_glob(reference)
        elif _CALL.fullmatch(key) and not await self._sources.exists(reference.name):
            raise SourceError("expected a file, or a tool with its arguments as a JSON object")
        elif not chain and key.startswith(MCP_PREFIX) and not await self._sources.exists(key):
            raise SourceError(f"there is no such file. To call a tool, add arguments: @[{key}{{}}]")
        else:
            await self._check_lines(key, reference)
            await self._read_file(key, reference, chain)

    async def _check_lines(self, key: str, reference: Reference) -> None:
        """Raise an error that says how lines are written if these are not, as other programs write them."""
        found = _LIKE_LINES.fullmatch(key)
        if found is None or await self._sources.exists(reference.name):
            return
        if await self._sources.exists(found[1]):
            parts = parts_of(found[1])
            raise SourceError(f"expected {parts} as in @[{found[1]}:1:20], got {found[2]}")

    async def _read_glob(self, reference: Reference) -> None:
        matches = await self._sources.glob(reference.name)
        if not matches.paths:
            raise SourceError(matches.note or "no file matches")
        if matches.note:
            self._notices.add_about(reference.name, matches.note)
        lines = f":{reference.lines.first}:{reference.lines.last}" if reference.lines else ""
        for path in matches.paths:
            key = f"{path}{lines}"
            if not self._try_key(key):
                continue
            try:
                self._check_room()
                await self._read_file(key, Reference("path", path, reference.lines), ())
            except SourceError as error:
                self._notices.add_failure(key, error)
            if self._is_full:
                return

    async def _read_file(self, key: str, reference: Reference, chain: tuple[str, ...]) -> None:
        referenced = await self._sources.read(
            reference.name, reference.lines, nested=bool(chain), cell=reference.cell
        )
        text = referenced.text
        if referenced.note:
            self._notices.add_about(key, referenced.note)
        if referenced.kind != "literal":
            text, problems = expand_macros(text, self._macros)
            self._notices.add_problems(problems, key)
        if referenced.document:
            self._check_documents(referenced.document)
            self.resolved.documents[key] = referenced.document
        self._add(key, text, needed_approval=referenced.needed_approval)
        if referenced.kind == "prose":
            await self.resolve_nested(text[:FILE_LIMIT], (*chain, key))

    async def _run_tool(self, tag: Tag) -> None:
        arguments = self._arguments.read(tag.arguments)
        canonical = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        if (tag.tool, canonical) in self._calls:
            return
        self._calls.add((tag.tool, canonical))
        self._check_room()
        result = await self._sources.tool(tag.tool, canonical)
        text = self._cap(tag.text, result.text)
        self.resolved.tools.append(ToolRun(tag.tool, arguments, text, result.needed_approval))

    def _expand(self, text: str) -> str:
        return expand_in_tag(text, self._macros, _KEY_GROWTH)

    async def _key_of(self, tag: Tag) -> str:
        """Return the text of a tag: with blanks around it if a file is called so."""
        for spaced in tag.spaced:
            path = _path_of(key := self._expand(spaced))
            if path != path.strip() and await self._sources.exists(path):
                return key
        return self._expand(tag.text)

    async def _named_by(self, key: str) -> Reference:
        """Return the reference of a key: a file's name may end as lines or a cell do (`log-12:30`)."""
        try:
            reference = parse_tag(key)
        except TagError:
            if not await self._sources.exists(key):
                raise
            return Reference("path", key)
        has_part = reference.lines or reference.cell
        is_name = has_part and not await self._sources.exists(reference.name)
        return Reference("path", key) if is_name and await self._sources.exists(key) else reference

    def _try_key(self, key: str) -> bool:
        """Return whether a key is tried for the first time, and remember it."""
        is_new = key not in self._tried
        self._tried.add(key)
        return is_new

    def _add(self, key: str, text: str, *, needed_approval: bool = False) -> None:
        self.resolved.files[key] = self._cap(key, text)
        if needed_approval:
            self.resolved.approved_keys.add(key)

    def _check_room(self) -> None:
        """Check that the limits leave room for one more item.

        Raises:
            SourceError: There is no room.
        """
        count = len(self.resolved.files) + len(self.resolved.tools)
        has_characters = self._characters_left > 0
        if count < ITEMS and has_characters and len(self._tried) <= _MAX_TAGS:
            return
        self._is_full = True
        limit = f"{ITEMS} items" if has_characters else f"{TOTAL_LIMIT} characters"
        raise SourceError(f"a prompt may have at most {limit}")

    def _check_documents(self, document: str) -> None:
        """Check that a document may be sent beside the others.

        Raises:
            SourceError: They would be too large.
        """
        total = sum(map(len, self.resolved.documents.values())) + len(document)
        if total > DOCUMENTS_LIMIT:
            raise SourceError(
                f"the documents of a prompt may have at most {DOCUMENTS_LIMIT:,} characters in Base64"
            )

    def _cap(self, key: str, text: str) -> str:
        text = repair_surrogates(text)
        limit = min(FILE_LIMIT, self._characters_left)
        self._characters_left -= min(len(text), limit)
        if len(text) > limit:
            reason = f"{len(text) - limit} of {len(text)} characters were left out in the middle"
            self._notices.add_about(key, f"{reason}; to send lines, write @[path:1:200]")
        return capped(text, limit)


def _path_of(text: str) -> str:
    """Return the path that the text of a tag names; empty if it names something else."""
    try:
        reference = parse_tag(text)
    except TagError:
        return ""
    return reference.name if reference.kind == "path" else ""


# References of a prompt that cannot be read, whatever they were meant to name. Pure.


_ARGUMENT_CALL = re.compile(r"[A-Za-z_][\w.-]*\s*\{(?:\s*[\"'}]|[^{},]*:)")
"""The beginning of a tag that was meant as a tool call; a pattern such as `a{b,c}.csv` is none."""
_MACRO = "{{"


def list_broken_references(text: str) -> list[str]:
    """Return a sentence for each reference that cannot be read, in order, each once.

    A file that does not exist is none of them: it may be made later. Neither is a reference with a macro, which is
    read when the macro is expanded.
    """
    tags, problems = find_tags(text, bare=False)
    broken = [(problem.line, problem.message) for problem in problems]
    for tag in tags:
        if reason := _problem_of(tag):
            line = text.count("\n", 0, tag.start) + 1
            broken.append((line, f"@[{one_line(tag.text, 200)}] cannot be read: {reason}."))
    return list(dict.fromkeys(words for _, words in sorted(broken, key=lambda found: found[0])))


def _problem_of(tag: Tag) -> str | None:
    """Return why a tag in brackets cannot be read; None if it can."""
    if _MACRO in tag.text:
        return None
    try:
        if tag.tool:
            ToolArguments({}).read(tag.arguments)
        elif _ARGUMENT_CALL.match(tag.text):
            return "expected a tool with its arguments as a JSON object"
        else:
            parse_tag(tag.text)
    except TagError as error:
        return str(error).rstrip(".")
    return None
