"""Markdown images in a prompt become image parts, in the order of the text. I/O is the loader's.

`![alt](path)` with titles, `<...>`, blanks and parentheses in the path; `data:` and `attachment:`;
images in code are text. What was sent is recorded (`context.images`), and its data URL kept as a
blob, so that the message is the same bytes later, whatever has become of the file.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from msgbook.events import Notice
from msgbook.images import MAX_IMAGES
from msgbook.messages import Part
from msgbook.request.context.content_reference import LoadText
from msgbook.request.context.image_encoding import ImageError, encode_image
from msgbook.request.context.scanner import Scanner, match_brackets, run_in_thread_if_long
from msgbook.request.context.sources import SourceError
from msgbook.text import one_line

SOURCE_LIMIT = 50_000_000
"""Bytes of a picture before it is made smaller."""

_ANGLED = re.compile(r"\(\s*<([^<>\n]*)>[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*')?[ \t]*\)")
_TITLE = re.compile(r"(?<![ \t])[ \t]++(?:\"[^\"]*+\"|'[^']*+')[ \t]*+$")
_REMOTE = re.compile(r"https?://", re.IGNORECASE)
_DATA = re.compile(r"data:([\w/+.-]*)((?:;[\w=.-]+)*);base64,(.*)", re.IGNORECASE | re.DOTALL)

LoadFile = Callable[[str, int], Awaitable[bytes]]
"""Reads a file, confined to what may be read: path, greatest number of bytes. Raises `SourceError`.
`msgbook.request.context.files.Files.bytes` is one."""

Attachments = Mapping[str, Any]
"""Of a cell: name -> MIME type -> BASE64; from a file, so that anything may be odd."""


@dataclass(frozen=True, slots=True)
class Image:
    """A Markdown image, as written."""

    start: int
    end: int
    """Where it stands in the text, half open."""
    alt: str
    target: str

    @property
    def remote(self) -> bool:
        """Whether the model's server is to get it by its URL."""
        return _REMOTE.match(self.target) is not None

    @property
    def name(self) -> str:
        """How a person is told of it: data and long URLs are cut."""
        return one_line(
            self.target.partition(",")[0] if _DATA.match(self.target) else self.target, 200
        )


class LoadedImages(NamedTuple):
    """The images of a prompt, read and made fit to be sent."""

    records: list[dict[str, Any]]
    """For the turn's `context.images`, one for each image of the text: `key`, and of those that
    were read `sha256` (of the data URL), `width` and `height` in pixels."""
    blobs: dict[str, str]
    """Data URLs that have to be kept, by sha256."""
    notices: list[Notice]


def find_images(text: str) -> list[Image]:
    """The images of a text, outside of code, in order. Pure and linear."""
    images: list[Image] = []
    if "![" not in text:
        return images
    brackets = match_brackets(text, "[]", within=r"\n[ \t]*\r?\n")
    parentheses = match_brackets(text, "()")
    scanner = Scanner(text, r"!\[")
    while found := scanner.next():
        start = found.start()
        opening = brackets.get(start + 1, -2) + 1
        if opening < 0 or not text.startswith("(", opening):
            continue
        if angled := _ANGLED.match(text, opening):
            target, end = angled[1], angled.end()
        elif opening in parentheses:
            end = parentheses[opening] + 1
            target = _TITLE.sub("", text[opening + 1 : end - 1])
        else:
            continue
        if target.strip():
            images.append(Image(start, end, text[start + 2 : opening - 1], target.strip()))
            scanner.skip(end)
    return images


