"""What a prompt brings with it: macros, references, rules, images, and the record of all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from msgbook.agents.agent import Agent
from msgbook.agents.project_rules import ProjectRule, rules_in_force
from msgbook.agents.selection import select
from msgbook.events import Notice
from msgbook.notebook.cells import Cell, IsMagic, Prompt, metadata_of
from msgbook.notebook.transcript import Transcript
from msgbook.request.context.content_reference import ContextItems, ToolRun, build_content_reference
from msgbook.request.context.images import load_images
from msgbook.request.context.macro_expansion import expand_macros
from msgbook.request.context.macros import macros_in_force
from msgbook.request.context.references import ResolvedReferences, resolve_references
from msgbook.request.context.scanner import run_in_thread_if_long
from msgbook.request.context.sources import Sources
from msgbook.text import repair_surrogates

Redact = Callable[[str], str]


class PromptSources(Sources, Protocol):
    """Sources that read files of images, too."""

    @property
    def allowed(self) -> int:
        """How often somebody had to allow, and allowed, what was read."""
        ...

    async def bytes(self, path: str, limit: int) -> bytes:
        """All of a file."""
        ...


@dataclass(frozen=True, slots=True)
class PromptContext:
    """What stands beside a prompt's own words."""

    context: dict[str, Any]
    """Keys for the turn's `context`: `macros`, `rules`, `files`, `tools`, `images`, where any."""
    blobs: dict[str, str]
    """Texts that the context names by their sha256."""
    allowed: set[str]
    """Digests of those that were not free: they are kept in this session alone."""
    notices: list[Notice]


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """How a prompt's references are followed.

    Args:
        sources: Where references lead, the files of images among them.
        redact: Takes out what must neither be sent nor kept.
        has_blob: Whether a text that was sent earlier is still there.
    """

    sources: PromptSources
    is_magic: IsMagic
    redact: Redact
    has_blob: Callable[[str], bool]

    async def build(
        self,
        prompt: Prompt,
        transcript: Transcript,
        *,
        agent: Agent,
        rules: Sequence[ProjectRule],
        above: Iterable[Mapping[str, Any]],
    ) -> PromptContext:
        """Gather all that a prompt names, and the rules that hold.

        Args:
            rules: All of the project.
            above: The contexts of the prompts that are sent whole before this one.
        """
        text = prompt.text
        macros, problems = await run_in_thread_if_long(
            text, macros_in_force, transcript.metadata, transcript.earlier, text, self.is_magic
        )
        notices = [
            Notice(
                f"Line {prompt.line + one.line - 1}: {one.words}" if one.line else one.words,
                "warning",
            )
            for one in problems
        ]
        in_force, wrong = self._rules(agent, rules, transcript, macros)
        naming = [(rule.name, rule.text) for rule in in_force]
        found = await resolve_references(text, macros, self.sources, rules=naming, line=prompt.line)
        notices += [*found.notices, *(Notice(words, "warning") for words in wrong)]
        before = self.sources.allowed
        images = await load_images(text, self.sources.bytes, _attachments(transcript.current))
        allowed_images = images.blobs if self.sources.allowed > before else {}
        block = build_content_reference(above, self._items(found, in_force), has_blob=self.has_blob)
        allowed = self._allowed(found, block.context) | set(allowed_images)
        # None are recorded where the notebook still notes some: they were removed.
        noted = metadata_of({"metadata": transcript.metadata})
        context = {
            **({"macros": macros} if macros or noted.get("macros") else {}),
            **block.context,
            **({"images": images.records} if images.records else {}),
        }
        context = _marked(context, allowed)
        blobs = {**block.blobs, **images.blobs}
        return PromptContext(context, blobs, allowed, [*notices, *images.notices])

    def _rules(
        self,
        agent: Agent,
        rules: Sequence[ProjectRule],
        transcript: Transcript,
        macros: Mapping[str, str],
    ) -> tuple[list[ProjectRule], list[str]]:
        def expanded(text: str) -> tuple[str, Sequence[str]]:
            found = expand_macros(text, macros)
            return found.text, [f"line {one.line}: {one.words}" for one in found.problems]

        selected = select("rules", agent, metadata_of({"metadata": transcript.metadata}))
        return rules_in_force(rules, selected, expanded)

    def _allowed(self, found: ResolvedReferences, context: Mapping[str, Any]) -> set[str]:
        """Digests of the texts that were not free, and are of nothing else that was."""
        keys = {self.redact(key) for key in found.allowed}
        entries = [
            (e["sha256"], repair_surrogates(e["key"]) not in keys) for e in context.get("files", ())
        ]
        runs = zip(context.get("tools", ()), found.tools, strict=True)
        entries += [(entry["sha256"], run.free) for entry, run in runs]
        entries += [(entry["sha256"], True) for entry in context.get("rules", ())]
        return {digest for digest, _ in entries} - {digest for digest, free in entries if free}

    def _items(self, found: ResolvedReferences, rules: Sequence[ProjectRule]) -> ContextItems:
        """All of it, redacted: it is kept in the project's folder."""
        return ContextItems(
            rules={rule.name: self.redact(rule.text) for rule in rules},
            files={self.redact(key): self.redact(text) for key, text in found.files.items()},
            tools=[ToolRun(run.name, run.args, self.redact(run.result)) for run in found.tools],
        )


def _marked(context: dict[str, Any], allowed: set[str]) -> dict[str, Any]:
    """The context, with `"kept": false` at each text that is not kept for later sessions."""
    return {
        kind: [
            {**entry, "kept": False} if entry.get("sha256") in allowed else entry
            for entry in entries
        ]
        if kind in ("files", "tools", "images")
        else entries
        for kind, entries in context.items()
    }


def _attachments(cell: Cell | None) -> Mapping[str, Any]:
    found = cell.get("attachments") if cell else None
    return found if isinstance(found, Mapping) else {}
