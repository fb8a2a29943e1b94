"""The output items of one response, assigned by id, index and type as far as a server sends them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from msgbook.errors import ProviderError
from msgbook.events import StreamEvent
from msgbook.provider.json_events import UnknownContent
from msgbook.provider.pictures import Pictures
from msgbook.provider.responses.output_item import (
    CallItem,
    Item,
    Match,
    OtherItem,
    TextItem,
    item_texts,
)
from msgbook.provider.responses.text_items import MessageItem, PictureItem, ReasoningItem
from msgbook.provider.tool_call_pieces import CallAssembler
from msgbook_format.typed import as_dicts, as_text

MAX_ITEMS = 1000
"""Most items of one response."""

_IDS = ("id", "item_id", "call_id")
"""Keys of an item that may hold the id by which its events name it, the surest first."""

_PART_ITEMS = {
    "output_text": "message",
    "text": "message",
    "refusal": "message",
    "summary_text": "reasoning",
    "reasoning_text": "reasoning",
}
"""Types of the items that parts are of, by the type of the part."""


_KINDS_BY_KEY = {"arguments": "function_call", "summary": "reasoning", "content": "message"}
"""Types of items by a key that no other has."""


class _Address(NamedTuple):
    """Names the item that an event is about."""

    kind: str
    id: str
    """Empty if the server does not send it."""
    position: int | None
    """Index in the response; None if the server does not send it."""


class OutputItems:
    """The items in order of arrival.

    Servers number items in many ways: vLLM names the end of an item by the next index, gives its
    events other ids than the item, and calls other ids at their end. So an item is found by an id, else by
    its index, else by what it says; what was said once is never said again by another name.

    Args:
        new_id: Makes an id for a call that came without a usable one.
        pictures: Those of the answer.
        unknown: Collects what has no other place.
    """

    def __init__(
        self, new_id: Callable[[], str], pictures: Pictures, unknown: UnknownContent
    ) -> None:
        self._calls = CallAssembler(new_id, are_told_apart=True)
        self._pictures, self._unknown = pictures, unknown
        self._items: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        return iter(list(self._items))

    @property
    def has_calls(self) -> bool:
        """True if the response calls functions."""
        return any(isinstance(item, CallItem) for item in self._items)

    def end_calls(self) -> Iterator[StreamEvent]:
        """Yield the arguments that are held back."""
        yield from self._calls.end()

    def of_piece(self, kind: str, item_id: Any, index: Any, whole: str = "") -> Item:
        """Return the item that a piece belongs to; a new one if the server did not announce it.

        Args:
            whole: The text, if it is complete.
        """
        address = _Address(kind, as_text(item_id), _number(index))
        found = self._joined(kind, [whole]) or self._find(address) or self._only_open(kind)
        found = found or self._joined(kind, [whole], least=1)
        if found is None and whole:
            same = (one for one in self._items if one.kind == kind)
            found = next((one for one in same if one.has_said(whole)), None)
        if found is None:
            return self._new(address)
        found.add_alias(address.id)
        return found

    def of_part(self, part: dict[str, Any], item_id: Any, index: Any) -> Item | None:
        """Return the item whose part a server announces; None if it is not known yet."""
        name = as_text(item_id)
        for item in reversed(self._items):
            if isinstance(item, TextItem) and name and item.is_named(name) and not item.is_done:
                return item
        kind = _PART_ITEMS.get(as_text(part.get("type")))
        if kind is None:
            return None
        address = _Address(kind, name, _number(index))
        found = self._find(address) or self._only_open(kind)
        is_first = not any(one.kind == kind for one in self._items)
        return self._new(address) if found is None and is_first else found

    def announced(self, item: dict[str, Any], index: Any) -> Item:
        """Return the item that a server announces: a new one, unless pieces of it came before."""
        address = _address(item, index)
        found = self._find(address)
        if found is None or (isinstance(found, CallItem) and found.is_other(item)):
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
        joined = self._joined_of(item)
        if known := joined or self._named(item):
            return known
        address = _address(item, index)
        found = self._find(address, completes=True)
        here = found if isinstance(found, CallItem) and found.match(item) is Match.OTHER else None
        if here is not None:
            found = None  # its index may be that of the next call
        if found is None:
            self._settle([item], [one for one in self._items if not one.is_done])
            found = self._open_like(item) or self._said(item, index) or self._only_like(item)
        is_here = here is not None and here.is_announced and _has_name(here, item)
        return found or (here if is_here and here else self._new(address))

    def output(self, output: Any) -> Iterator[tuple[Item, dict[str, Any]]]:
        """Yield each item of a complete response with the one here that it completes.

        Some servers give their items other ids in the complete response (vLLM), so those without a
        match by id are matched by what they say, else by type, in order. What is left is new, unless
        its text was sent in another item: a server may find out at the end that it was reasoning
        (LocalAI).
        """
        items = as_dicts(output)
        if len(items) > MAX_ITEMS:
            raise _too_many_items()
        self._settle(items, self._items)
        joined = [self._joined_of(item) for item in items]
        found = dict(
            enumerate(one or self._named(item) for one, item in zip(joined, items, strict=True))
        )
        said = _letters(one.sent for one in self._items if isinstance(one, TextItem))
        free = [item for item in self._items if not any(item is one for one in found.values())]
        for is_like in _LIKE:
            for place, item in enumerate(items):
                if found[place] is None:
                    kind = _kind(item)
                    like = (one for one in free if one.kind == kind and is_like(one, item))
                    found[place] = next(like, None)
                    free = [one for one in free if one is not found[place]]
        for place, item in enumerate(items):
            match = found[place]
            if match is not None:
                yield match, item
            elif not _is_said(item, said):
                yield self._new(_address(item, None)), item

    def is_progress(self, kind: str, event: dict[str, Any]) -> bool:
        """Return whether an event is about an item of a type that has no block: the item has it all."""
        item_id, index = as_text(event.get("item_id")), _number(event.get("output_index"))
        others = [item for item in self._items if isinstance(item, PictureItem | OtherItem)]
        return any(
            (item_id and item.id == item_id)
            or (index is not None and item.index == index)
            or (item.kind and kind.startswith(f"response.{item.kind}"))
            for item in others
        )

    def _find(self, address: _Address, *, completes: bool = False) -> Item | None:
        """Return the last item of a type that fits by its id, else by its index, else because it is open."""
        kind, item_id, index = address
        same = [item for item in reversed(self._items) if item.kind == kind]
        for item in same:
            is_done_elsewhere = item.is_done and _differ(index, item.index)
            if item_id and item.is_named(item_id) and not is_done_elsewhere:
                return item
        same = [item for item in same if (item.complete is None if completes else not item.is_done)]
        for item in same:
            if index is not None and item.index == index:
                return item
        for item in same[:1]:
            if not (item_id and item.id) and not _differ(index, item.index):
                return item
        return None

    def _only_open(self, kind: str) -> Item | None:
        """Return the one item of a type that was announced and has not ended; None if there are more, or none.

        A server that announces its items has no others, whatever it calls them afterwards.
        """
        opened = [item for item in self._items if item.kind == kind and not item.is_done]
        return opened[0] if len(opened) == 1 and opened[0].is_announced else None

    def _only_like(self, item: dict[str, Any]) -> Item | None:
        found = self._only_open(_kind(item))
        return found if isinstance(found, TextItem) else None

    def _joined_of(self, item: dict[str, Any]) -> Item | None:
        kinds = _TEXT_KINDS.get(_kind(item), ())
        wholes = ["".join(item_texts(item, kind)) for kind in kinds]
        return self._joined(_kind(item), wholes)

    def _joined(self, kind: str, wholes: list[str], least: int = 2) -> Item | None:
        """Return what items that nobody announced are together if a complete text goes on with all they say.

        Some servers give each delta another id.
        """
        parts = [
            one
            for one in self._items
            if isinstance(one, TextItem) and one.kind == kind and not one.is_announced | one.is_done
        ]
        if len(parts) < least or not any(wholes):
            return None
        texts = [one.sent for one in parts]
        if not all(texts) or not any(whole.startswith("".join(texts)) for whole in wholes):
            return None
        *others, last = parts
        for one in reversed(others):
            last.take_over(one)
            self._items.remove(one)
        return last

    def _settle(self, items: list[dict[str, Any]], here: list[Item]) -> None:
        """Find kinds of text that have come whole, in whatever items, and let complete items add nothing."""
        for name, kinds in _TEXT_KINDS.items():
            mine = [one for one in here if isinstance(one, TextItem) and one.kind == name]
            theirs = [item for item in items if _kind(item) == name]
            for kind in kinds if mine else ():
                whole = _letters(text for item in theirs for text in item_texts(item, kind))
                if whole and whole == _letters(one.text(kind) for one in mine):
                    for one in mine:
                        one.settle(kind)

    def _open_like(self, item: dict[str, Any]) -> Item | None:
        """Return the item without an end that says most of what a complete item says."""
        kind = _kind(item)
        same = [one for one in self._items if one.kind == kind and one.complete is None]
        matches = [(one.match(item), one) for one in same]
        best = max((match for match, _ in matches), default=Match.OTHER)
        return next((one for match, one in matches if match is best), None) if best else None

    def _said(self, item: dict[str, Any], index: Any) -> Item | None:
        """Return the complete item that a server completes again under other names."""
        kind, place = _kind(item), _number(index)
        same = [one for one in self._items if one.kind == kind and one.complete is not None]
        announces = any(one.is_announced for one in same)
        for one in same:
            is_here = announces or (place is not None and place == one.index)
            if one.complete == item or (is_here and one.match(item) is Match.SAME):
                return one
        return None

    def _new(self, address: _Address) -> Item:
        if len(self._items) == MAX_ITEMS:
            raise _too_many_items()
        item: Item
        number = len(self._items) + 1
        match address.kind:
            case "reasoning":
                item = ReasoningItem(*address, number, self._unknown)
            case "message":
                item = MessageItem(*address, number, self._unknown, self._pictures)
            case "function_call":
                item = CallItem(address.id, address.position, number, self._calls)
            case "image_generation_call":
                item = PictureItem(*address, number, self._pictures)
            case _:
                item = OtherItem(*address, number, self._unknown)
        self._items.append(item)
        return item

    def _named(self, item: dict[str, Any]) -> Item | None:
        """Return the item with the type and an id of a complete item."""
        kind, own = _kind(item), as_text(item.get("id"))
        same = [one for one in reversed(self._items) if one.kind == kind]
        for name in filter(None, (as_text(item.get(key)) for key in _IDS)):
            for one in same:
                # Two calls may have the same call id.
                is_other = one.complete is not None and own and one.id and own != one.id
                if one.is_named(name) and not is_other:
                    return one
        return None


def _address(item: dict[str, Any], index: Any) -> _Address:
    """Return the address of an item, whose id may be that of its call."""
    item_id = next(filter(None, (as_text(item.get(key)) for key in _IDS)), "")
    return _Address(_kind(item), item_id, _number(index))


def with_type(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item with its type, told by its keys if the server does not say it."""
    if isinstance(item.get("type"), str):
        return item
    kind = next((kind for key, kind in _KINDS_BY_KEY.items() if key in item), None)
    return {**item, "type": kind} if kind else item


