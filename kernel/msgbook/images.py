"""The image types and limits of messages. Standard library only: the worker of the file tools imports it."""

from __future__ import annotations

import base64

from msgbook_format.picture_types import IMAGE_TYPES, image_type

__all__ = [
    "IMAGE_LIMIT",
    "IMAGE_TYPES",
    "MAX_IMAGES",
    "OUTPUT_IMAGE_TYPES",
    "data_url",
    "image_type",
]

OUTPUT_IMAGE_TYPES = ("image/png", "image/jpeg")
"""Images of outputs and of function results that are sent; other images are only named."""

IMAGE_LIMIT = 5_000_000
"""Bytes of an image that is sent: the limit of common model servers."""

MAX_IMAGES = 20
"""Images that are sent of one prompt, of one cell's outputs, or of one Python result."""


def data_url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
