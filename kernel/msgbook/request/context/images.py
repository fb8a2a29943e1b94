"""Markdown images in a prompt, sent as image parts in the order of the text.

`data:` and `attachment:` URLs count as well. Sent images are recorded in `context.images`, and their
data URLs are kept as blobs. So the message keeps its bytes when the file changes or is deleted.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from msgbook.events import Notice
from msgbook.images import MAX_IMAGES
from msgbook.messages import Part
from msgbook.notebook import Cell
from msgbook.request.context.content_reference import LoadText
from msgbook.request.context.image_encoding import (
    LONGER_SIDE,
    ImageError,
    PixelBudget,
    encode_image,
)
from msgbook.request.context.sources import SourceError
from msgbook.request.context.tags import DATA_URL, DETAILS, Image, find_images
from msgbook.scanner import run_in_thread_if_long
from msgbook.text import one_line
from msgbook_format.typed import as_dict, as_items

SOURCE_LIMIT = 50_000_000
"""Bytes of an image before it is scaled down: photographs have a fifth of it."""


_IMPORTED = re.compile(r"attachments/[0-9a-f]{16}\.[a-z]{3,4}")
"""Name of an image that `msgbook convert` has written beside a conversation."""

LoadFile = Callable[[str, int], Awaitable[bytes]]
"""Reads a file, given its path and the largest number of bytes: `Sources.bytes`."""

Attachments = Mapping[str, Any]
"""Attachments of a cell: name -> MIME type -> Base64. From a file: values may be of any type."""


class LoadedImages(NamedTuple):
    """The images of a prompt, encoded to be sent."""

    records: list[dict[str, Any]]
    """For the turn's `context.images`, one for each image of the text: `key`, and if it was read
    `sha256` of the data URL, and `width` and `height` in pixels."""
    blobs: dict[str, str]
    """Data URLs to keep, by their sha256."""
    notices: list[Notice]


def attachments_of(cell: Cell | None) -> Attachments:
    """Return the attachments of a cell; an empty mapping if it has none."""
    attachments = cell.get("attachments") if cell else None
    return attachments if isinstance(attachments, Mapping) else {}


async def load_images(
    text: str,
    load: LoadFile,
    attachments: Attachments | None = None,
    *,
    imported: bool = False,
    pixels: PixelBudget,
) -> LoadedImages:
    """Read and encode the images of a prompt. A notice says why an image cannot be sent.

    Args:
        imported: Whether another program wrote the text. Only the images that came with it are sent then.
        pixels: Shared by the prompts of a request.
    """
    records: list[dict[str, Any]] = []
    blobs: dict[str, str] = {}
    notices = []
    for number, image in enumerate(await run_in_thread_if_long(text, find_images, text)):
        record: dict[str, Any] = {"key": image.name}
        records.append(record)
        if image.asked_detail not in (None, *DETAILS):
            notices.append(_unknown_detail(image))
        if imported and not _IMPORTED.fullmatch(image.target):
            record["sent"] = False
            continue
        if image.is_remote:
            continue
        try:
            if number >= MAX_IMAGES:
                raise SourceError(f"a prompt may have at most {MAX_IMAGES} images")
            data = await _read_image(image, load, attachments or {})
            if imported and sha256(data).hexdigest()[:16] not in image.target:
                raise SourceError("it is not the file that came with the message")
            encoded = await encode_image(data, pixels, low=image.detail == "low")
        except (SourceError, ImageError) as error:
            reason = str(error).rstrip(".")
            notices.append(Notice(f"The image {image.name} is not sent: {reason}.", "warning"))
            continue
        digest = sha256(encoded.url.encode()).hexdigest()
        record |= {"sha256": digest, "width": encoded.width, "height": encoded.height}
        blobs[digest] = encoded.url
    if not any("sha256" in record for record in records) and imported:
        records = []
    return LoadedImages(records, blobs, notices)


async def small_picture(url: str | None) -> str | None:
    """Return an image that was sent, as it is shown beside a message; None if that is not an image.

    Args:
        url: A text that was kept: anything, if a file names it.
    """
    if url is None or not url.startswith("data:image/"):
        return None
    try:
        # One that was sent has no more pixels. A page asks for many of them, and nobody has clicked.
        pixels = PixelBudget(LONGER_SIDE * LONGER_SIDE)
        return (await encode_image(_decode_data_url(url), pixels, low=True)).url
    except (SourceError, ImageError):
        return None


def image_content(
    text: str, records: Sequence[Any], load: LoadText, *, vision: bool = True
) -> str | list[Part]:
    """Return a prompt's content: its text, or parts of text and images in order. Pure.

    Args:
        records: `LoadedImages.records` as saved with the turn: values may be of any type.
        load: Loads the data URLs.
        vision: Whether the model takes images; otherwise a line of text stands for each.

    Returns:
        Parts only if there are images to send. Parts of white space are left out, because servers
        refuse them.
    """
    parts: list[Part] = []
    done = 0
    pending = ""
    count = 0
    for image, record in zip(find_images(text), records, strict=False):
        url = _url(image, record, load) if count < MAX_IMAGES or image.is_remote else None
        if url is None:
            continue
        count += not image.is_remote
        pending += text[done : image.start]
        done = image.end
        if not vision:
            pending += _describe_image(image, record)
            continue
        parts += [{"type": "text", "text": pending}] if pending.strip() else []
        parts.append({"type": "image_url", "image_url": {"url": url, "detail": image.detail}})
        pending = ""
    pending += text[done:]
    if not parts:
        return pending
    return [*parts, {"type": "text", "text": pending}] if pending.strip() else parts


def _url(image: Image, record: Any, load: LoadText) -> str | None:
    """Return the URL that is sent for an image; None if the image stays text."""
    if as_dict(record).get("sent") is False:
        return None
    if image.is_remote:
        return image.target
    digest = as_dict(record).get("sha256")
    url = load(digest) if isinstance(digest, str) else None
    # The record may name any text that is kept, and a server may load any URL.
    return url if url is not None and url.startswith("data:image/") else None


def _unknown_detail(image: Image) -> Notice:
    asked = one_line(image.asked_detail or "", 40)
    expected = ", ".join(DETAILS)
    return Notice(
        f"The image {image.name} is sent with detail=auto: "
        f"expected one of {expected} in its title, not detail={asked}.",
        "warning",
    )


def _describe_image(image: Image, record: Any) -> str:
    sides = [record.get(key) for key in ("width", "height")] if isinstance(record, dict) else []
    size = "x".join(str(side) for side in sides if isinstance(side, int))
    details = (one_line(image.alt, 500), size, image.name)
    return f"[image: {', '.join(word for word in details if word)}]"


async def _read_image(image: Image, load: LoadFile, attachments: Attachments) -> bytes:
    scheme, _, rest = image.target.partition(":")
    if scheme.lower() == "data":
        return _decode_data_url(image.target)
    if scheme.lower() == "attachment":
        return _decode_attachment(rest, attachments)
    path = unquote(urlsplit(image.target).path) if scheme.lower() == "file" else image.target
    try:
        return await load(path, SOURCE_LIMIT)
    except SourceError:
        # Editors write spaces in links as %20, but a file name may contain %20, too.
        if unquote(path) == path:
            raise
    return await load(unquote(path), SOURCE_LIMIT)


def _decode_data_url(url: str) -> bytes:
    match = DATA_URL.match(url)
    if match is None:
        raise SourceError("expected data:image/png;base64,...")
    return _decode_base64(match[3])


def _decode_attachment(name: str, attachments: Attachments) -> bytes:
    bundle = attachments.get(name, attachments.get(unquote(name)))
    if not isinstance(bundle, Mapping):
        raise SourceError("the cell has no such attachment")
    for mime, data in bundle.items():
        if str(mime).startswith("image/"):
            lines = as_items(data)
            return _decode_base64("".join(map(str, lines)))
    raise SourceError("the attachment is not an image")


def _decode_base64(text: str) -> bytes:
    if len(text) > SOURCE_LIMIT * 4 // 3 + 4:
        raise SourceError(f"it has more than {SOURCE_LIMIT:,} bytes")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SourceError(f"its data is not Base64: {error}") from None
