"""`%model` and `%models`: who answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgbook.magics.base import MagicContext
from msgbook.notebook.cells import Prompt


async def model(scene: MagicContext, words: Sequence[str]) -> str:
    """Choose the model of the cells below, or say which would answer there."""
    engine = scene.engine
    if not words:
        below = replace(await scene.transcript(), current=None)
        project = await engine.request_builder.read_project()
        return (await engine.request_builder.agent_chooser.choose(Prompt(""), below, project)).model
    chosen = await engine.servers.choose_model(words[0])
    if chosen != words[0]:
        return f"No server is set, so the model {chosen} answers; see %help."
    return f"Model of the cells below: {chosen}"


async def models(scene: MagicContext, _words: Sequence[str]) -> str:
    """List what the server offers."""
    return "\n".join(await scene.engine.servers.list_models()) or "The server lists no models."
