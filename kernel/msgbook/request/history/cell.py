"""One cell, as it is sent: its messages. Pure, and total on odd cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgbook import messages
from msgbook.messages import Message, Part
from msgbook.notebook.cells import (
    Cell,
    id_of,
    is_excluded,
    metadata_of,
    outputs_of,
    parse_prompt,
    source_of,
)
from msgbook.request.history.kind import CellKind, history_of, is_continue, is_summary
from msgbook.request.history.outputs import outputs_images, outputs_text
from msgbook.request.history.summary import (
    MissingSummary,
    SummaryLookup,
    messages_as_text,
    source_of_text,
)
from msgbook.request.history.turns import answer_messages
from msgbook.text import capped
from msgbook_format.syntax import write_fence
from msgbook_format.turn import Turn, turn_of

CONTINUE_WORDS = (
    "Your answer broke off here. Go on exactly where it stopped, without repeating what you have "
    "said already."
)
"""What a model is sent for `CONTINUE_MAGIC`."""

Content = str | list[Part]

Redact = Callable[[str], str]

Replay = Callable[[str, Mapping[str, Any], bool], Content]
"""The content of a prompt's message, as it was sent: given the prompt's text, the turn's `context`
as saved, and whether the model sees, the text with its images and its `<content_reference>`."""

_SYSTEM = "[system] "
_SUMMARY = "[summary] "


# None of these is frozen: to make one takes several times as long, and a request makes thousands.


@dataclass(slots=True)
class CellReading:
    """What a cell gives to a request."""

    messages: list[Message]
    system: str = ""
    """Of a system note: its text, which joins the system message above the first prompt."""
    used: Mapping[str, str | None] = field(default_factory=dict)
    """Summaries that it was made of, by source: with others it has to be made anew."""
    missing: tuple[MissingSummary, ...] = ()
    """Summaries that there are not; what they would sum up is sent whole."""


def replay_text(text: str, _context: Mapping[str, Any], _vision: bool) -> Content:
    """The `Replay` of prompts that bring nothing with them."""
    return text


def read_cell(
    cell: Cell,
    kind: CellKind,
    *,
    agent: str | None,
    vision: bool = False,
    reasoning: bool = False,
    replay: Replay = replay_text,
    summaries: Mapping[str, str] | None = None,
    redact: Redact = str,
) -> CellReading:
    """What a cell above the running one gives.

    Args:
        agent: Who is to read it; None reads each turn as its own.
        vision: Whether the model takes images.
        reasoning: Send the reasoning of turns along.
        summaries: Known ones, by source.
        redact: Takes secrets out of outputs before they are cut: half of one would not be found.
    """
    history = history_of(cell)
    if kind == "none" or is_excluded(history):
        return CellReading([])
    lookup = SummaryLookup(summaries or {})
    reader = _CellReader(cell, kind, vision, replay, lookup, reasoning, redact)
    text = reader.summary() if is_summary(history) else None
    if text is not None:
        said = _note(cell, text, _SUMMARY)
    elif kind == "note":
        said = _note(cell, source_of(cell))
    else:
        said = reader.messages(agent)
    system = said[0]["content"].removeprefix(_SYSTEM) if _is_system(cell) and said else ""
    return CellReading(said, system.strip(), lookup.used, tuple(lookup.missing))


def cell_text(cell: Cell, kind: CellKind, redact: Redact = str) -> str:
    """What a cell says, with its outputs, whatever its `history`: for a reference to it.

    Args:
        redact: As for `read_cell`; what is not cut is not redacted.
    """
    if kind in ("note", "none"):
        return source_of(cell)
    reader = _CellReader(cell, kind, False, replay_text, SummaryLookup({}), redact=redact)
    return messages_as_text(reader.messages(None))


def prompt_message(
    source: str, context: Mapping[str, Any], vision: bool, replay: Replay
) -> Message | None:
    """The user message of a prompt cell; None where there is nothing to say."""
    text = prompt_text(source)
    return messages.user(replay(text, context, vision) or text) if text.strip() else None


def prompt_text(source: str) -> str:
    """What a prompt cell says to the model."""
    return CONTINUE_WORDS if is_continue(source) else parse_prompt(source).text


def turns_of(cell: Cell) -> list[Turn]:
    """The turns below a cell; nearly always one."""
    return [turn for turn in map(turn_of, outputs_of(cell)) if turn is not None]


def context_of(turns: Iterable[Turn]) -> Mapping[str, Any]:
    """What the first turn's request was made of, as saved; empty where nothing is known."""
    contexts: Iterable[Any] = (turn.get("context") for turn in turns)
    return next((context for context in contexts if isinstance(context, dict)), {})


