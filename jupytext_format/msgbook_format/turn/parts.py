"""Parts of a tool result's content, as files hold them: values may be of any type."""

from __future__ import annotations

from typing import Any


def image_url(part: Any) -> str | None:
    """Return the URL of a part that is an image; None if it is no image.

    Its type is `image_url` (seed 001) or `image` (seed 000). Of both, the key `image_url` holds an
    object with the `url`, or the URL itself.
    """
    if not isinstance(part, dict) or part.get("type") not in ("image_url", "image"):
        return None
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return url if isinstance(url, str) and url else None
