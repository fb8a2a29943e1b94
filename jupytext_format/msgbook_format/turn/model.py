"""The turn, as saved in a notebook (docs/architecture.md, "The turn").

A turn is a plain JSON object, so keys and blocks of newer versions survive every read and write.
Each `TypedDict` below has the keys that this version knows. There may be others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from msgbook_format.turn.kinds import TEXTS, TOOL_CALLS, TOOL_RESULTS
from msgbook_format.typed import as_dict, as_texts, has, text_or_none

TURN_MIME = "application/vnd.msgbook.turn+json"
"""MIME type of a turn in an output's data bundle."""

TURN_VERSION = 1
"""Value of `Turn["version"]` that this package writes."""

TurnStatus = Literal["running", "done", "incomplete", "interrupted", "error"]
Approval = Literal["auto", "pending", "user", "rule", "policy", "denied"]
ResultStatus = Literal["success", "error", "denied", "interrupted"]


AgentRowStatus = Literal[
    "pending", "running", "done", "incomplete", "error", "interrupted", "deleted"
]


class AgentRow(TypedDict, total=False):
    """One sub-agent that a tool call started, as the call's result shows it."""

    uuid: str
    name: str
    agent: str
    """Name of the agent that answers."""
    file: str
    """The sub-agent's conversation, relative to the folder of this one, with `/`."""
    status: str
    """An `AgentRowStatus`: `pending` before it starts, then that of its turn; `deleted` if its file
    was removed."""
    steps: int
    """Model calls so far."""
    last: str
    """Last line of its text, or its running tool; one line of at most 120 characters."""
    usage: Usage
    duration: float
    """Seconds."""


class Block(TypedDict):
    """One part of a turn. Blocks are in order of arrival.

    The keys of a block depend on its `type`. A key that is absent stays absent.
    """

    type: str
    """The name of a row of `KINDS`; a newer version may write others, which are kept and not sent."""
    step: NotRequired[int]
    """The model call that the block belongs to, from 1; 0 for a call that the prompt itself
    makes. Notices and errors may have none."""
    text: NotRequired[str]
    """`reasoning`, `text` and `notice`: verbatim, never trimmed."""
    duration: NotRequired[float]
    """Seconds, of `reasoning` and `tool_result`."""
    refusal: NotRequired[bool]
    """True on a `text` block in which the model refuses."""
    id: NotRequired[str]
    """`tool_call` and `tool_result`: the id that joins a result to its call."""
    nonce: NotRequired[str]
    """`tool_call`: 8 random hex digits, part of the call's id in the text file."""
    name: NotRequired[str]
    """Tool name of a `tool_call`; error name of an `error`."""
    arguments: NotRequired[str]
    """`tool_call`: JSON text exactly as the model sent it."""
    edited_arguments: NotRequired[str]
    """`tool_call`: JSON text that a person wrote, with which the call ran instead."""
    approval: NotRequired[str]
    """`tool_call`: an `Approval`."""
    unfinished: NotRequired[bool]
    """True on a `tool_call` whose arguments were cut; it is neither run nor sent."""
    status: NotRequired[str]
    """`tool_result`: a `ResultStatus`."""
    content: NotRequired[str | list[dict[str, Any]]]
    """`tool_result`: text, or a list of `text` and `image_url` parts (seed 001)."""
    agents: NotRequired[list[AgentRow]]
    """`tool_result`: the sub-agents that the call started. Never sent to a model."""
    data: NotRequired[dict[str, Any]]
    """`display`: a MIME bundle for the reader, never sent to a model. It is what the call `id`
    displayed; without an `id`, an image of the model."""
    level: NotRequired[str]
    """`notice`: `info` or `warning`. Notices are never sent to a model."""
    retry_in: NotRequired[int]
    """A `notice` of a running turn: whole seconds until a server is asked again."""
    message: NotRequired[str]
    """`error`: one line for the person, without paths and keys."""
    extra: NotRequired[dict[str, Any]]
    """Data of the server: what has to be sent back with the block, the `item` of the Responses API
    that the block came from, the `annotations` (citations) of a text."""


class Usage(TypedDict, total=False):
    """Tokens of those steps of a turn whose usage the server reported."""

    input_tokens: int
    """All tokens that were sent, also those that the server had kept or keeps from now on."""
    cached_tokens: int
    """Those of `input_tokens` that the server had kept."""
    cache_write_tokens: int
    """Those of `input_tokens` that the server keeps from now on, if that has a price of its own."""
    output_tokens: int
    reasoning_tokens: int
    """Those of `output_tokens` that are reasoning."""
    web_searches: int
    """Searches of the web that the server made itself, and counted for payment."""
    untold_steps: int
    """Steps whose usage is unknown, if that of others is known: their tokens are not counted."""


class Context(TypedDict, total=False):
    """Origin of the turn's first request."""

    source: str
    """`live` (the notebook in the page), `memory` (this session's turns) or `file`."""
    cells: int
    """Number of earlier cells that gave messages."""
    request_hash: str
    """First 16 hex digits of the sha256 of the first request's messages (JSON, sorted keys, no
    spaces); older turns have `sha256:` and all 64 digits."""
    mcp: dict[str, str]
    """First 16 hex digits of the sha256 of the tools of each MCP server that were offered, by its name."""


