"""Output items that are pictures, made by a tool of the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgbook.events import StreamEvent
from msgbook.provider.answer_quirks import repair_json
from msgbook.provider.pictures import Pictures
from msgbook.provider.responses.output_item import Item


class PictureItem(Item):
    """A call of the server's image generation. Its `result` is the picture.

    Args:
        pictures: Those of the answer.
    """

    def __init__(
        self, kind: str, item_id: str, index: int | None, number: int, pictures: Pictures
    ) -> None:
        super().__init__(kind, item_id, index, number)
        self._pictures = pictures

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self.is_done, self.complete = True, item
        kept = repair_json({key: value for key, value in item.items() if key != "result"})
        events = self._pictures.of_value({"result": item.get("result")}, kept)
        yield from self._keep(kept) if events is None else events
