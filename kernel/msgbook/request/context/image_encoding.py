"""A picture made fit for a model: upright, not too large, known to be whole. Only user of Pillow."""

from __future__ import annotations

import asyncio
import io
import warnings
from typing import TYPE_CHECKING, NamedTuple

from msgbook.errors import MsgbookError
from msgbook.images import IMAGE_LIMIT, IMAGE_TYPES, data_url

if TYPE_CHECKING:
    from PIL import Image

LONGER_SIDE = 2048
"""Pixels; models make larger pictures smaller themselves."""
PIXELS = 50_000_000
"""Pixels that are decoded at most: a small file may claim any number."""

_FORMATS = tuple(mime.removeprefix("image/").upper() for mime in IMAGE_TYPES)
_JPEG_ORIENTATION = 0x0112


class ImageError(MsgbookError):
    """A picture that cannot be sent; the message says why."""


class EncodedImage(NamedTuple):
    url: str
    """A `data:` URL."""
    width: int
    height: int
    """In pixels."""


async def encode_image(data: bytes) -> EncodedImage:
    """Make a picture fit to be sent; one that is fit already is sent as it is.

    Raises:
        PictureError: It is none that models take, is broken, or is too large.
    """
    return await asyncio.to_thread(_prepared, data)


def _prepared(data: bytes) -> EncodedImage:
    # Imported here: the kernel starts without it.
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # Raised for what PIXELS refuses anyway; it should not be printed.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(data), formats=_FORMATS)
        with opened as image:
            if image.width * image.height > PIXELS:
                raise ImageError(_too_many(f"{image.width}x{image.height}"))
            image.load()
            return _fitted(image, data)
    except ImageError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise ImageError(_too_many("the picture")) from None
    except UnidentifiedImageError:
        raise ImageError("it is no PNG, JPEG, GIF or WebP") from None
    except Exception as error:  # Pillow's decoders raise whatever a broken file leads them to
        raise ImageError(f"the picture is broken: {error or type(error).__name__}") from None


def _fitted(image: Image.Image, data: bytes) -> EncodedImage:
    """The picture as it is if that will do, else upright, smaller and encoded anew."""
    from PIL import ImageOps

    kind = (image.format or "").lower()
    upright = image.getexif().get(_JPEG_ORIENTATION, 1) == 1
    if upright and max(image.size) <= LONGER_SIDE and len(data) <= IMAGE_LIMIT:
        return _picture(data, kind, image)
    # Of an animation the first frame.
    fitted = ImageOps.exif_transpose(image)
    if fitted.mode in ("P", "1", "LA", "PA"):
        fitted = fitted.convert("RGBA" if _is_transparent(fitted) else "RGB")
    fitted.thumbnail((LONGER_SIDE, LONGER_SIDE))
    if kind != "jpeg":
        encoded = _encoded(fitted, "PNG")
        if len(encoded) <= IMAGE_LIMIT:
            return _picture(encoded, "png", fitted)
    encoded = _encoded(_opaque(fitted), "JPEG", quality=90)
    if len(encoded) > IMAGE_LIMIT:
        raise ImageError(f"it has {len(encoded):,} bytes; the limit is {IMAGE_LIMIT:,}")
    return _picture(encoded, "jpeg", fitted)


def _encoded(image: Image.Image, kind: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _opaque(image: Image.Image) -> Image.Image:
    """The picture on white, in the colours that JPEG has."""
    from PIL import Image

    if not _is_transparent(image):
        return image.convert("RGB")
    ground = Image.new("RGB", image.size, "white")
    layer = image.convert("RGBA")
    ground.paste(layer, mask=layer)
    return ground


def _is_transparent(image: Image.Image) -> bool:
    return "A" in image.mode or "transparency" in image.info


def _picture(data: bytes, kind: str, image: Image.Image) -> EncodedImage:
    return EncodedImage(data_url(f"image/{kind}", data), image.width, image.height)


def _too_many(what: str) -> str:
    return f"{what} has more than {PIXELS:,} pixels"
