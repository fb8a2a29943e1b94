"""`%model` and `%models`: choose the model that answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgbook.magics.base import MagicContext
from msgbook.notebook import Prompt
from msgbook.provider import describe_demo_model


async def model(context: MagicContext, words: Sequence[str]) -> str:
    """Choose the model of the cells below, or return the one that would answer there."""
    engine = context.engine
    if not words:
        below = replace(await context.transcript(), current=None)
        project = await engine.request_builder.read_project()
        return (await engine.request_builder.agent_chooser.choose(Prompt(""), below, project)).model
    chosen = await engine.servers.choose_model(words[0])
    if chosen != words[0]:
        return describe_demo_model(chosen, words[0])
    return f"Model of the cells below: {chosen}"


async def models(context: MagicContext, _words: Sequence[str]) -> str:
    """List the models that the server offers."""
    return "\n".join(await context.engine.servers.list_models()) or "The server lists no models."