def _kind(item: dict[str, Any]) -> str:
    kind = item.get("type")
    return kind if isinstance(kind, str) else "?"


def _letters(texts: Iterable[str]) -> str:
    # A complete text may differ from its pieces in blanks.
    return "".join("".join(texts).split())


def _number(index: Any) -> int | None:
    return index if type(index) is int else None


def _differ(index: int | None, other: int | None) -> bool:
    return None not in (index, other) and index != other


def _has_name(one: Item, item: dict[str, Any]) -> bool:
    return not isinstance(one, CallItem) or one.name in ("", item.get("name"))


_LIKE: tuple[Callable[[Item, dict[str, Any]], bool], ...] = (
    lambda one, item: one.match(item) is Match.SAME,
    lambda one, item: one.match(item) is not Match.OTHER,
    _has_name,
    lambda one, item: True,
)
"""Whether an item here may be the one of its type in the complete response, the surest way first. In the end
there are no more calls than were announced, whatever their names."""


_TEXT_KINDS = {"reasoning": ReasoningItem.kinds, "message": MessageItem.kinds}


def _is_said(item: dict[str, Any], said: str) -> bool:
    texts = [_letters(item_texts(item, kind)) for kind in _TEXT_KINDS.get(_kind(item), ())]
    return any(texts) and all(text in said for text in texts)


def _too_many_items() -> ProviderError:
    return ProviderError("TooManyItems", f"The server sent more than {MAX_ITEMS} items.")
