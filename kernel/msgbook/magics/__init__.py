"""msgbook's own line magics. Each stands alone in its cell, which is no part of the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.approvals import approvals
from msgbook.magics.base import Magic, Scene, UsageError
from msgbook.magics.display import display
from msgbook.magics.model import model, models
from msgbook.magics.tools import tool, tools
from msgbook.magics.usage import usage

HELP = """\
A cell is a message: write, and press Shift+Enter. The answer, with its reasoning and its tool
calls, appears below. The cells above are all that the model knows: edit, move or delete them, and
you change the conversation.

%model NAME     the model that answers the cells below this one
%model          the model that would answer below this cell
%models         the models that the server offers
%tool NAME ...  functions of this notebook that the model may call; it asks before each call
%tool -d NAME   it may no longer
%tools          what the model can call
%continue       the rest of an answer that broke off, was stopped or failed
%usage          tokens of the turns above, and their cost where you set prices
%approvals      what is allowed without asking; %approvals forget N, or forget all, takes it back
%display text   turns as growing text, for jupyter console; %display rich ends it
%help           this text
%%python        the rest of the cell is Python, run in this kernel
!COMMAND        a command of the shell
%%msg KEY=VALUE ...
                as the first line of a prompt: model=NAME, history=exclude (it and its answer are
                not sent on); max_steps= (model calls), time_budget= (seconds), token_budget= and
                warn_tokens= limit this turn
\\TEXT           a prompt that begins with ! or %

Settings: OPENAI_API_KEY, OPENAI_BASE_URL and MSGBOOK_MODEL in the environment, or msgbook.toml in
Jupyter's configuration directory. Without any, the built-in demo model answers."""


async def _help(_scene: Scene, _words: Sequence[str]) -> str:
    return HELP


MAGICS = {
    magic.name: magic
    for magic in (
        Magic("%model", model, most_words=1),
        Magic("%models", models),
        Magic("%usage", usage),
        Magic("%tool", tool, most_words=None),
        Magic("%tools", tools),
        Magic("%approvals", approvals, most_words=2),
        Magic("%display", display, most_words=1),
        Magic("%help", _help),
    )
}


async def run_magic(source: str, scene: Scene) -> str:
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
        raise UsageError(f"{name} was given {' '.join(words)!r}; see %help.")
    return await magic.run(scene, words)
