"""Markdown images in prompts."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import struct
import warnings
import zlib
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from msgbook.request.context.image_encoding import (
    LONGER_SIDE,
    ImageError,
    PixelBudget,
    encode_image,
)
from msgbook.request.context.images import LoadedImages, image_content, load_images
from msgbook.request.context.sources import SourceError
from msgbook.request.context.tags import find_images


def encoded(size: tuple[int, int] = (3, 2), kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, kind, **options)
    return buffer.getvalue()


def url_of(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def image_of(url: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def loaded(text: str, files: dict[str, bytes], attachments: Any = None) -> LoadedImages:
    async def load(path: str, limit: int) -> bytes:
        if path not in files:
            raise SourceError(f"{path}: no such file")
        return files[path]

    return asyncio.run(load_images(text, load, attachments, pixels=PixelBudget()))


def content(text: str, files: dict[str, bytes], attachments: Any = None, **options: bool) -> Any:
    found = loaded(text, files, attachments)
    return image_content(text, json.loads(json.dumps(found.records)), found.blobs.get, **options)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("![](a.png)", "a.png"),
        ("![alt [x]](a.png)", "a.png"),
        ("![](my file.png)", "my file.png"),
        ("![](<my file (1.png>)", "my file (1.png"),
        ("![](file (1).png)", "file (1).png"),
        ('![](a.png "a title")', "a.png"),
        ("![](a b.png 'a title')", "a b.png"),
        ("![](<a.png> 'x')", "a.png"),
        ("![](< a.png>)", " a.png"),
        ("![]( a.png )", "a.png"),
        ("[![x](a.png)](https://a.b)", "a.png"),
        ("`x` ![](a.png) `", "a.png"),
    ],
)
def test_images_of_a_text(text: str, target: str) -> None:
    assert [image.target for image in find_images(text)] == [target]


@pytest.mark.parametrize(
    "text",
    [
        "`![](a.png)`",
        "```\n![](a.png)\n```",
        "\\![](a.png)",
        "![](a.png",
        "![]()",
        "![x]",
        "![x][y]",
    ],
)
def test_what_is_no_image_is_text(text: str) -> None:
    assert content(text, {"a.png": encoded()}) == text


def test_parts_are_in_the_order_of_the_text() -> None:
    text = "Compare\n![one](a.png) with ![two](b.png)."
    files = {"a.png": encoded((1, 1)), "b.png": encoded((2, 2))}

    assert content(text, files) == [
        {"type": "text", "text": "Compare\n"},
        {"type": "image_url", "image_url": {"url": url_of(files["a.png"]), "detail": "auto"}},
        {"type": "text", "text": " with "},
        {"type": "image_url", "image_url": {"url": url_of(files["b.png"]), "detail": "auto"}},
        {"type": "text", "text": "."},
    ]


def test_parts_of_white_space_are_left_out() -> None:
    assert [
        part["type"] for part in content("\n![](a.png)\n\n![](a.png)\n", {"a.png": encoded()})
    ] == [
        "image_url",
        "image_url",
    ]


def test_a_model_without_vision_gets_a_line_for_each_image() -> None:
    text = "See ![a chart](my%20chart.png)! And ![x](https://a.b/c.png)"

    words = content(text, {"my chart.png": encoded((30, 20))}, vision=False)

    assert words == "See [image: a chart, 30x20, my%20chart.png]! And [image: x, https://a.b/c.png]"


@pytest.mark.parametrize(
    ("title", "detail"),
    [
        ('"detail=low"', "low"),
        ("'detail=high'", "high"),
        ('"A cat, detail=high"', "high"),
        ('"A cat detail=low "', "low"),
        ('"detail=auto"', "auto"),
        ('"detail=low or not"', "auto"),
        ('"nodetail=low"', "auto"),
        ('"A cat"', "auto"),
    ],
)
@pytest.mark.parametrize(
    "target", ["a.png", "<a.png>", "attachment:a.png", "https://a.b/c.png", "data"]
)
def test_the_title_of_an_image_can_ask_for_a_detail(target: str, title: str, detail: str) -> None:
    target = url_of(encoded()) if target == "data" else target
    attached = {"a.png": {"image/png": base64.b64encode(encoded()).decode()}}
    text = f"![x]({target} {title})"

    [part] = content(text, {"a.png": encoded()}, attached)

    assert part["image_url"]["detail"] == detail
    assert loaded(text, {"a.png": encoded()}, attached).notices == []


@pytest.mark.parametrize("target", ["a.png", "https://a.b/c.png"])
def test_an_unknown_detail_is_auto_and_a_notice_says_what_is_expected(target: str) -> None:
    text = f'![x]({target} "detail=medium")'

    [part] = content(text, {"a.png": encoded()})
    [notice] = loaded(text, {"a.png": encoded()}).notices

    assert part["image_url"]["detail"] == "auto"
    assert "low, high, auto" in notice.text
    assert "detail=medium" in notice.text


def test_an_image_of_low_detail_is_made_no_larger_than_a_model_looks_at() -> None:
    files = {"large.png": encoded((1000, 700)), "small.png": encoded((500, 300))}

    [large, small] = content('![](large.png "detail=low")![](small.png "detail=low")', files)

    assert image_of(large["image_url"]["url"]).size == (512, 358)
    assert small["image_url"]["url"] == url_of(files["small.png"])


def test_urls_of_the_web_pass() -> None:
    found = loaded("![](https://a.b/c.png)", {})

    assert found == ([{"key": "https://a.b/c.png"}], {}, [])
    assert content("![](https://a.b/c.png)", {}) == [
        {"type": "image_url", "image_url": {"url": "https://a.b/c.png", "detail": "auto"}}
    ]


def test_attachments_data_and_file_urls_are_images() -> None:
    data = encoded()
    attachments = {"my image.png": {"image/png": base64.b64encode(data).decode()}}
    text = f"![](attachment:my%20image.png)![]({url_of(data)})![](file:///w/my%20chart.png)"

    parts = content(text, {"/w/my chart.png": data}, attachments)

    assert [part["image_url"]["url"] for part in parts] == [url_of(data)] * 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("![](none.png)", "no such file"),
        ("![](broken.png)", "broken"),
        ("![](a.svg)", "not a PNG, JPEG, GIF or WebP"),
        ("![](bomb.png)", "pixels"),
        ("![](attachment:none.png)", "no such attachment"),
        ("![](attachment:odd.png)", "not Base64"),
        ("![](data:image/png;base64,???)", "not Base64"),
        ("![](data:text/plain,x)", "expected data:"),
    ],
)
def test_an_image_that_cannot_be_sent_stays_text_with_a_notice(text: str, reason: str) -> None:
    files = {"broken.png": encoded((50, 50))[:-30], "a.svg": b"<svg/>", "bomb.png": bomb()}
    found = loaded(text, files, {"odd.png": {"image/png": [1, 2]}})

    assert reason in found.notices[0].text
    assert image_content(text, found.records, found.blobs.get) == text


def bomb() -> bytes:
    """A small file that claims to be an enormous picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_an_image_that_fits_is_sent_unchanged(kind: str) -> None:
    data = encoded((30, 20), kind)

    assert asyncio.run(encode_image(data, PixelBudget())) == (
        url_of(data, f"image/{kind.lower()}"),
        30,
        20,
    )


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_large_image_is_scaled_down(kind: str) -> None:
    picture = asyncio.run(
        encode_image(encoded((3 * LONGER_SIDE, LONGER_SIDE), kind), PixelBudget())
    )

    assert picture.width == LONGER_SIDE
    assert image_of(picture.url).size == (picture.width, picture.height)


