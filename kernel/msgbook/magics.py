"""msgbook's own line magics: `%model`, `%models`, `%help`. Each stands alone in its cell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgbook.engine import Engine
from msgbook.errors import MsgbookError
from msgbook.transcript import Transcript, model_above

HELP = """\
A cell is a message: write, and press Shift+Enter. The answer, with its reasoning and its tool
calls, appears below. The cells above are all that the model knows: edit, move or delete them, and
you change the conversation.

%model NAME     the model that answers the cells below this one
%model          the model that would answer below this cell
%models         the models that the server offers
%continue       the rest of an answer that broke off, was stopped or failed
%help           this text
%%python        the rest of the cell is Python, run in this kernel
!COMMAND        a command of the shell
%%msg KEY=VALUE ...
                as the first line of a prompt: model=NAME, history=exclude
\\TEXT           a prompt that begins with ! or %

Settings: OPENAI_API_KEY, OPENAI_BASE_URL and MSGBOOK_MODEL in the environment, or msgbook.toml in
Jupyter's configuration directory. Without any, the built-in demo model answers."""


class UsageError(MsgbookError):
    """A magic was not written as it has to be."""


async def run_magic(
    source: str, engine: Engine, transcript: Callable[[], Awaitable[Transcript]]
) -> str:
    """Run a cell that begins with one of msgbook's line magics and return what it prints.

    Args:
        transcript: Asks for the cells above; only `%model` has to know them.

    Raises:
        UsageError: The cell holds more than the magic and what it takes.
        MsgbookError: The server cannot be asked.
    """
    name, *arguments = source.split()
    if "\n" in source.strip():
        raise UsageError(f"{name} stands alone in its cell; put the other lines into the next one.")
    if len(arguments) > (1 if name == "%model" else 0):
        raise UsageError(f"{name} was given {' '.join(arguments)!r}; see %help.")
    match name:
        case "%model" if arguments:
            chosen = await engine.model(arguments[0])
            if chosen != arguments[0]:
                return f"No server is set, so the model {chosen} answers; see %help."
            return f"Model of the cells below: {chosen}"
        case "%model":
            return await engine.model(model_above((await transcript()).earlier))
        case "%models":
            offered = await engine.offered_models()
            return "\n".join(offered) or "The server lists no models."
        case _:
            return HELP
