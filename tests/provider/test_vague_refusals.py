"""Refusals that do not tell what is refused: the error names what may be the cause."""

from __future__ import annotations

import pytest
from refused import SEEN, TOOL, error, refusal

from msgbook.messages import document_part, user
from msgbook.provider import Request
from msgbook.provider.request_quirks import find_remedy

FOREIGN = {"type": "function", "function": {"name": "mcp__cal__create_event", "parameters": {}}}
DOCUMENT = user([document_part("a.pdf", "data:application/pdf;base64,AA==")])
TEXT = Request("m", [user("hi")], [TOOL])
VAGUE = [
    (400, error("Request contains an invalid argument.")),
    (400, error("Bad request")),
    (400, error("Invalid request")),
    (400, error("Param Incorrect")),
    (400, {"code": "x", "error": "Client specified an invalid argument"}),
    (400, error("Provider returned error")),
    (422, error("Unprocessable Entity")),
    (500, error("Internal server error")),
    (500, error("EngineCore encountered an issue. See stack trace (above) for the root cause.")),
]


@pytest.mark.parametrize(("status", "body"), VAGUE)
@pytest.mark.parametrize(
    ("request_", "named"),
    [
        (Request("m", [user("hi")], [TOOL, FOREIGN]), {"disabled_tools"}),
        (Request("m", [SEEN], [TOOL]), {"history=exclude"}),
        (Request("m", [DOCUMENT], [TOOL]), {"documents = false in [providers.p]"}),
        (TEXT, set()),
    ],
)
def test_the_error_names_each_thing_but_text_with_its_setting(status, body, request_, named):
    advice = find_remedy(refusal(status, body), request_, "p")

    settings = ("disabled_tools", "history=exclude", "documents = false in [providers.p]")
    assert {setting for setting in settings if setting in advice} == named


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("max_tokens is too large")),
        (400, error("Bad request: the field 'seed' has to be a number")),
        (404, error("Bad request")),
        (500, error("The disk is full")),
    ],
)
def test_words_that_tell_something_stand_alone(status, body):
    request = Request("m", [SEEN, DOCUMENT], [FOREIGN])

    assert "does not say" not in find_remedy(refusal(status, body), request, "p")
