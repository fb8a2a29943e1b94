"""`%model` and `%models`: who answers."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.base import Scene
from msgbook.transcript import model_above


async def model(scene: Scene, words: Sequence[str]) -> str:
    """Choose the model of the cells below, or say which would answer there."""
    if not words:
        return await scene.engine.servers.model(model_above((await scene.transcript()).earlier))
    chosen = await scene.engine.servers.model(words[0])
    if chosen != words[0]:
        return f"No server is set, so the model {chosen} answers; see %help."
    return f"Model of the cells below: {chosen}"


async def models(scene: Scene, _words: Sequence[str]) -> str:
    """List what the server offers."""
    return "\n".join(await scene.engine.servers.offered_models()) or "The server lists no models."
