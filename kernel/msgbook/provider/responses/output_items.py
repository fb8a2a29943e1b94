"""The output items of one response, assigned by id, index and type as far as a server sends them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msgbook.errors import ProviderError
from msgbook.provider.answer_quirks import objects
from msgbook.provider.responses.call_item import CallItem
from msgbook.provider.responses.output_item import Item, TextItem, item_texts
from msgbook.provider.responses.text_items import MessageItem, ReasoningItem
from msgbook.provider.tool_call_pieces import CallAssembler

MAX_ITEMS = 1000
"""Most items of one response."""


class _Address(NamedTuple):
    """Names the item that an event is about."""

    kind: str
    id: str
    """Empty if the server does not send it."""
    position: int | None
    """Index in the response; None if the server does not send it."""


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
        address = _Address(kind, _text(item_id), _number(index))
        return self._find(address) or self._new(address)

    def announced(self, item: dict[str, Any], index: Any) -> Item:
        """Return the item that a server announces: a new one, unless pieces of it came before."""
        address = _address(item, index)
        found = self._find(address)
        if found is None:
            return self._new(address)
        has_id = bool(address.id)
        is_same_id = has_id and found.id == address.id
        is_same_place = address.position is not None and address.position == found.index
        is_repeated = is_same_id or (is_same_place and not (has_id and found.id))
        if found.is_announced and not is_repeated:
            return self._new(address)
        found.id = found.id or address.id
        return found

    def completed(self, item: dict[str, Any], index: Any) -> Item:
        """Return the item that a server completes, perhaps for the second time."""
        address = _address(item, index)
        found = self._named(item) or self._find(address, completes=True)
        repeated = (one for one in self._items if one.complete == item)
        return found or next(repeated, None) or self._new(address)

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
                yield self._new(_address(item, None)), item

    def is_progress(self, event: dict[str, Any]) -> bool:
        """Return whether an event is about an item of a type that has no block: the item has it all."""
        item_id, index = _text(event.get("item_id")), _number(event.get("output_index"))
        others = [item for item in self._items if type(item) is Item]
        return any(
            (item_id and item.id == item_id) or (index is not None and item.index == index)
            for item in others
        )

    def _find(self, address: _Address, *, completes: bool = False) -> Item | None:
        """Return the last item of a type that fits by its id, else by its index, else because it is open."""
        kind, item_id, index = address
        same = [item for item in reversed(self._items) if item.kind == kind]
        for item in same:
            is_done_elsewhere = item.is_done and _differ(index, item.index)
            if item_id and item_id in item.ids and not is_done_elsewhere:
                return item
        same = [item for item in same if (item.complete is None if completes else not item.is_done)]
        for item in same:
            if index is not None and item.index == index:
                return item
        for item in same[:1]:
            if not (item_id and item.id) and not _differ(index, item.index):
                return item
        return None

    def _new(self, address: _Address) -> Item:
        if len(self._items) == MAX_ITEMS:
            raise _too_many_items()
        item: Item
        match address.kind:
            case "reasoning":
                item = ReasoningItem(*address)
            case "message":
                item = MessageItem(*address)
            case "function_call":
                item = CallItem(address.id, address.position, self._calls)
            case _:
                item = Item(*address)
        self._items.append(item)
        return item

    def _named(self, item: dict[str, Any]) -> Item | None:
        """Return the item with the type and an id of a complete item."""
        own, call_id = _text(item.get("id")), _text(item.get("call_id"))
        for one in self._items:
            # Two calls may have the same call id.
            is_other = one.complete is not None and own and one.id and own != one.id
            if one.kind == _kind(item) and not is_other and {own, call_id} & one.ids - {""}:
                return one
        return None


def _address(item: dict[str, Any], index: Any) -> _Address:
    """Return the address of an item, whose id may be that of its call."""
    item_id = _text(item.get("id")) or _text(item.get("call_id"))
    return _Address(_kind(item), item_id, _number(index))


def _kind(item: dict[str, Any]) -> str:
    kind = item.get("type")
    return kind if isinstance(kind, str) else "?"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(index: Any) -> int | None:
    return index if type(index) is int else None


def _differ(index: int | None, other: int | None) -> bool:
    return None not in (index, other) and index != other


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
