"""The output items of one response, assigned by id, index and type as far as a server sends them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgbook.errors import ProviderError
from msgbook.provider.answer_quirks import objects
from msgbook.provider.responses.call_item import CallItem
from msgbook.provider.responses.output_item import Item, TextItem, item_texts
from msgbook.provider.responses.text_items import MessageItem, ReasoningItem
from msgbook.provider.tool_call_pieces import CallAssembler

MAX_ITEMS = 1000
"""Most items of one response."""


class OutputItems:
    """The items in order of arrival.

    Args:
        new_id: Makes an id for a call that came without a usable one.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._calls = CallAssembler(new_id)
        self._items: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        return iter(list(self._items))

    @property
    def has_calls(self) -> bool:
        """True if the response calls functions."""
        return any(isinstance(item, CallItem) for item in self._items)

    def of_piece(self, kind: str, item_id: Any, index: Any) -> Item:
        """Return the item that a piece belongs to; a new one if the server did not announce it."""
        name, place = _text(item_id), _place(index)
        return self._find(kind, name, place) or self._new(kind, name, place)

    def announced(self, item: dict[str, Any], index: Any) -> Item:
        """Return the item that a server announces: a new one, unless pieces of it came before."""
        kind, name, place = _kind(item), _name(item), _place(index)
        found = self._find(kind, name, place)
        if found is not None:
            is_repeated = place is not None and place == found.index and not (name and found.id)
            if is_repeated or found.id == name != "" or not found.is_announced:
                found.id = found.id or name
                return found
        return self._new(kind, name, place)

    def completed(self, item: dict[str, Any], index: Any) -> Item:
        """Return the item that a server completes, perhaps for the second time."""
        kind, name, place = _kind(item), _name(item), _place(index)
        found = self._named(item) or self._find(kind, name, place, completes=True)
        repeated = (one for one in self._items if one.truth == item)
        return found or next(repeated, None) or self._new(kind, name, place)

    def output(self, output: Any) -> Iterator[tuple[Item, dict[str, Any]]]:
        """Yield each item of a complete response with the one here that it completes.

        Some servers give their items other ids in the complete response (vLLM), so those without a
        match by id are matched by type, in order. What is left is new, unless its text was sent in
        another item: a server may find out at the end that it was reasoning (LocalAI).
        """
        items = objects(output)
        if len(items) > MAX_ITEMS:
            raise _too_many_items()
        matches = [self._named(item) for item in items]
        said = "\n".join(one.sent for one in self._items if isinstance(one, TextItem))
        free = [item for item in self._items if not any(item is match for match in matches)]
        for item, match in zip(items, matches, strict=True):
            found = match or next((one for one in free if _is_like(one, item)), None)
            if found is not None:
                free = [one for one in free if one is not found]
                yield found, item
            elif not _is_said(item, said):
                yield self._new(_kind(item), _name(item), None), item

    def is_progress(self, event: dict[str, Any]) -> bool:
        """Return whether an event is about an item of a type that has no block: the item has it all."""
        name, place = _text(event.get("item_id")), _place(event.get("output_index"))
        others = [item for item in self._items if type(item) is Item]
        return any(
            (name and item.id == name) or (place is not None and item.index == place)
            for item in others
        )

    def _find(
        self, kind: str, name: str, place: int | None, *, completes: bool = False
    ) -> Item | None:
        """Return the last item of a type that fits by its id, else by its index, else because it is open."""
        same = [item for item in reversed(self._items) if item.kind == kind]
        for item in same:
            if name and name in item.ids and not (item.is_done and _differ(place, item.index)):
                return item
        same = [item for item in same if (item.truth is None if completes else not item.is_done)]
        for item in same:
            if place is not None and item.index == place:
                return item
        for item in same[:1]:
            if not (name and item.id) and not _differ(place, item.index):
                return item
        return None

    def _new(self, kind: str, name: str, place: int | None) -> Item:
        if len(self._items) == MAX_ITEMS:
            raise _too_many_items()
        item: Item
        match kind:
            case "reasoning":
                item = ReasoningItem(kind, name, place)
            case "message":
                item = MessageItem(kind, name, place)
            case "function_call":
                item = CallItem(name, place, self._calls)
            case _:
                item = Item(kind, name, place)
        self._items.append(item)
        return item

    def _named(self, item: dict[str, Any]) -> Item | None:
        """Return the item with the type and an id of a complete item."""
        own, call_id = _text(item.get("id")), _text(item.get("call_id"))
        for one in self._items:
            # Two calls may have the same call id.
            is_other = one.truth is not None and own and one.id and own != one.id
            if one.kind == _kind(item) and not is_other and {own, call_id} & one.ids - {""}:
                return one
        return None


def _kind(item: dict[str, Any]) -> str:
    kind = item.get("type")
    return kind if isinstance(kind, str) else "?"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _place(index: Any) -> int | None:
    return index if type(index) is int else None


def _name(item: dict[str, Any]) -> str:
    """Return the id of an item, or that of its call; empty if it has none."""
    return _text(item.get("id")) or _text(item.get("call_id"))


def _differ(place: int | None, other: int | None) -> bool:
    return None not in (place, other) and place != other


def _is_like(one: Item, item: dict[str, Any]) -> bool:
    """Return whether a complete item may be this one by its type, and a call by its name."""
    if one.kind != _kind(item):
        return False
    return not isinstance(one, CallItem) or one.name in ("", item.get("name"))


def _is_said(item: dict[str, Any], said: str) -> bool:
    kinds = {"reasoning": ("summary", "content"), "message": ("text", "refusal")}
    texts = ["".join(item_texts(item, kind)) for kind in kinds.get(_kind(item), ())]
    return any(texts) and all(text in said for text in texts)


def _too_many_items() -> ProviderError:
    return ProviderError("TooManyItems", f"The server sent more than {MAX_ITEMS} items.")
