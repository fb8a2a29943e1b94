"""The answers of several models to the same prompts. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from msgbook.cli.cell_names import shown_id
from msgbook.cli.file_prompts import is_prompt_cell
from msgbook.magics.usage import Cost
from msgbook.notebook import Document, TurnUsage, list_turn_usage, outputs_of, source_of
from msgbook.text import without_data
from msgbook_format.turn import answer_text, turn_of


@dataclass(frozen=True, slots=True)
class Numbers:
    """Tokens, cost and seconds; None for what is not known."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The answer of a model to a prompt."""

    model: str
    answered_model: str
    """The model that answered, where the server names another; else empty."""
    status: str
    """Of the turn; `missing` for none."""
    text: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class ComparedPrompt:
    """A prompt and its answers, in the order of the models."""

    id: str
    prompt: str
    answers: list[ModelAnswer]


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """A model, its conversation, and the sums of its turns."""

    model: str
    file: str
    status: str
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Comparison:
    """One conversation over several models."""

    version: int
    file: str
    models: list[ComparedModel]
    prompts: list[ComparedPrompt]

    def to_json(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), ensure_ascii=True, indent=2) + "\n"


def is_comparison(data: bytes) -> bool:
    """Return whether a file is one that `Comparison.to_json` has made."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.keys() == {one.name for one in fields(Comparison)}


def compare(
    document: Document, answered: Mapping[str, Document], statuses: Mapping[Path, str], cost: Cost
) -> Comparison:
    """Return the comparison of the conversations that answered a document's prompts, by model.

    Args:
        statuses: How the run of each file ended.
    """
    prompts = [number for number, cell in enumerate(document.cells) if is_prompt_cell(cell)]
    columns = {model: _answers(model, one, prompts, cost) for model, one in answered.items()}
    rows = [
        ComparedPrompt(
            shown_id(document.cells[number]),
            source_of(document.cells[number]),
            [column[row] for column in columns.values()],
        )
        for row, number in enumerate(prompts)
    ]
    models = [
        ComparedModel(model, one.path.name, statuses.get(one.path, ""), _sum(columns[model]))
        for model, one in answered.items()
    ]
    return Comparison(1, document.path.name, models, rows)


def _answers(model: str, document: Document, prompts: list[int], cost: Cost) -> list[ModelAnswer]:
    usages = {usage.cell - 1: usage for usage in list_turn_usage(document.cells)}
    found = []
    for number in prompts:
        cell = document.cells[number]
        turn = next(filter(None, map(turn_of, outputs_of(cell))), None)
        if turn is None:
            found.append(ModelAnswer(model, "", "missing", "", Numbers()))
            continue
        usage, text = usages[number], without_data(answer_text(turn["blocks"]))
        numbers = _numbers(usage, turn.get("duration"), cost)
        found.append(ModelAnswer(model, usage.answered_model, turn["status"], text, numbers))
    return found


def _numbers(usage: TurnUsage, seconds: object, cost: Cost) -> Numbers:
    known = seconds if isinstance(seconds, int | float) else None
    return Numbers(usage.input, usage.output, cost(usage), known)


def _sum(answers: list[ModelAnswer]) -> Numbers:
    """Return the sums. One that misses a value is not known."""

    def total(key: str) -> float | None:
        values = [getattr(answer.numbers, key) for answer in answers]
        return None if None in values else sum(values)

    tokens_in, tokens_out = total("input_tokens"), total("output_tokens")
    return Numbers(
        None if tokens_in is None else int(tokens_in),
        None if tokens_out is None else int(tokens_out),
        total("cost"),
        total("seconds"),
    )
