"""What servers say about images: as such, one of several, too many, too large, forbidden."""

from __future__ import annotations

import pytest
from refused import SEEN, error, refusal

from msgbook.config import ProviderSettings
from msgbook.messages import IMAGE, user
from msgbook.provider import Request
from msgbook.provider.failures import Failures
from msgbook.provider.refused_elements import image_keys
from msgbook.provider.request_quirks import find_adaptations


def picture(name: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{name}"}}


THREE = Request("m", [user([picture(name)]) for name in ("AA", "BB", "CC")])
KEYS = image_keys(THREE)


def left(status: int, body: object, request: Request = THREE) -> list[str]:
    """Return the images that are still sent after the first adaptation."""
    found = next(find_adaptations(refusal(status, body), request))
    return image_keys(found.change(request))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("model 'command-r' does not support visual inputs")),
        (400, error("messages.content.type 参数非法,取值范围 ['text']")),
        (400, error("Attachments of type photo are not enabled for this key")),
        (500, error("Internal error: clip model has no vision encoder")),
        (500, error("the model was loaded without vision tower; image cannot be used")),
        (400, error("Dieses Modell nimmt keine Bilder an.")),
        (400, error("This model does not accept pictures.")),
    ],
)
def test_a_model_without_eyes_gets_no_image(status, body):
    assert left(status, body) == []
    assert left(status, body, Request("m", [SEEN])) == []


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Provided image is not valid."),
        (400, "The image is invalid."),
        (400, "One of your pictures are not valid"),
        (400, "Das Bild ist beschädigt."),
        (400, "L'image est endommagée"),
        (400, "The image length and width do not meet the model restrictions."),
        (400, "image aspect ratio must be below 200"),
        (403, "Image flagged by moderation"),
    ],
)
def test_one_bad_image_is_left_out_and_the_others_stay(status, message):
    assert left(status, error(message)) == KEYS[:2]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 3 image items in the same prompt.", 2),
        ("Too many images and documents are in the request. Max allowed is 2.", 2),
        ("image count of 3 exceeds the limit; request contains 3 images, maximum 2", 2),
        ("Too many images provided. This model supports up to 2 images", 2),
        ("At most 1 image(s) may be provided in one prompt.", 1),
        ("Requests with more than 2 images are refused", 2),
        ("Too many images.", 1),
    ],
)  # fmt: skip
def test_of_too_many_images_the_newest_stay(message, kept):
    assert left(400, error(message)) == KEYS[-kept:]


def advice(status: int, body: object) -> str:
    made = Failures(ProviderSettings("p"), ()).from_status("E", status, {}, body, "m")
    return made.advice


def test_content_that_a_policy_forbids_is_no_matter_of_the_key():
    assert "key" not in advice(403, error("Image flagged by moderation"))
    assert "history=exclude" in advice(403, error("Your prompt was flagged", code="content_policy"))
    assert "Check" in advice(403, error("Forbidden"))


@pytest.mark.parametrize("body", [error("Request Entity Too Large"), "<html>413</html>", None])
def test_a_request_that_is_too_large_may_be_so_by_its_images(body):
    assert "Images and documents" in advice(413, body)
    assert IMAGE not in advice(413, body)
