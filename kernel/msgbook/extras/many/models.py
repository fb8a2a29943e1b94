"""`msgbook run FILE --model A --model B --out DIR`: one conversation, answered by several models and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval import load_with_project
from msgbook.cli.file_prompts import is_prompt_cell, shown_id
from msgbook.cli.file_turns import require_conversation
from msgbook.cli.folders import make_folder, require_target
from msgbook.cli.terminal import CommandError, say
from msgbook.config import ApprovalPolicy
from msgbook.errors import describe_file_error
from msgbook.extras.many.folder import AT_ONCE, report, run_jobs
from msgbook.extras.many.job import Job
from msgbook.magics.overview import Cost, cost_by
from msgbook.notebook import (
    Cell,
    Document,
    TurnUsage,
    create,
    list_turn_usage,
    metadata_of,
    outputs_of,
    parse_prompt,
    source_of,
    working_folder,
)
from msgbook.text import counted, without_data
from msgbook.turn import Purse
from msgbook_format.errors import FileChangedError
from msgbook_format.exporters import markdown_to_html, with_formula_font
from msgbook_format.files import SUFFIX, create_bytes, read_regular, replace_bytes, stem_of
from msgbook_format.turn import answer_text, turn_of

# The answers of several models to the same prompts. Pure.


@dataclass(frozen=True, slots=True)
class Numbers:
    """Tokens, cost and seconds; None where the value is unknown."""

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
    """Status of the turn; `missing` for none."""
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
    prompts = [
        number
        for number, cell in enumerate(document.cells)
        if is_prompt_cell(cell, document.cell_rule)
    ]
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
    """Return the sums. A sum is None if one of its values is missing."""

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


# The comparison of several models as one HTML page, which loads nothing and runs nothing.


_HEAD = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; font-src data:; img-src data:; style-src 'unsafe-inline'">
<meta name="generator" content="msgbook comparison">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }}
body {{ margin: 1rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
.wide > table > * > tr > * {{ border: 1px solid #8886; padding: .5rem .75rem; text-align: left; vertical-align: top;
  min-width: 18rem; max-width: 40rem; overflow-wrap: anywhere; }}
.wide > table > * > tr > :first-child {{ min-width: 10rem; max-width: 20rem; }}
/* A formula or a table that is wider than its cell would show in the cell of another model. */
.text {{ overflow: auto; }}
.text :is(td, th) {{ border: 1px solid #8886; padding: .2rem .4rem; }}
pre {{ white-space: pre-wrap; background: #8882; padding: .5rem; }}
img {{ max-width: 100%; }}
small {{ opacity: .75; }}
p:first-child {{ margin-top: 0; }}
</style>
</head>
<body>
"""


def is_comparison_page(data: bytes) -> bool:
    """Return whether a file is a page that `comparison_page` has made."""
    return data.startswith(_HEAD.partition("<title>")[0].encode())


def comparison_page(comparison: Comparison) -> str:
    """Return the page: a row for each prompt, a column for each model."""
    title = escape(f"{comparison.file}: {counted(len(comparison.models), 'model')}")
    heads = "".join(
        f'<th scope="col">{escape(one.model)}<br><small>{escape(one.status)} · {_shown(one.numbers)}'
        f"</small></th>"
        for one in comparison.models
    )
    rows = "\n".join(
        f'<tr><th scope="row" dir="auto">{_text(row.prompt)}</th>'
        + "".join(map(_cell, row.answers))
        + "</tr>"
        for row in comparison.prompts
    )
    return with_formula_font(
        f'{_HEAD.format(title=title)}<h1>{title}</h1>\n<div class="wide"><table>\n'
        f"<thead><tr><th></th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n</body>\n</html>\n"
    )


def _cell(answer: ModelAnswer) -> str:
    other = f" · {escape(answer.answered_model)}" if answer.answered_model else ""
    status = "" if answer.status == "done" else f"{escape(answer.status)} · "
    numbers = f"<small>{status}{_shown(answer.numbers)}{other}</small>"
    return f'<td dir="auto">{_text(answer.text)}{numbers}</td>'


def _text(markdown: str) -> str:
    return f'<div class="text">{markdown_to_html(markdown)}</div>'


def _shown(numbers: Numbers) -> str:
    def number(value: float | None, form: str) -> str:
        return "?" if value is None else format(value, form)

    words = [
        f"{number(numbers.input_tokens, ',')} + {number(numbers.output_tokens, ',')} tokens",
        f"{number(numbers.seconds, ',.1f')} s",
    ]
    if numbers.cost is not None:
        words.append(f"cost {numbers.cost:,.4f}")
    return " · ".join(words)


_OWN = {"html": is_comparison_page, "json": is_comparison}
"""What tells the comparison of an earlier run from other files."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
"""Characters of a model's name that stay in the name of its file."""


