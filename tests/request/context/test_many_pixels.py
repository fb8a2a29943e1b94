"""Pictures of a request are decoded one by one, and only so many pixels of them together."""

from __future__ import annotations

import asyncio
import io

import pytest
from PIL import Image

from msgbook.request.context.image_encoding import (
    ALL_PIXELS,
    LONGER_SIDE,
    ImageError,
    PixelBudget,
    encode_image,
)
from msgbook.request.context.images import load_images


def picture(width: int, height: int, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (width, height)).save(buffer, kind)
    return buffer.getvalue()


def loaded(text, files, pixels):
    async def load(path, _limit):
        return files[path]

    return asyncio.run(load_images(text, load, pixels=pixels))


def test_what_is_beyond_all_pixels_of_a_request_is_left_out_and_said():
    files = {"a.png": picture(100, 100), "b.png": picture(200, 100), "c.png": picture(50, 100)}
    found = loaded("![](a.png) ![](b.png) ![](c.png)", files, PixelBudget(20_000))

    assert ["sha256" in record for record in found.records] == [True, False, True]
    [notice] = found.notices
    assert "The image b.png is not sent: the images of a request may have" in notice.text


def test_the_prompts_of_a_request_share_its_pixels():
    pixels = PixelBudget(15_000)
    files = {"a.png": picture(100, 100)}

    assert not loaded("![](a.png)", files, pixels).notices
    assert loaded("![](a.png)", files, pixels).notices


def test_an_image_that_is_too_much_costs_nothing():
    pixels = PixelBudget(20_000)
    with pytest.raises(ImageError):
        asyncio.run(encode_image(picture(200, 200), pixels))

    assert asyncio.run(encode_image(picture(200, 100), pixels)).width == 200


@pytest.mark.parametrize("size", [(4032, 3024), (3024, 4032), (8064, 6048), (5000, 800)])
def test_a_photograph_is_decoded_smaller_and_stays_large_enough(size):
    pixels = PixelBudget(size[0] * size[1] // 3)

    encoded = asyncio.run(encode_image(picture(*size, "JPEG"), pixels))

    assert 0.9 * LONGER_SIDE <= max(encoded.width, encoded.height) <= LONGER_SIDE
    assert encoded.width / encoded.height == pytest.approx(size[0] / size[1], abs=0.01)


def test_twenty_photographs_of_a_telephone_are_sent():
    files = {"a.jpg": picture(4032, 3024, "JPEG")}

    assert not loaded("![](a.jpg) " * 20, files, PixelBudget(ALL_PIXELS)).notices
