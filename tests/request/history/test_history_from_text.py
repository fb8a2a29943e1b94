"""What the cells of a message file send, whoever wrote it."""

from __future__ import annotations

import pytest

from msgbook.request.history import Reader, View
from msgbook_format import reads

VIEW = View("assistant", "Be kind.")


def sent(text):
    """The messages of all cells of a text, without the system message."""
    return Reader().read(reads(text).cells, VIEW).messages[1:]


@pytest.mark.parametrize(
    "above", ["", "# %% [^n]\n\n[^n]: [raw]\n\nNothing.\n\n"], ids=["first", "below a raw cell"]
)
def test_an_answer_without_a_prompt_is_the_assistants(above):
    text = "# %%% [^x-1]\n\n[^x-1]: [assistant]\n\nHello.\n\n# %% Then\n\nHi.\n"

    assert [(message["role"], message["content"]) for message in sent(above + text)] == [
        ("assistant", "Hello."),
        ("user", "Hi."),
    ]


@pytest.mark.parametrize(
    "footnote",
    [
        '[assistant] history="none"',
        "[assistant] reasoning=1",
        '[tool] name="read"',
        '[tool] status="success"',
        '[python] mime_type="text/plain"',
        "[nb] encoding=json",
    ],
)
@pytest.mark.parametrize(
    "above", ["", "# %% [^n]\n\n[^n]: [markdown] cell=markdown\n\nA note.\n\n"]
)
def test_what_else_has_no_prompt_above_it_is_not_sent(above, footnote):
    text = f"{above}# %%% [^x-1]\n\n[^x-1]: {footnote}\n\nSECRET\n\n# %% Then\n\nHi.\n"

    assert "SECRET" not in str(sent(text))


def test_streams_without_a_prompt_above_them_are_not_sent():
    assert sent("# %%% [^x.1]\n\n[^x.1]: [python]\n\nstdout> SECRET\n") == []
