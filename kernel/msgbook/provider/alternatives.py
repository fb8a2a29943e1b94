"""Requests that go to the next model if the server does not know the one before."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from msgbook.errors import ProviderError
from msgbook.events import ModelChosen, Notice, StreamEvent
from msgbook.provider.base import Provider, Request
from msgbook.provider.failures import UnknownModelError
from msgbook.text import excerpt, join_first, one_line, visible

_NAMED = 8
"""Most models that an error lists."""


class AlternativesProvider:
    """Asks for one model after the other until the server knows one, and stays with that one.

    Any other error ends the request: it may be the same for all models, or go away.

    Args:
        models: At least one, in the order in which they are asked. The model that a request names is ignored.
    """

    def __init__(self, provider: Provider, models: Sequence[str]) -> None:
        self.name = provider.name
        self._provider = provider
        self._models = models
        self._current = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        while True:
            asked = self._current
            model = self._models[asked]
            if asked:
                yield ModelChosen(model)
            try:
                answer = self._provider.stream(replace(request, model=model))
                async with aclosing(answer) as events:
                    async for event in events:
                        yield event
                return
            except UnknownModelError as error:
                if asked + 1 == len(self._models):
                    raise self._none_is_known(error) from None
                # Calls that run side by side may find out the same.
                if asked == self._current:
                    self._current += 1
                    yield self._notice(model, error)

    async def models(self) -> list[str]:
        return await self._provider.models()

    async def close(self) -> None:
        await self._provider.close()

    def _notice(self, model: str, error: UnknownModelError) -> Notice:
        said = f" It said: {visible(excerpt(error.said))}" if error.said else ""
        following = _shown(self._models[self._current])
        words = f"The server does not know the model {_shown(model)}; {following} is asked instead."
        return Notice(words + said, "warning")

    def _none_is_known(self, error: UnknownModelError) -> ProviderError:
        tried = join_first([_shown(model) for model in self._models], _NAMED)
        return ProviderError(error.name, f"The server knows none of the models {tried}. {error}")


def _shown(model: str) -> str:
    return visible(one_line(model, 100))
