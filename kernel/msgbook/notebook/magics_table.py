"""Table of msgbook's magics: names, forms, help, completion and the function that runs each.

Nothing else lists them: routing, completion, `%help`, tooltips and docs/magics.md read this table. The
kernel imports it when it starts, so it imports almost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgbook.config.settings import LIMIT_KEYS
from msgbook_format.agents import OTHER_NAMES, PROPERTIES
from msgbook_format.syntax import CONTINUE_MAGIC

MODEL, AGENT, MACRO = "MODEL", "AGENT", "MACRO"
"""Placeholders in forms and attributes that completion knows the values of."""

PYTHON_MAGIC = "%%python"
PRUNE_MAGIC = "%prune"

KEPT_TURNS = 5
"""Turns that `%compact` without a number does not summarize."""

_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_HELP_COLUMN = 16
"""Column in which `%help` explains; a longer form has a line of its own."""


class Form(NamedTuple):
    """One way to write a magic or a message."""

    written: str
    """Words in capitals stand for values; `...` repeats the word before it."""
    help: str
    """What it does, in the imperative; Markdown, with links from the folder docs."""


class LineMagic(NamedTuple):
    """A magic that controls the conversation; its cell holds nothing else and is not sent."""

    name: str
    """With its percent sign."""
    function: str
    """Module in `msgbook.magics` and function, such as `model.list_models`."""
    forms: tuple[Form, ...]
    """At least one."""

    @property
    def most_words(self) -> int | None:
        """Words that it takes at most; None for any number."""
        words = [form.written.split()[1:] for form in self.forms]
        return None if any("..." in given for given in words) else max(map(len, words))


def _magic(function: str, *forms: Form) -> LineMagic:
    return LineMagic(forms[0].written.split()[0], function, forms)


LINE_MAGICS = (
    _magic(
        "agent.model",
        Form(f"%model {MODEL}", "choose the model that answers the cells below"),
        Form("%model", "show which model answers below"),
    ),
    _magic("agent.models", Form("%models", "list the models that the server offers")),
    _magic(
        "agent.agent",
        Form("%agent", "show which agent answers below"),
        Form("%agent list", "list the [agents](agents.md) that you can name"),
        Form(f"%agent default {AGENT}", "choose the agent that answers the cells below"),
        Form(f"%agent new {MODEL}", "make an agent of that name and model for the cells below"),
        Form(
            "%agent new NAME KEY=VALUE ...",
            "make one with other properties: `model=gpt-5`, `temperature=0`, `tools=read,grep`, ...",
        ),
    ),
    _magic(
        "agent.rules",
        Form(
            "%rules",
            "list the [project rules](agents.md#rules) and which of them the model gets below",
        ),
    ),
    _magic(
        "agent.skills",
        Form(
            "%skills", "list the [skills](agents.md#skills) and which of them the model gets below"
        ),
    ),
    _magic(
        "context.macros",
        Form("%macros", "list the [macros](references.md) that `#define` made"),
        Form(f"%macros -d {MACRO} ...", "remove macros for the cells below"),
    ),
    _magic(
        "agent.tool",
        Form(
            "%tool NAME ...",
            "let the model call [functions of the notebook](tools.md#functions-of-the-notebook); each "
            "call needs approval",
        ),
        Form("%tool -d NAME ...", "let it call them no longer"),
    ),
    _magic(
        "agent.tools",
        Form("%tools", "list what the model can call, and which calls need approval"),
    ),
    _magic(
        "agent.mcp",
        Form(
            "%mcp",
            "list the [MCP servers](mcp.md), what they offer, and which calls need approval",
        ),
        Form("%mcp refresh", "start all of them anew, and take the tools that they offer now"),
        Form("%mcp refresh NAME", "the same for one"),
    ),
    _magic(
        "overview.approvals",
        Form("%approvals", "list what runs without a question"),
        Form("%approvals forget N", "remove number N of that list"),
        Form("%approvals forget all", "remove all that your answers approved"),
    ),
    _magic(
        "context.context",
        Form(
            "%context", "show what the next prompt sends, and about how many tokens each cell costs"
        ),
        Form("%context full", "show the messages themselves"),
    ),
    _magic(
        "history.compact",
        Form("%compact N", "send the turns above as summaries, all but the last N"),
        Form("%compact", f"the same, all but the last {KEPT_TURNS}"),
    ),
    _magic(
        "history.prune",
        Form(PRUNE_MAGIC, "for the cells below, send only the newest copy of each file"),
    ),
    _magic(
        "history.stale",
        Form("%stale", "list the turns above whose request would be different today"),
    ),
    _magic(
        "context.cache",
        Form(
            "%cache",
            "show how much of the last request a server may have cached, and what broke the cache",
        ),
    ),
    _magic(
        "overview.usage",
        Form(
            "%usage",
            "add up the tokens of the turns above, and their cost where "
            "[prices](configuration.md#tokens-and-cost) are known",
        ),
    ),
    _magic(
        "context.display",
        Form("%display text", "show turns as text that grows, for a terminal (`jupyter console`)"),
        Form("%display rich", "end that"),
        Form("%display", "show which of the two it is"),
    ),
    _magic("overview.help_text", Form("%help", "explain everything that you can type")),
)
"""msgbook's line magics in the order of the help."""

