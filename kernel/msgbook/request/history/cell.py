"""The messages of one cell, of its turn and of its outputs. Pure; accepts malformed cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook import messages
from msgbook.messages import Message, Part, content_text
from msgbook.notebook import (
    Cell,
    has_run,
    id_of,
    metadata_of,
    names_only,
    outputs_images,
    outputs_of,
    outputs_text,
    parse_prompt,
    source_of,
    text_output,
)
from msgbook.request.history.request import CellKind, history_of
from msgbook.request.history.summary import (
    MissingSummary,
    SummaryLookup,
    messages_as_text,
    source_of_text,
)
from msgbook.text import capped, repair_surrogates
from msgbook.turn import interrupted_result, repair_block, strip_hidden_server_data, turn_messages
from msgbook_format.outputs import history_of_outputs
from msgbook_format.syntax import is_continue, is_excluded, is_summary, write_fence
from msgbook_format.turn import (
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Block,
    Turn,
    answer_text,
    kind_of,
    match_results,
    turn_of,
)

CONTINUE_WORDS = (
    "Your answer broke off here. Go on exactly where it stopped, without repeating what you have "
    "said already."
)
"""Text that is sent for `CONTINUE_MAGIC`."""

Content = str | list[Part]

Redact = Callable[[str], str]

Replay = Callable[[str, Mapping[str, Any], bool], Content]
"""Returns the content of a prompt's message as it was sent, with its images and its
`<content_reference>`. Arguments: the prompt's text, the turn's saved `context`, and whether the
model takes images."""

_SYSTEM = "[system] "


# These classes are not frozen, because a request makes thousands of objects and frozen ones take
# several times as long.


@dataclass(slots=True)
class CellReading:
    """The messages of a cell, and the summaries in them."""

    messages: list[Message]
    system: str = ""
    """Text of a system note, which joins the system message if it stands above the first prompt."""
    used: Mapping[str, str | None] = field(default_factory=dict)
    """Summaries that were looked up, by source. If one of them changes, the cell is read again."""
    missing: tuple[MissingSummary, ...] = ()
    """Summaries that do not exist yet; the full text is sent instead."""


def replay_text(text: str, _context: Mapping[str, Any], _vision: bool) -> Content:
    """Return the text of a prompt without context."""
    return text


def read_cell(
    cell: Cell,
    kind: CellKind,
    *,
    agent: str | None,
    vision: bool = False,
    reasoning_of: str | None = None,
    replay: Replay = replay_text,
    summaries: Mapping[str, str] | None = None,
    redact: Redact = str,
) -> CellReading:
    """Return the messages of a cell above the running one.

    Args:
        agent: The agent that reads them. With None each turn is read as the reader's own.
        vision: Whether the model takes images.
        reasoning_of: Send the reasoning of this provider's turns along.
        summaries: Known summaries, by source.
        redact: Removes secrets from outputs before they are cut, since half a secret is not found.
    """
    history = history_of(cell)
    if kind == "none" or is_excluded(history):
        return CellReading([])
    lookup = SummaryLookup(summaries or {})
    reader = _CellReader(cell, kind, vision, replay, lookup, reasoning_of, redact)
    text = reader.summary() if is_summary(history) else None
    if text is not None:
        sent = _note_messages(cell, text, SUMMARY_PREFIX)
    elif kind == "note":
        sent = _note_messages(cell, source_of(cell))
    else:
        sent = reader.messages(agent)
    system = sent[0]["content"].removeprefix(_SYSTEM) if _is_system(cell) and sent else ""
    return CellReading(sent, system.strip(), lookup.used, tuple(lookup.missing))


def cell_text(
    cell: Cell,
    kind: CellKind,
    redact: Redact = str,
    summaries: Mapping[str, str] | None = None,
) -> str:
    """Return the text of a cell and its outputs for a reference, whatever the cell's `history` value.

    The values of its outputs count: a reference to the cell does not name them.

    Args:
        redact: As for `read_cell`. Texts that are not cut are not redacted.
        summaries: As for `read_cell`.
    """
    if kind in ("note", "none"):
        return source_of(cell)
    lookup = SummaryLookup({} if summaries is None else summaries)
    reader = _CellReader(cell, kind, False, replay_text, lookup, redact=redact)
    return messages_as_text(reader.messages(None))


def prompt_message(
    source: str, context: Mapping[str, Any], vision: bool, replay: Replay
) -> Message | None:
    """Return the user message of a prompt cell; None if its text is empty."""
    text = prompt_text(source)
    return messages.user(replay(text, context, vision) or text) if text.strip() else None


def prompt_text(source: str) -> str:
    """Return the text that a prompt cell sends to the model."""
    return CONTINUE_WORDS if is_continue(source) else parse_prompt(source).text


def turns_of(cell: Cell) -> list[Turn]:
    """Return the turns of a cell; nearly always one."""
    return [turn for turn in map(turn_of, outputs_of(cell)) if turn is not None]


def context_of(turns: Iterable[Turn]) -> Mapping[str, Any]:
    """Return the saved context of the first turn that has one, or an empty mapping."""
    contexts: Iterable[Any] = (turn.get("context") for turn in turns)
    return next((context for context in contexts if isinstance(context, dict)), {})


@dataclass(slots=True)
class _CellReader:
    """Reader of a code cell, or of a prompt with its turn."""

    cell: Cell
    kind: CellKind
    vision: bool
    replay: Replay
    lookup: SummaryLookup
    reasoning_of: str | None = None
    redact: Redact = str

    def messages(self, agent: str | None) -> list[Message]:
        turns: list[Turn] = []
        others = []
        for output in sent_outputs(self.cell, self.kind, self.lookup, self.redact):
            turn = turn_of(output)
            if turn is None:
                others.append(output)
            else:
                turns.append(turn)
        source = source_of(self.cell)
        sent: list[Message] = []
        if self.kind == "code":
            sent.append(self._with_outputs(_code_text(source, self.cell), others))
        elif message := prompt_message(source, context_of(turns), self.vision, self.replay):
            sent.append(message)
        cell_id = id_of(self.cell)
        for turn in turns:
            answer = answer_messages(
                turn, agent, self.lookup, cell_id, reasoning_of=self.reasoning_of
            )
            sent += answer if self.vision else map(messages.without_images, answer)
        if self.kind == "prompt" and others and outputs_text(others).strip():
            sent.append(self._with_outputs("", others))
        return sent

    def summary(self) -> str | None:
        """Return the cell's summary, if there is one.

        The summary covers the cell, its answer and its context. Only the cell and the answer count
        for the summary's source, because files of the context may be lost later.
        """
        if self.kind == "note":
            bare = full = source_of(self.cell)
        else:
            bare, full = self._text(replay_text), self._text(self.replay, self.redact)
        if not bare.strip():
            return None
        own = metadata_of(self.cell).get("summary")
        return self.lookup.find(own, source_of_text(bare), id_of(self.cell), full)

    def _text(self, replay: Replay, redact: Redact = str) -> str:
        reader = _CellReader(self.cell, self.kind, False, replay, SummaryLookup({}), redact=redact)
        return messages_as_text(reader.messages(None))

    def _with_outputs(self, text: str, outputs: list[Any]) -> Message:
        """Return a user message with a text and the outputs."""
        shown = outputs_text(outputs)
        if shown.strip():
            output = f"Output:\n\n{_fenced(capped(self.redact(shown)), '')}"
            text = f"{text}\n\n{output}" if text else output
        images = outputs_images(outputs) if self.vision else []
        return messages.user([{"type": "text", "text": text}, *images] if images else text)


def _is_system(cell: Cell) -> bool:
    return cell.get("cell_type") == "markdown" and metadata_of(cell).get("role") == "system"


def _note_messages(cell: Cell, text: str, prefix: str = "") -> list[Message]:
    """Return the message of a note in its role.

    Args:
        prefix: Begins a user message whose text the user did not write.
    """
    if not text.strip():
        return []
    if _is_system(cell):
        return [messages.user(_SYSTEM + text)]
    role = metadata_of(cell).get("role") if cell.get("cell_type") == "markdown" else None
    return [messages.assistant(text) if role == "assistant" else messages.user(prefix + text)]


def _code_text(source: str, cell: Cell) -> str:
    magic, _, body = source.lstrip().partition("\n")
    is_named = magic.strip() == "%%python"
    is_python = is_named or not magic.startswith(("%", "!"))
    language, code = "python" if is_python else "ipython", body if is_named else source
    words = "I ran this code:" if has_run(cell) else "This code has not been run:"
    return f"{words}\n\n{_fenced(code, language)}"


def _fenced(text: str, language: str) -> str:
    return write_fence(text.rstrip("\n") + "\n", language)


# The messages of a turn in later requests, in the words of the agent that reads them.
#
# Pure; accepts malformed turns.


LEFT_OUT = "(this result was left out)"
"""Content of a result that is excluded while its call is not."""


def answer_messages(
    turn: Turn,
    agent: str | None,
    lookup: SummaryLookup,
    cell_id: str,
    *,
    reasoning_of: str | None = None,
) -> list[Message]:
    """Return the messages of a turn.

    Args:
        agent: The agent that reads them. The turn of another agent becomes a user message that
            begins `[name] `. With None each turn is read as the reader's own.
        cell_id: The beginning of the keys of summaries.
        reasoning_of: Provider that is sent the reasoning of its own turns, and of turns that name none. No
            server can use another one's, and the user chose to whom it goes.
    """
    blocks = list(map(repair_block, turn["blocks"]))
    if turn["status"] == "running":
        blocks = _interrupted(blocks)
    if any("history" in block for block in blocks):
        blocks = _summarized(_included(blocks), lookup, cell_id)
    author: Any = turn.get("agent")
    if agent is None or not isinstance(author, str) or author in ("", agent):
        if reasoning_of is None or turn.get("provider") not in (None, reasoning_of):
            return turn_messages(blocks)
        return turn_messages(strip_hidden_server_data(blocks), reasoning=True)
    text = answer_text(blocks)
    return [messages.user(f"[{author}] {text}")] if text.strip() else []


def _interrupted(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a turn whose kernel died, ended as `TurnRecord` would have ended them."""
    results = match_results(blocks)
    ended: list[Block] = []
    for position, block in enumerate(blocks):
        if block in TOOL_CALLS and "approval" not in block and position not in results:
            ended.append({**block, "unfinished": True})
        elif block in TOOL_RESULTS and "status" not in block:
            content = block.get("content", "")
            if isinstance(content, str):
                block = {**block, "content": interrupted_result(content)}
            ended.append(block)
        else:
            ended.append(block)
    return ended


