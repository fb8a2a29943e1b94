"""What a prompt brings with it: macros, references, rules, images, and the record of all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.agents.model import Agent
from msgbook.agents.rules import Rule, rules_in_force
from msgbook.agents.selection import selection
from msgbook.cells import Cell, IsMagic, Prompt, metadata_of
from msgbook.events import Notice
from msgbook.prompt.block import Items, ToolRun, build
from msgbook.prompt.expand import expand
from msgbook.prompt.images import LoadFile, load_images
from msgbook.prompt.macros import macros_in_force
from msgbook.prompt.references import Resolved, resolve
from msgbook.prompt.scan import aside
from msgbook.prompt.sources import Sources
from msgbook.transcript import Transcript

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Brought:
    """What stands beside a prompt's own words."""

    context: dict[str, Any]
    """Keys for the turn's `context`: `macros`, `rules`, `files`, `tools`, `images`, where any."""
    blobs: dict[str, str]
    """Texts that the context names by their sha256."""
    notices: list[Notice]


@dataclass(frozen=True, slots=True)
class Bringing:
    """How a prompt's references are followed.

    Args:
        load_file: Reads the files of images.
        redact: Takes out what must neither be sent nor kept.
        has_blob: Whether a text that was sent earlier is still there.
    """

    sources: Sources
    load_file: LoadFile
    is_magic: IsMagic
    redact: Redact
    has_blob: Callable[[str], bool]

    async def of(
        self,
        prompt: Prompt,
        transcript: Transcript,
        *,
        agent: Agent,
        rules: Sequence[Rule],
        above: Iterable[Mapping[str, Any]],
    ) -> Brought:
        """Gather all that a prompt names, and the rules that hold.

        Args:
            rules: All of the project.
            above: The contexts of the prompts that are sent whole before this one.
        """
        text = prompt.text
        macros, problems = await aside(
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
        found = await resolve(text, macros, self.sources, rules=naming, line=prompt.line)
        notices += [*found.notices, *(Notice(words, "warning") for words in wrong)]
        images = await load_images(text, self.load_file, _attachments(transcript.current))
        block = build(above, self._items(found, in_force), has_blob=self.has_blob)
        # None are recorded where the notebook still notes some: they were removed.
        noted = metadata_of({"metadata": transcript.metadata})
        context = {
            **({"macros": macros} if macros or noted.get("macros") else {}),
            **block.context,
            **({"images": images.records} if images.records else {}),
        }
        return Brought(context, {**block.blobs, **images.blobs}, [*notices, *images.notices])

    def _rules(
        self,
        agent: Agent,
        rules: Sequence[Rule],
        transcript: Transcript,
        macros: Mapping[str, str],
    ) -> tuple[list[Rule], list[str]]:
        def expanded(text: str) -> tuple[str, Sequence[str]]:
            found = expand(text, macros)
            return found.text, [f"line {one.line}: {one.words}" for one in found.problems]

        selected = selection("rules", agent, metadata_of({"metadata": transcript.metadata}))
        return rules_in_force(rules, selected, expanded)

    def _items(self, found: Resolved, rules: Sequence[Rule]) -> Items:
        """All of it, redacted: it is kept in the project's folder."""
        return Items(
            rules={rule.name: self.redact(rule.text) for rule in rules},
            files={self.redact(key): self.redact(text) for key, text in found.files.items()},
            tools=[ToolRun(run.name, run.args, self.redact(run.result)) for run in found.tools],
        )


def _attachments(cell: Cell | None) -> Mapping[str, Any]:
    found = cell.get("attachments") if cell else None
    return found if isinstance(found, Mapping) else {}