OWN_MAGICS: Mapping[str, LineMagic] = {magic.name: magic for magic in LINE_MAGICS}

MSG_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "agent": (AGENT,),
    "history": ("exclude", "include", "summary"),
    **dict.fromkeys(sorted(LIMIT_KEYS), ()),
    "model": (MODEL,),
}
"""Attributes of a `%%msg` line, with the values that completion offers."""

AGENT_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(sorted({*PROPERTIES, *OTHER_NAMES} - {"system_prompt", "server_tools"}), ()),
    **dict.fromkeys(("model", "models"), (MODEL,)),
}
"""Attributes of a `%agent new NAME` line, which can set neither a system prompt nor tools of the server."""

CELL_FORMS = (
    Form(CONTINUE_MAGIC, "ask for the rest of an answer that broke off, was stopped or failed"),
    Form(
        PYTHON_MAGIC,
        "run the rest of the cell as Python in this kernel; the model sees code and output, except "
        "[outputs that you hide](references.md#hide-one-output-of-code)",
    ),
    Form("!COMMAND", "run a command of the shell; the model sees command and output"),
    Form(f"%%msg agent={AGENT} model={MODEL}", "choose who answers this message"),
    Form("%%msg history=exclude", "keep the message and its answer out of later requests"),
    Form("%%msg history=summary", "send a summary of both in later requests"),
    Form(
        "%%msg max_steps=5 time_budget=60",
        "[limit](configuration.md#limits-of-a-turn) this turn to 5 model calls and 60 seconds; "
        "`token_budget=` and `warn_tokens=` count tokens, `max_cost=` money",
    ),
)
"""What else the first line of a cell can be."""

MESSAGE_FORMS = (
    Form(
        "@[data.csv], @[a.py:10:20], @[src/], @[*.py]",
        "send files, lines of one, or a folder with the message; see [references](references.md)",
    ),
    Form(
        "@[cell:ID], @[py:NAME]",
        "send a cell with its output, or what a variable of the notebook's Python holds",
    ),
    Form(
        '@[grep{"pattern": "TODO"}]',
        "send the result of a tool call, which runs first and may need approval",
    ),
    Form("![](plot.png)", "send an image; `@[...]` sends only its type and size"),
    Form(
        "#define NAME TEXT",
        "on a line of its own: {{NAME}} is TEXT in references, rules and the files that are sent",
    ),
    Form("\\TEXT", "begin a message with `!` or with the name of a magic"),
)
"""What a message can hold."""


def list_forms() -> Iterator[Form]:
    """Yield every form in the order of the help."""
    for magic in LINE_MAGICS:
        yield from magic.forms
    yield from CELL_FORMS
    yield from MESSAGE_FORMS


def format_help(forms: Sequence[Form]) -> str:
    """Return lines of plain text, in two columns, that explain forms."""
    lines = []
    for form in forms:
        text = _LINK.sub(r"\1", form.help).replace("`", "")
        if len(form.written) >= _HELP_COLUMN:
            lines += [form.written, f"{'':{_HELP_COLUMN}}{text}"]
        else:
            lines.append(f"{form.written:{_HELP_COLUMN}}{text}")
    return "\n".join(lines)
