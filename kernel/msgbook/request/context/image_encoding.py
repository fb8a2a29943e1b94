"""Images encoded for a model: upright, not too large, checked for damage. Only user of Pillow."""

from __future__ import annotations

import asyncio
import importlib
import io
import warnings
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from msgbook.errors import MsgbookError
from msgbook.images import IMAGE_LIMIT, IMAGE_TYPES, data_url
from msgbook.installed import without_working_directory

if TYPE_CHECKING:
    from PIL import Image

LONGER_SIDE = 2048
"""Pixels; models scale larger images down themselves."""
LOW_SIDE = 512
"""Pixels with `detail: low`. Servers that do not know `detail` then need few tokens, too."""
PIXELS = 50_000_000
"""Pixels of an image that is decoded: a small file may claim any number."""

ALL_PIXELS = 100_000_000
"""Pixels that are decoded for one request, which take about 8 s: twenty images that are sent as they are have 84 million."""
_DRAFT = 0.9
"""Part of the longer side that a JPEG must keep when it is decoded smaller, which takes a fraction of the time:
photographs of 4032 pixels lose little by half."""

_FORMATS = tuple(mime.removeprefix("image/").upper() for mime in IMAGE_TYPES)
_JPEG_ORIENTATION = 0x0112
"""Number of the EXIF tag: a camera's picture is turned before it is sent."""


class ImageError(MsgbookError):
    """An image that cannot be sent; the message says why."""


class EncodedImage(NamedTuple):
    """An image as it is sent."""

    url: str
    """A `data:` URL."""
    width: int
    height: int
    """In pixels."""


class PixelBudget:
    """The pixels that may still be decoded for a request."""

    def __init__(self, left: int = ALL_PIXELS) -> None:
        self._left = left

    def take(self, pixels: int) -> None:
        """Count an image. Raises `ImageError` if it is too much, without counting it."""
        if pixels > self._left:
            raise ImageError(
                f"the images of a request may have {ALL_PIXELS:,} pixels together, and it would be more"
            )
        self._left -= pixels


async def encode_image(data: bytes, pixels: PixelBudget, *, low: bool = False) -> EncodedImage:
    """Encode an image so that it can be sent. One that can be sent as it is stays unchanged.

    Args:
        pixels: Shared by the images of a request.
        low: Make the image no larger than a model looks at with `detail: low`.

    Raises:
        ImageError: Models do not accept its type, or it is broken or too large.
    """
    side = LOW_SIDE if low else LONGER_SIDE
    return await asyncio.to_thread(_encode, data, side, pixels)


@cache
def _import_pillow() -> None:
    """Import Pillow late, because the kernel starts without it."""
    with without_working_directory():
        importlib.import_module("PIL.Image")


def _encode(data: bytes, longer_side: int, pixels: PixelBudget) -> EncodedImage:
    _import_pillow()
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # PIXELS refuses these images anyway; nothing should be printed.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(data), formats=_FORMATS)
        with opened as image:
            if image.width * image.height > PIXELS:
                raise ImageError(_too_many(f"{image.width}x{image.height}"))
            kind, fits = (image.format or "").lower(), _fits(image, data, longer_side)
            if not fits:
                # Only a JPEG can be decoded smaller.
                part = _DRAFT * longer_side / max(image.size)
                image.draft(None, (int(image.width * part), int(image.height * part)))
            pixels.take(image.width * image.height)
            image.load()
            return _result(data, kind, image) if fits else _fit(image, kind, longer_side)
    except ImageError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageError(_too_many("the image")) from None
    except UnidentifiedImageError:
        raise ImageError("it is not a PNG, JPEG, GIF or WebP image") from None
    except Exception as error:  # Pillow's decoders raise any exception on a broken file
        raise ImageError(f"the image is broken: {error or type(error).__name__}") from None


def _fit(image: Image.Image, kind: str, longer_side: int) -> EncodedImage:
    """Return the image upright, scaled down and encoded again."""
    from PIL import ImageOps

    # An animation is reduced to its first frame. Turned last, when it is small: each step is a copy.
    small: Image.Image = image
    if small.mode in ("P", "1", "LA", "PA"):
        small = small.convert("RGBA" if _is_transparent(small) else "RGB")
    small.thumbnail((longer_side, longer_side))
    fitted = ImageOps.exif_transpose(small)
    if kind != "jpeg":
        encoded = _save(fitted, "PNG")
        if len(encoded) <= IMAGE_LIMIT:
            return _result(encoded, "png", fitted)
    encoded = _save(_make_opaque(fitted), "JPEG", quality=90)
    if len(encoded) > IMAGE_LIMIT:
        raise ImageError(f"it has {len(encoded):,} bytes; the limit is {IMAGE_LIMIT:,}")
    return _result(encoded, "jpeg", fitted)


def _fits(image: Image.Image, data: bytes, longer_side: int) -> bool:
    """Return whether an image can be sent as it is."""
    upright = image.getexif().get(_JPEG_ORIENTATION, 1) == 1
    return upright and max(image.size) <= longer_side and len(data) <= IMAGE_LIMIT


def _save(image: Image.Image, kind: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _make_opaque(image: Image.Image) -> Image.Image:
    """Return the image on white, in a mode that JPEG supports."""
    from PIL import Image

    if not _is_transparent(image):
        return image.convert("RGB")
    ground = Image.new("RGB", image.size, "white")
    layer = image.convert("RGBA")
    ground.paste(layer, mask=layer)
    return ground


def _is_transparent(image: Image.Image) -> bool:
    return "A" in image.mode or "transparency" in image.info


def _result(data: bytes, kind: str, image: Image.Image) -> EncodedImage:
    return EncodedImage(data_url(f"image/{kind}", data), image.width, image.height)


def _too_many(what: str) -> str:
    return f"{what} has more than {PIXELS:,} pixels"
