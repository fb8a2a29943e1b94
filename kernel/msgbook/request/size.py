"""How much the prompts above may have brought. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.images import MAX_IMAGES
from msgbook.request.context.content_reference import REPLAY_LIMIT

BROUGHT = 100_000_000
"""Characters of all prompts together. A record of a few bytes names a large text, and many records
may name the same."""


class ContextTooLargeError(MsgbookError):
    """The prompts above brought more than any server takes."""


def check_recorded_texts(
    contexts: Iterable[Mapping[str, Any]], length: Callable[[str], int]
) -> None:
    """Go on only if the texts that records name can be put together.

    Args:
        contexts: Of the turns above, as saved, so that anything may be odd.
        length: Characters of the text with a sha256 in hex.

    Raises:
        BroughtTooMuchError: They are too much.
    """
    total = 0
    for context in contexts:
        kinds = ("rules", "files", "tools")
        texts = (length(digest) for kind in kinds for digest in _digests(context.get(kind)))
        images = list(_digests(context.get("images")))[:MAX_IMAGES]
        total += min(sum(texts), REPLAY_LIMIT) + sum(map(length, images))
        if total > BROUGHT:
            raise ContextTooLargeError(
                f"What the prompts above brought has more than {BROUGHT:,} characters; nothing was "
                "sent. Delete or exclude those that are done with: %%msg history=exclude as the "
                "first line."
            )


def _digests(entries: Any) -> Iterator[str]:
    """Of the texts that are sent whole."""
    for entry in entries if isinstance(entries, list) else ():
        if (
            isinstance(entry, dict)
            and isinstance(entry.get("sha256"), str)
            and entry.get("unchanged") is not True
            and entry.get("dropped") is not True
        ):
            yield entry["sha256"]
