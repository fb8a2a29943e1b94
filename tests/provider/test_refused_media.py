"""Pictures and documents that servers refuse: what is left out in their place."""

from __future__ import annotations

import pytest
from refused import OPTIONS, PICTURE, READ, SEEN, adapted, error, find_adaptation, refusal

from msgbook.messages import IMAGE, assistant, document_part, tool_call, tool_result, user
from msgbook.provider import Request
from msgbook.provider.request_quirks import DOCUMENTS, find_adaptations


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Invalid content type. image_url is only supported by certain models.")),
        (400, error("this model does not support image input (ref: b8bd630e-4a39)")),
        (400, error("Model do not support image input.\nRequest id: 0217888")),
        (400, error("Model does not support images. Please use a model that does.")),
        (400, {"object": "error", "message": "Qwen/Qwen3-8B is not a multimodal model"}),
        (400, {"object": "error", "message": "At most 0 image(s) may be provided in one prompt."}),
        (
            400,
            error(
                "Failed to deserialize the JSON body into the target type: messages[1]: unknown "
                "variant `image_url`, expected `text` at line 1 column 261"
            ),
        ),
        (404, error("No endpoints found that support image input", code=404)),
        (415, "Unsupported media type: image/png"),
        (422, {"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "value is not a valid string"}]}),
        (400, error("'messages.1' : 'messages.1.content' : value must be a string")),
        (400, error("Non-text content requires multimodal endpoint")),
        (500, error("image input is not supported - hint: you may need to provide the mmproj")),
        (500, 'Unsupported content part type: "image_url"; messages = [{"url": "data:;base64,AA'),
        (500, error("this model is missing data required for image input")),
    ],
)  # fmt: skip
def test_a_model_that_cannot_see_is_sent_a_word_for_each_image(status, body):
    request = Request("m", [user("hi"), SEEN, assistant("a cat")])

    changed = adapted(status, body, request)

    assert changed.messages == [user("hi"), user(f"what is this?\n{IMAGE}"), assistant("a cat")]
    assert request.messages[1] == SEEN


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Too many images in request: 120, at most 100 are allowed")),
        (400, error("prompt is too long: 210000 tokens, images included")),
        (400, error("This model's maximum context length is 8192 tokens; your images take 9000.")),
        (400, error("Invalid value for 'tools'")),
        (500, error("Internal error while the image was processed")),
        (500, None),
    ],
)  # fmt: skip
def test_other_words_about_images_take_none_away(status, body):
    assert adapted(status, body, Request("m", [SEEN])) is None


def test_a_refusal_of_images_of_tools_leaves_those_of_the_user():
    body = error(
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this "
        "message with role 'tool' contains an image URL."
    )
    call = assistant(None, [tool_call("c", "plot", "{}")])
    request = Request("m", [SEEN, call, tool_result("c", [PICTURE])])

    changed = adapted(400, body, request)

    assert changed.messages == [SEEN, call, tool_result("c", IMAGE)]


@pytest.mark.parametrize(
    "message",
    [
        "Invalid image data",
        "Could not process image",
        "messages.1.content.1.image.source.base64: The image was specified using image/jpeg but appears to be image/png",
        "messages.1.content.1.type: Input should be 'text'",
        "messages.7.content.0.image.source.base64.media_type: Input should be 'image/jpeg'",
        "You uploaded an unsupported image. Please make sure your image is valid.",
        "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        "Failed to download image from https://example.org/a.png",
        "Your input image may contain content that is not allowed by our safety system",
        "图片格式不正确",
    ],
)
def test_one_image_that_is_refused_is_left_out_alone(message):
    older = user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,OLD"}}])

    found = find_adaptation(refusal(400, error(message)), Request("m", [older, SEEN]))

    assert found.change(Request("m", [older, SEEN])).messages[0] == older
    assert PICTURE not in found.change(Request("m", [older, SEEN])).messages[1]["content"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Invalid value: 'file'. This model does not support file content types.")),
        (400, error("Invalid type for 'messages[0].content[1]': unknown part type: file")),
        (400, error("Invalid value: 'input_file'. Supported values are: 'input_text' and 'input_image'.")),
        (404, error("No endpoints found that support file input", code=404)),
        (422, {"detail": [{"loc": ["content", 1], "msg": "Input should be 'text' or 'image_url'", "input": "file"}]}),
        (400, error("this server does not accept pdf documents")),
        (400, error("This model does not support PDFs.")),
        (400, error("Failed to parse the request: unknown variant `file`, expected `text` or `image_url`")),
        (400, error("messages.1.content.1.type: Input should be 'text'")),
        (400, error("messages[1].content must be a string")),
        (415, error("Unsupported file type: application/pdf")),
        (400, error("不支持 PDF 文档")),
        (500, error("unsupported content[].type")),
    ],
)  # fmt: skip
def test_a_model_that_takes_no_documents_is_sent_their_names(status, body):
    request = Request("m", [user("hi"), READ, SEEN])

    changed = adapted(status, body, request)

    assert changed.messages == [user("hi"), user("read\n[document: a.pdf]"), SEEN]


OLDER = user(
    [{"type": "text", "text": "first"}, document_part("b.pdf", "data:application/pdf;base64,BB==")]
)


@pytest.mark.parametrize(
    "said",
    [
        "The PDF file is too large",
        "Unsupported file: the document has more than 100 pages",
        "This model does not support PDF files with more than 100 pages",
        "the document is encrypted, which is not supported",
        "The file a.pdf exceeds the maximum size",
        "a.pdf: unsupported document, the file could not be read",
        "Invalid file data: PDF is not supported",
        "messages.1.content.1.source.base64: the document was specified using application/pdf but is text",
        "messages[1].content[1].file.file_data: Expected a base64-encoded data URL",
        "messages.1.content.1: 格式错误",
        "input[1].content[1]: bad",
        "文档已加密",
    ],
)
def test_one_document_that_is_refused_is_left_out_alone(said):
    request = Request("m", [OLDER, READ, SEEN])

    found = find_adaptation(refusal(400, error(said)), request)

    assert found.change(request).messages == [OLDER, user("read\n[document: a.pdf]"), SEEN]
    assert "a.pdf (sha256 " in found.notice("m", "p")
    assert "documents = false in [providers.p]" in found.notice("m", "p")


def test_a_document_is_found_by_its_name_and_is_another_one_once_it_has_changed():
    request = Request("m", [OLDER, READ])
    found = find_adaptation(refusal(400, error("The file b.pdf is corrupt")), request)
    mended = user([document_part("b.pdf", "data:application/pdf;base64,CC==")])

    assert found.change(request).messages == [user("first\n[document: b.pdf]"), READ]
    assert not found.concerns(Request("m", [mended]))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "temperature: unsupported value"),
        (400, "Invalid image file"),
        (500, "The file server is not available"),
    ],
)
def test_words_about_something_else_leave_documents_in_place(status, said):
    request = Request("m", [READ, SEEN], options=OPTIONS)

    for found in find_adaptations(refusal(status, error(said)), request):
        assert found.row is not DOCUMENTS
