"""msgbook's own line magics. Each stands alone in its cell, which is no part of the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgbook.magics.approvals import approvals
from msgbook.magics.base import Magic, MagicContext, UsageError
from msgbook.magics.context import context
from msgbook.magics.conversation import agent, cache, compact, rules, skills, stale
from msgbook.magics.display import display
from msgbook.magics.macros import macros
from msgbook.magics.model import model, models
from msgbook.magics.prune import prune
from msgbook.magics.tools import tool, tools
from msgbook.magics.usage import usage

HELP = """\
A cell is a message: write, and press Shift+Enter. The answer, with its reasoning and its tool
calls, appears below. The cells above are all that the model knows: edit, move or delete them, and
you change the conversation.

%model NAME     the model that answers the cells below this one
%model          the model that would answer below this cell
%models         the models that the server offers
%agent          who answers below this cell; %agent list: whom you can name
%agent default NAME
                who answers the cells below this one
%agent new NAME KEY=VALUE ...
                an agent for the cells below: models=NAME, temperature=, tools=[read,grep], ...
%macros         the macros that #define made; %macros -d NAME ... removes some for the cells below
%rules          the project's rules, and which of them hold below this cell
%skills         the skills that there are, and which of them the model is told of
%tool NAME ...  functions of this notebook that the model may call; it asks before each call
%tool -d NAME   it may no longer
%tools          what the model can call
%continue       the rest of an answer that broke off, was stopped or failed
%context        what the next prompt would be sent with, and about how many tokens each cell
                costs; %context full: the messages themselves
%compact N      sum up the turns above, but for the last N (5)
%prune          of files that prompts above brought, send the newest copy alone from here on
%stale          turns above that were asked something else than what stands there now
%cache          how much of the last request a server may have kept, and what broke it
%usage          tokens of the turns above, and their cost where you set prices
%approvals      what is allowed without asking; %approvals forget N, or forget all, takes it back
%display text   turns as growing text, for jupyter console; %display rich ends it
%help           this text
@[FILE]         in a prompt: the file is sent with it; so are @[FILE:10:20], @[FOLDER/], @[*.py],
                @[cell:ID], @[py:NAME] and what a tool says, @[TOOL{"KEY": "VALUE"}]
#define NAME TEXT
                in a prompt, on a line of its own: {{NAME}} is TEXT in what prompts refer to
%%python        the rest of the cell is Python, run in this kernel
!COMMAND        a command of the shell
%%msg KEY=VALUE ...
                as the first line of a prompt: agent=NAME, model=NAME, history=exclude (it and its
                answer are not sent on) or summary; max_steps= (model calls), time_budget=
                (seconds), token_budget= and warn_tokens= limit this turn
\\TEXT           a prompt that begins with ! or %

Settings: OPENAI_API_KEY, OPENAI_BASE_URL and MSGBOOK_MODEL in the environment, or msgbook.toml in
Jupyter's configuration directory. Without any, the built-in demo model answers."""


async def _help(_scene: MagicContext, _words: Sequence[str]) -> str:
    return HELP


MAGICS = {
    magic.name: magic
    for magic in (
        Magic("%model", model, most_words=1),
        Magic("%models", models),
        Magic("%agent", agent, most_words=None),
        Magic("%macros", macros, most_words=None),
        Magic("%rules", rules),
        Magic("%skills", skills),
        Magic("%context", context, most_words=1),
        Magic("%compact", compact, most_words=1),
        Magic("%prune", prune),
        Magic("%stale", stale),
        Magic("%cache", cache),
        Magic("%usage", usage),
        Magic("%tool", tool, most_words=None),
        Magic("%tools", tools),
        Magic("%approvals", approvals, most_words=2),
        Magic("%display", display, most_words=1),
        Magic("%help", _help),
    )
}


async def run_magic(source: str, scene: MagicContext) -> str:
    """Run a cell that begins with one of msgbook's line magics and return what it prints.

    Raises:
        UsageError: The cell holds more than the magic and what it takes.
        MsgbookError: What the magic itself has to say.
    """
    name, *words = source.split()
    magic = MAGICS[name]
    if "\n" in source.strip():
        raise UsageError(f"{name} stands alone in its cell; put the other lines into the next one.")
    if magic.most_words is not None and len(words) > magic.most_words:
        most = f"at most {magic.most_words} words" if magic.most_words else "nothing"
        raise UsageError(f"{name} takes {most}, not {' '.join(words)!r}; see %help.")
    return await magic.run(replace(scene, source=source), words)