@dataclass(slots=True)
class _CellReader:
    """Reads a cell of code, or a prompt with its turn."""

    cell: Cell
    kind: CellKind
    vision: bool
    replay: Replay
    lookup: SummaryLookup
    reasoning: bool = False
    redact: Redact = str

    def messages(self, agent: str | None) -> list[Message]:
        turns: list[Turn] = []
        others = []
        for output in outputs_of(self.cell):
            turn = turn_of(output)
            if turn is None:
                others.append(output)
            else:
                turns.append(turn)
        source = source_of(self.cell)
        said: list[Message] = []
        if self.kind == "code":
            said.append(self._with_outputs(_code(source), others))
        elif message := prompt_message(source, context_of(turns), self.vision, self.replay):
            said.append(message)
        cell_id = id_of(self.cell)
        for turn in turns:
            answer = answer_messages(turn, agent, self.lookup, cell_id, reasoning=self.reasoning)
            said += answer if self.vision else map(messages.without_images, answer)
        if self.kind == "prompt":
            # The error below a failed turn says what the turn says.
            others = [output for output in others if output.get("output_type") != "error"]
            if others and outputs_text(others).strip():
                said.append(self._with_outputs("", others))
        return said

    def summary(self) -> str | None:
        """The cell's summary.

        Its source is what a person can edit: the cell and its answer. What the prompt brought
        with it is summed up too, but may be gone some day without making the summary wrong.
        """
        if self.kind == "note":
            bare = full = source_of(self.cell)
        else:
            bare, full = self._spoken(replay_text), self._spoken(self.replay, self.redact)
        if not bare.strip():
            return None
        own = metadata_of(self.cell).get("summary")
        return self.lookup.find(own, source_of_text(bare), id_of(self.cell), full)

    def _spoken(self, replay: Replay, redact: Redact = str) -> str:
        whole = _CellReader(self.cell, self.kind, False, replay, SummaryLookup({}), redact=redact)
        return messages_as_text(whole.messages(None))

    def _with_outputs(self, text: str, outputs: list[Any]) -> Message:
        """A user message that says what the outputs show."""
        printed = outputs_text(outputs)
        if printed.strip():
            output = f"Output:\n\n{_fenced(capped(self.redact(printed)), '')}"
            text = f"{text}\n\n{output}" if text else output
        images = outputs_images(outputs) if self.vision else []
        return messages.user([{"type": "text", "text": text}, *images] if images else text)


def _is_system(cell: Cell) -> bool:
    return cell.get("cell_type") == "markdown" and metadata_of(cell).get("role") == "system"


def _note(cell: Cell, text: str, mark: str = "") -> list[Message]:
    """A note in the role that it was given.

    Args:
        mark: Begins a note in the user's name that the user has not written so.
    """
    if not text.strip():
        return []
    if _is_system(cell):
        return [messages.user(_SYSTEM + text)]
    role = metadata_of(cell).get("role") if cell.get("cell_type") == "markdown" else None
    return [messages.assistant(text) if role == "assistant" else messages.user(mark + text)]


def _code(source: str) -> str:
    magic, _, body = source.lstrip().partition("\n")
    language, code = ("python", body) if magic.strip() == "%%python" else ("ipython", source)
    return f"I ran this code:\n\n{_fenced(code, language)}"


def _fenced(text: str, language: str) -> str:
    return write_fence(text.rstrip("\n") + "\n", language)