async def load_images(
    text: str, load: LoadFile, attachments: Attachments | None = None
) -> LoadedImages:
    """Read the images of a prompt. One that cannot be sent stays text, and a notice says why."""
    records: list[dict[str, Any]] = []
    blobs: dict[str, str] = {}
    notices = []
    for number, image in enumerate(await run_in_thread_if_long(text, find_images, text)):
        record: dict[str, Any] = {"key": image.name}
        records.append(record)
        if image.remote:
            continue
        try:
            if number >= MAX_IMAGES:
                raise SourceError(f"a prompt brings at most {MAX_IMAGES} images")
            data = await _bytes_of(image, load, attachments or {})
            picture = await encode_image(data)
        except (SourceError, ImageError) as error:
            words = f"The image {image.name} is not sent: {str(error).rstrip('.')}."
            notices.append(Notice(words, "warning"))
            continue
        digest = sha256(picture.url.encode()).hexdigest()
        record |= {"sha256": digest, "width": picture.width, "height": picture.height}
        blobs[digest] = picture.url
    return LoadedImages(records, blobs, notices)


def image_content(
    text: str, records: Sequence[Any], load: LoadText, *, vision: bool = True
) -> str | list[Part]:
    """A prompt's content: its text, or text and images in the order of the text. Pure.

    Args:
        records: `Loaded.records`, as saved with the turn, so anything may be odd.
        load: Gives the data URLs.
        vision: Whether the model sees; else it gets a line of text for each image.

    Returns: Parts only if there are images to send. What is no image stays as written; parts of
        nothing but white space are left out, since servers refuse them.
    """
    parts: list[Part] = []
    done = 0
    words = ""
    count = 0
    for image, record in zip(find_images(text), records, strict=False):
        url = _url(image, record, load) if count < MAX_IMAGES or image.remote else None
        if url is None:
            continue
        count += not image.remote
        words += text[done : image.start]
        done = image.end
        if not vision:
            words += _described(image, record)
            continue
        parts += [{"type": "text", "text": words}] if words.strip() else []
        parts.append({"type": "image_url", "image_url": {"url": url, "detail": "auto"}})
        words = ""
    words += text[done:]
    if not parts:
        return words
    return [*parts, {"type": "text", "text": words}] if words.strip() else parts


def _url(image: Image, record: Any, load: LoadText) -> str | None:
    """What is sent for an image; None when it stays text."""
    if image.remote:
        return image.target
    digest = record.get("sha256") if isinstance(record, dict) else None
    url = load(digest) if isinstance(digest, str) else None
    # The record may name any text that is kept, and a server may follow a URL anywhere.
    return url if url is not None and url.startswith("data:image/") else None


def _described(image: Image, record: Any) -> str:
    sides = [record.get(key) for key in ("width", "height")] if isinstance(record, dict) else []
    size = "x".join(str(side) for side in sides if isinstance(side, int))
    said = (one_line(image.alt, 500), size, image.name)
    return f"[image: {', '.join(word for word in said if word)}]"


async def _bytes_of(image: Image, load: LoadFile, attachments: Attachments) -> bytes:
    scheme, _, rest = image.target.partition(":")
    if scheme.lower() == "data":
        return _data(image.target)
    if scheme.lower() == "attachment":
        return _attached(rest, attachments)
    path = unquote(urlsplit(image.target).path) if scheme.lower() == "file" else image.target
    try:
        return await load(path, SOURCE_LIMIT)
    except SourceError:
        # Editors write blanks in links as %20; a file may be named so, too.
        if unquote(path) == path:
            raise
    return await load(unquote(path), SOURCE_LIMIT)


def _data(url: str) -> bytes:
    found = _DATA.match(url)
    if found is None:
        raise SourceError("expected data:image/png;base64,...")
    return _decoded(found[3])


def _attached(name: str, attachments: Attachments) -> bytes:
    bundle = attachments.get(name, attachments.get(unquote(name)))
    if not isinstance(bundle, Mapping):
        raise SourceError("the cell has no such attachment")
    for mime, data in bundle.items():
        if str(mime).startswith("image/"):
            lines = data if isinstance(data, list) else [data]
            return _decoded("".join(map(str, lines)))
    raise SourceError("the attachment is no image")


def _decoded(text: str) -> bytes:
    if len(text) > SOURCE_LIMIT * 4 // 3 + 4:
        raise SourceError(f"it has more than {SOURCE_LIMIT:,} bytes")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SourceError(f"its data is no BASE64: {error}") from None