def run_models(
    path: Path,
    models: Sequence[str],
    out: Path,
    *,
    approval: ApprovalPolicy = "allow",
    parallel: int | None = None,
    purse: Purse | None = None,
) -> int:
    """Answer all prompts of a file with each model, in a new file for each, and compare the answers.

    A file of an earlier run is gone on with. The models work in the folder of `path`, which is not
    changed.

    Args:
        out: Folder of the new files, and of the comparison as HTML and JSON; made if there is none.
        approval: Most permissive policy for tool calls; nobody can be asked.
        parallel: Most models at once.
        purse: What they may spend together; None for any amount.

    Returns:
        As `run_folder`.

    Raises:
        MsgbookError: The file, the folder or the settings cannot be used.
    """
    document = Document.read(path)
    require_conversation(document)
    _require_no_choices(document)
    folder = working_folder(path.absolute().parent)
    cost = cost_by(load_with_project(folder)[0])  # before the keys are removed
    files = _name_files(path, models, out)
    make_folder(out)
    pages = _name_pages(out / stem_of(path.name))
    for file in files.values():
        require_target(file)
    for model, file in files.items():
        _prepare(document, model, file)
    jobs = [Job(file, approval=approval, folder=folder) for file in files.values()]
    results, seconds = run_jobs(jobs, parallel or AT_ONCE, purse=purse)
    code = report(results, seconds)
    read = {model: Document.read(file) for model, file in files.items()}
    statuses = {one.path: one.status for one in results}
    _write(compare(document, read, statuses, cost), pages)
    return code


class _Page(NamedTuple):
    """A file of the comparison."""

    path: Path
    old: bytes | None
    """SHA-256 of that of an earlier run; None if there is none."""


def _name_pages(base: Path) -> dict[str, _Page]:
    """Return the files of the comparison by kind, whose names begin as `base` does.

    Raises:
        CommandError: A name is taken by what no earlier run has written. Later, the answers would have
            been paid for.
    """
    pages = {}
    for kind, is_own in _OWN.items():
        path = base.with_name(f"{base.name}.comparison.{kind}")
        require_target(path)
        try:
            data = read_regular(path)
        except FileNotFoundError:
            pages[kind] = _Page(path, None)
            continue
        except OSError as error:
            raise CommandError(describe_file_error(path, error)) from error
        if not is_own(data):
            raise CommandError(
                f"{path}: expected the comparison of an earlier run, found another file. Name another folder "
                "with --out. Nothing was sent."
            )
        pages[kind] = _Page(path, sha256(data).digest())
    return pages


def _write(comparison: Comparison, pages: dict[str, _Page]) -> None:
    """Write a comparison as HTML and JSON, and print the names of the files."""
    texts = {"html": comparison_page(comparison), "json": comparison.to_json()}
    for kind, page in pages.items():
        data = texts[kind].encode("utf-8", "backslashreplace")
        try:
            if page.old is None:
                create_bytes(page.path, data)
            else:
                replace_bytes(page.path, data, expected=page.old)
        except (FileChangedError, OSError) as error:
            raise CommandError(describe_file_error(page.path, error)) from error
    say(", ".join(str(page.path) for page in pages.values()))


def _require_no_choices(document: Document) -> None:
    """Raise `CommandError` if a prompt says itself which model answers."""
    prompts = [cell for cell in document.cells if is_prompt_cell(cell, document.cell_rule)]
    if not prompts:
        raise CommandError(f"{document.path}: expected a prompt, found none")
    for cell in prompts:
        if "model" in parse_prompt(source_of(cell)).attributes:
            raise CommandError(
                f"{document.path}/{shown_id(cell)}: the %%msg line says which model answers. Leave model= "
                "out there, or leave out --model."
            )


def _name_files(path: Path, models: Sequence[str], out: Path) -> dict[str, Path]:
    """Return the file of each model. Names have no characters that a path or a shell reads."""
    suffix = SUFFIX if path.name.endswith(SUFFIX) else path.suffix
    files: dict[str, Path] = {}
    taken: set[str] = set()
    for model in models:
        if not model.strip():
            raise CommandError("expected the name of a model after --model, found nothing")
        if model in files:
            raise CommandError(f"--model {model} is given twice")
        words = _UNSAFE.sub("-", model)[:_LONGEST].strip("-.") or "model"
        name, number = f"{stem_of(path.name)}-{words}{suffix}", 1
        # File systems may ignore case.
        while name.casefold() in taken:
            number += 1
            name = f"{stem_of(path.name)}-{words}-{number}{suffix}"
        taken.add(name.casefold())
        files[model] = out / name
    return files


def _prepare(document: Document, model: str, file: Path) -> None:
    """Write the conversation without its answers for a model, unless an earlier run did."""
    notebook = deepcopy(document.notebook)
    notebook["metadata"].get("msgbook", {}).pop("agent_metadata", None)
    prompts = (cell for cell in notebook["cells"] if is_prompt_cell(cell, document.cell_rule))
    for cell in prompts:
        cell["outputs"] = []
        cell.setdefault("metadata", {})["msgbook"] = {**metadata_of(cell), "model": model}
    try:
        create(file, notebook)
    except FileExistsError:
        if _asked(Document.read(file).cells) != _asked(notebook["cells"]):
            raise CommandError(
                f"{file}: expected a file of an earlier run of {document.path} with {model}, found another "
                "conversation. Name another folder with --out."
            ) from None


def _asked(cells: Sequence[Cell]) -> list[tuple[Any, ...]]:
    """Return all of a conversation that its author wrote."""
    return [
        (cell.get("cell_type"), source_of(cell), metadata_of(cell).get("model")) for cell in cells
    ]