class Turn(TypedDict):
    """All that follows one executed prompt."""

    version: int
    status: str
    """A `TurnStatus`. A saved `running` means that the kernel died in mid-turn."""
    blocks: list[Block]
    finish_reason: NotRequired[str]
    agent: NotRequired[str]
    model: NotRequired[str]
    """The model that was asked."""
    answered_model: NotRequired[str]
    """The model that answered last, as the server names it; absent if it is the one asked."""
    provider: NotRequired[str]
    started: NotRequired[str]
    """UTC, ISO 8601 with `Z`."""
    duration: NotRequired[float]
    """Seconds."""
    usage: NotRequired[Usage]
    context: NotRequired[Context]


def turn_of(output: Any) -> Turn | None:
    """Return the turn that an nbformat output holds, not a copy; None when it holds none.

    A turn has what every version requires: a `version`, a `status` and a list of `blocks`, each an
    object with a `type` that is a string. The page has the same rule (`parseTurn`).
    """
    data = as_dict(output).get("data")
    turn = as_dict(data).get(TURN_MIME)
    if not isinstance(turn, dict) or "version" not in turn or "status" not in turn:
        return None
    blocks = turn.get("blocks")
    if not isinstance(blocks, list):
        return None
    if not all(has(block, type=str) for block in blocks):
        return None
    return turn  # type: ignore[return-value]  # a JSON object whose required keys were just checked


# Parts of a tool result's content, as files hold them: values may be of any type.


def image_url(part: Any) -> str | None:
    """Return the URL of a part that is an image; None if it is not an image.

    Its type is `image_url` (seed 001) or `image` (seed 000). Of both, the key `image_url` holds an
    object with the `url`, or the URL itself.
    """
    match part:
        case {"type": "image_url" | "image", "image_url": {"url": str(url)} | str(url)}:
            return url or None
    return None


# The order in a turn's blocks: its steps, the result of each call, and the answer's text.
#
# Pure. Blocks may come from any file, so only their `type` can be relied on.


def blocks_of_type(blocks: Iterable[Block], *types: str) -> list[Block]:
    return [block for block in blocks if block["type"] in types]


def answer_text(blocks: Iterable[Block]) -> str:
    """Return the texts of the blocks as paragraphs."""
    texts = as_texts([block.get("text") for block in TEXTS.among(blocks)])
    return "\n\n".join(filter(None, texts))


def step_positions(blocks: Sequence[Block]) -> list[list[int]]:
    """Return the positions of the blocks of each step, in order of the steps' first blocks."""
    steps: dict[object, list[int]] = {}
    for position, block in enumerate(blocks):
        steps.setdefault(_step(block), []).append(position)
    return list(steps.values())


def is_finished_call(block: Block) -> bool:
    """Return whether a block is a tool call whose arguments arrived completely."""
    return block in TOOL_CALLS and not block.get("unfinished")


def match_results(blocks: Sequence[Block]) -> dict[int, int]:
    """Return the position of each finished call's result, by the position of the call.

    A step may reuse the ids of another step. A result in the call's own step therefore comes first.
    """
    calls = [i for i, block in enumerate(blocks) if is_finished_call(block)]
    pairs: dict[int, int] = {}
    if not calls:
        return pairs
    unmatched = [i for i, block in enumerate(blocks) if block in TOOL_RESULTS]
    for in_same_step in (True, False):
        waiting = defaultdict(list)
        for position in reversed(unmatched):
            waiting[_key(blocks[position], in_same_step)].append(position)
        for call in calls:
            results = waiting[_key(blocks[call], in_same_step)]
            if call not in pairs and results:
                pairs[call] = results.pop()
        matched = set(pairs.values())
        unmatched = [position for position in unmatched if position not in matched]
    return pairs


def _key(block: Block, in_same_step: bool) -> Hashable:
    found = block.get("id")
    call_id = text_or_none(found)
    return (_step(block), call_id) if in_same_step else call_id


def _step(block: Block) -> int:
    step = block.get("step")
    return step if isinstance(step, int) else 0


# The finish reasons of incomplete turns, with their words for a reader.
#
# A finish reason that is not listed here is shown as the provider wrote it.


LimitReason = Literal["max_steps", "budget", "answer_limit", "repeated_failure"]

COMPLETE_REASONS = ("stop", "tool_calls")
"""Reasons of an answer that is complete. After any other one, known or not, the turn is not done."""

PAUSE_REASON = "pause_turn"
"""Reason of an answer that the server goes on with when it is asked again (Anthropic)."""

PROVIDER_REASONS: Mapping[str, str] = {
    "length": "the answer reached the length limit",
    "content_filter": "the provider's content filter stopped the answer",
    "insufficient_system_resource": "the provider was short of resources",
    "incomplete": "the provider ended the answer early",
}
"""Words by the reason that a provider gives for an answer it cut short; the third is DeepSeek's, and the
last stands for a response that is incomplete for another reason, or none."""

LIMIT_REASONS: Mapping[str, str] = {
    "max_steps": "the limit of model calls was reached",
    "budget": "the budget was used up",
    "answer_limit": "the answer was too long",
    "repeated_failure": "the same call was made too often",
}
"""Words by the limit of the turn that was reached."""

FINISH_REASONS: Mapping[str, str] = {**PROVIDER_REASONS, **LIMIT_REASONS}
