"""The provider `parrot`, which repeats what it is told."""

import re
from collections.abc import AsyncGenerator

from msgbook.config import ProviderSettings
from msgbook.events import ModelFinished, StreamEvent, TextDelta
from msgbook.messages import content_text
from msgbook.provider import Request


class Parrot:
    """Answers with the last message. The option `times` says how often."""

    def __init__(self, settings: ProviderSettings) -> None:
        self.name = settings.name
        self._times = int(settings.options.get("times", 1))

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        said = content_text(request.messages[-1]["content"])
        for word in re.findall(r"\S+\s*", " ".join([said] * self._times)):
            yield TextDelta(word)
        yield ModelFinished("stop", ended=True)

    async def models(self) -> list[str]:
        return ["grey"]

    async def close(self) -> None:
        """Nothing is open."""
