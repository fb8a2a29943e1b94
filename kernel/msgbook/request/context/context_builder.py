"""The context of one prompt: macros, references, project rules and images, and their record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from msgbook.agents import Agent, ProjectRule, rules_in_force, select
from msgbook.events import Notice
from msgbook.notebook import Prompt, Transcript, is_imported, metadata_of
from msgbook.request.context.content_reference import ContextItems, ToolRun, build_content_reference
from msgbook.request.context.image_encoding import PixelBudget
from msgbook.request.context.images import attachments_of, load_images
from msgbook.request.context.macros import expand_macros, macros_in_force
from msgbook.request.context.references import ResolvedReferences, resolve_references
from msgbook.request.context.sources import EarlierTexts, Sources
from msgbook.request.records import is_sent_in_full
from msgbook.scanner import Problem, run_in_thread_if_long
from msgbook.text import repair_surrogates
from msgbook_format.syntax import CellRule

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of one prompt, as it is recorded."""

    context: dict[str, Any]
    """For the turn's `context`: `macros`, `rules`, `files`, `tools`, `images`, each if there are any."""
    blobs: dict[str, str]
    """Texts that the context names, by their sha256."""
    session_only: set[str]
    """Digests of the texts that needed approval: they are kept in this session only."""
    notices: list[Notice]


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Makes the context of one prompt.

    Args:
        sources: Reads what references and images name.
        redact: Removes secrets from a text, which must neither be sent nor kept.
        has_blob: Returns whether a text that was sent earlier is still kept.
        pixels: Those that may be decoded for its images.
    """

    sources: Sources
    cell_rule: CellRule
    redact: Redact
    has_blob: Callable[[str], bool]
    pixels: PixelBudget

    async def build(
        self,
        prompt: Prompt,
        transcript: Transcript,
        *,
        agent: Agent,
        rules: Sequence[ProjectRule] | None,
        above: EarlierTexts | Iterable[Mapping[str, Any]],
    ) -> PromptContext:
        """Resolve the references and images of a prompt, and add the project rules in force.

        Args:
            rules: All rules of the project; None to add none.
            above: As `previous` of `build_content_reference`, of the prompts that are sent in full.
        """
        # A message of another program stays text, whatever it holds.
        is_text = is_imported(transcript.current)
        text = "" if is_text else prompt.text
        macros, problems = await run_in_thread_if_long(
            text, macros_in_force, transcript.metadata, transcript.earlier, text, self.cell_rule
        )
        notices = [_warn_of(problem, prompt.line) for problem in problems]
        in_force, rule_problems = (
            ([], []) if rules is None else self._rules(agent, rules, transcript, macros)
        )
        rule_texts = [(rule.name, rule.text) for rule in in_force]
        references = await resolve_references(
            text, macros, self.sources, rules=rule_texts, line=prompt.line
        )
        notices += [
            *references.notices,
            *(Notice(problem, "warning") for problem in rule_problems),
        ]
        approvals = self.sources.approvals
        images = await load_images(
            prompt.text,
            self.sources.bytes,
            attachments_of(transcript.current),
            imported=is_text,
            pixels=self.pixels,
        )
        approved_images = images.blobs if self.sources.approvals > approvals else {}
        items = self._items(references, None if rules is None else in_force)
        content_reference = build_content_reference(above, items, has_blob=self.has_blob)
        documents = self._documents(references, content_reference.context)
        session_only = self._approved_texts(references, content_reference.context, documents)
        session_only |= approved_images.keys()
        context = {
            **_macros_record(macros, transcript),
            **content_reference.context,
            **({"images": images.records} if images.records else {}),
            **({"documents": [*documents.values()]} if documents else {}),
        }
        blobs = {**content_reference.blobs, **images.blobs}
        blobs |= {entry["sha256"]: references.documents[key] for key, entry in documents.items()}
        return PromptContext(
            _mark_not_kept(context, session_only), blobs, session_only, [*notices, *images.notices]
        )

    def _rules(
        self,
        agent: Agent,
        rules: Sequence[ProjectRule],
        transcript: Transcript,
        macros: Mapping[str, str],
    ) -> tuple[list[ProjectRule], list[str]]:
        def expanded(text: str) -> tuple[str, Sequence[str]]:
            result, problems = expand_macros(text, macros)
            return result, [f"line {problem.line}: {problem.message}" for problem in problems]

        selected = select("rules", agent, metadata_of({"metadata": transcript.metadata}))
        return rules_in_force(rules, selected, expanded)

    def _documents(
        self, references: ResolvedReferences, context: Mapping[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """Return the record of each document by its key, without those that a message above has sent."""
        sent = {entry["key"] for entry in context.get("files", ()) if is_sent_in_full(entry)}
        found = {}
        for key, url in references.documents.items():
            name = repair_surrogates(self.redact(key))
            if name in sent:
                found[key] = {"key": name, "sha256": sha256(url.encode()).hexdigest()}
        return found

    def _approved_texts(
        self,
        references: ResolvedReferences,
        context: Mapping[str, Any],
        documents: Mapping[str, Mapping[str, Any]],
    ) -> set[str]:
        """Return digests of the texts that needed approval wherever they were read."""
        keys = {self.redact(key) for key in references.approved_keys}
        reads = [
            (entry["sha256"], repair_surrogates(entry["key"]) in keys)
            for entry in context.get("files", ())
        ]
        reads += [
            (entry["sha256"], key in references.approved_keys) for key, entry in documents.items()
        ]
        runs = zip(context.get("tools", ()), references.tools, strict=True)
        reads += [(entry["sha256"], run.needed_approval) for entry, run in runs]
        reads += [(entry["sha256"], False) for entry in context.get("rules", ())]
        return {digest for digest, _ in reads} - {
            digest for digest, needed_approval in reads if not needed_approval
        }

    def _items(
        self, references: ResolvedReferences, rules: Sequence[ProjectRule] | None
    ) -> ContextItems:
        """Return all texts, redacted, because they are kept in the project's folder."""
        return ContextItems(
            rules=None if rules is None else {r.name: self.redact(r.text) for r in rules},
            files={self.redact(key): self.redact(text) for key, text in references.files.items()},
            tools=[
                ToolRun(run.name, run.args, self.redact(run.result)) for run in references.tools
            ],
        )


def _mark_not_kept(context: dict[str, Any], session_only: set[str]) -> dict[str, Any]:
    """Return the context with `"kept": false` at each text that later sessions do not have."""
    return {
        kind: [
            {**entry, "kept": False} if entry.get("sha256") in session_only else entry
            for entry in entries
        ]
        if kind in ("files", "tools", "images", "documents")
        else entries
        for kind, entries in context.items()
    }


def _warn_of(problem: Problem, first_line: int) -> Notice:
    """Return a notice about a problem in a text that begins in a line of its cell."""
    place = f"Line {first_line + problem.line - 1}: " if problem.line else ""
    return Notice(f"{place}{problem.message}", "warning")


def _macros_record(macros: Mapping[str, str], transcript: Transcript) -> dict[str, Any]:
    # An empty record says that macros which the notebook's metadata still has were removed.
    metadata = metadata_of({"metadata": transcript.metadata})
    return {"macros": macros} if macros or metadata.get("macros") else {}