def _included(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks without those that are excluded; the result of an excluded call goes too."""
    results = match_results(blocks)
    excluded = {i for i, block in enumerate(blocks) if is_excluded(block.get("history", "include"))}
    excluded |= {result for call, result in results.items() if call in excluded}
    # A call has to have a result.
    emptied = excluded & {result for call, result in results.items() if call not in excluded}
    return [
        {**block, "content": LEFT_OUT} if position in emptied else block
        for position, block in enumerate(blocks)
        if position not in excluded or position in emptied
    ]


def _summarized(blocks: Sequence[Block], lookup: SummaryLookup, cell_id: str) -> list[Block]:
    """Return the blocks with a summary for each text or result of a call with `history=summary`."""
    results = match_results(blocks)
    changed = list(blocks)
    for position, block in enumerate(blocks):
        if not is_summary(block.get("history")):
            continue
        target = results.get(position) if block in TOOL_CALLS else position
        kind = None if target is None else kind_of(blocks[target])
        if target is None or kind not in (TEXTS, TOOL_RESULTS):
            continue
        full_text = "\n\n".join(_covered_texts(block, blocks[target]))
        key = f"{cell_id}/{block.get('id', '')}" if cell_id and block.get("id") else ""
        text = lookup.find(block.get("summary"), source_of_text(full_text), key, full_text)
        if text is None:
            continue
        if kind is TEXTS:
            changed[target] = {**changed[target], "text": text}
        else:
            changed[target] = {**changed[target], "content": text}
    return changed


def _covered_texts(block: Block, target: Block) -> list[str]:
    """Return the texts that the summary of a block covers."""
    if block in TEXTS:
        return [block.get("text", "")]
    result = repair_surrogates(content_text(target.get("content", "")))
    if block in TOOL_RESULTS:
        return [result]
    return [f"{block.get('name', '')} {block.get('arguments', '')}", result]


# The outputs of a cell that are sent: each one as its `history` value says. Pure.


SUMMARY_PREFIX = "[summary] "
_NO_SUMMARY = "(there is no summary of this output yet)"


def sent_outputs(
    cell: Cell, kind: CellKind, lookup: SummaryLookup, redact: Callable[[str], str]
) -> list[Mapping[str, Any]]:
    """Return the outputs that are sent, turns included.

    A summary takes the place of an output that asks for one.

    Args:
        redact: Removes secrets from a text that is to be summed up.
    """
    sent = []
    outputs: Any = cell.get("outputs")
    for position, history in enumerate(history_of_outputs(cell)):
        output = outputs[position]
        if not isinstance(output, dict) or is_excluded(history):
            continue
        # The error output below a failed turn repeats an error of the turn.
        if kind == "prompt" and output.get("output_type") == "error":
            continue
        if is_summary(history):
            cell_id = id_of(cell)
            key = f"{cell_id}/output {position}" if cell_id else ""
            sent.append(_summary_of(output, key, lookup, redact))
        else:
            sent.append(output)
    return sent


def _summary_of(
    output: Mapping[str, Any], key: str, lookup: SummaryLookup, redact: Callable[[str], str]
) -> Mapping[str, Any]:
    """Return the summary of an output, as an output. The full text is never sent in its place."""
    turn = turn_of(output)
    bare = (
        outputs_text([output])
        if turn is None
        else messages_as_text(answer_messages(turn, None, SummaryLookup({}), ""))
    )
    if not bare.strip() or names_only(bare):
        return text_output(bare)
    own = metadata_of(output).get("summary")
    text = lookup.find(own, source_of_text(bare), key, redact(bare), is_left_out=True)
    return text_output(SUMMARY_PREFIX + (text or _NO_SUMMARY))