def test_a_photo_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6

    picture = asyncio.run(
        encode_image(encoded((30, 20), "JPEG", exif=exif.tobytes()), PixelBudget())
    )

    assert (picture.width, picture.height) == (20, 30)
    assert image_of(picture.url).size == (20, 30)


def test_the_same_image_gives_the_same_bytes() -> None:
    data = encoded((3000, 10))

    assert asyncio.run(encode_image(data, PixelBudget())) == asyncio.run(
        encode_image(data, PixelBudget())
    )


def test_an_image_with_a_palette_keeps_its_transparency() -> None:
    image = Image.new("P", (3000, 10))
    buffer = io.BytesIO()
    image.save(buffer, "PNG", transparency=0)

    shown = image_of(asyncio.run(encode_image(buffer.getvalue(), PixelBudget())).url)

    assert shown.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]


def test_an_animation_that_is_too_large_becomes_its_first_frame() -> None:
    frames = [Image.new("RGB", (3000, 10), colour) for colour in ("red", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])

    shown = image_of(asyncio.run(encode_image(buffer.getvalue(), PixelBudget())).url)

    assert shown.format == "PNG"
    assert shown.convert("RGB").getpixel((0, 0)) == (255, 0, 0)


def test_what_was_sent_is_sent_again_whatever_became_of_the_file() -> None:
    text = "![](a.png) ![](none.png)"
    found = loaded(text, {"a.png": encoded()})
    records = json.loads(json.dumps(found.records, sort_keys=True))

    assert image_content(text, records, found.blobs.get) == image_content(
        text, found.records, found.blobs.get
    )
    assert [set(record) for record in records] == [{"key", "sha256", "width", "height"}, {"key"}]


@pytest.mark.parametrize("records", [[], [3], [{}], [{"sha256": 3}], [{"sha256": "gone"}]])
def test_records_of_missing_texts_leave_the_text(records: list[Any]) -> None:
    assert image_content("![](a.png)", records, lambda digest: None) == "![](a.png)"


pieces = st.lists(
    st.sampled_from(["![", "](", ")", "(", "<", ">", "]", "`", "\n", "a", " ", '"', "data:,"])
).map("".join)


@given(st.one_of(st.text(), pieces))
def test_images_never_overlap_and_the_text_between_them_is_kept(text: str) -> None:
    images = find_images(text)
    seen = image_content(text, [{}] * len(images), lambda digest: None, vision=False)

    assert all(a.end <= b.start for a, b in pairwise(images))
    assert all(text.startswith("![", image.start) for image in images)
    assert any(image.is_remote for image in images) or seen == text


@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]), st.data())
def test_a_broken_image_is_sent_or_refused_with_a_reason(kind: str, data: Any) -> None:
    broken = bytearray(encoded((20, 20), kind))
    for _ in range(data.draw(st.integers(1, 5))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            picture = asyncio.run(encode_image(bytes(broken), PixelBudget()))
        except ImageError as error:
            assert str(error)  # noqa: PT017
        else:
            assert picture.url.startswith("data:image/")


@pytest.mark.parametrize("piece", ["![", "![](", "![](<", "![a](b", "]("])
def test_hostile_texts_take_time_that_grows_with_their_length(piece: str) -> None:
    """With the square of it this would take hours, and the test run would end it."""
    find_images(piece * 30_000)
