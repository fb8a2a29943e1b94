"""What is piped into a verb: the encodings of a referenced file."""

from __future__ import annotations

import codecs

import pytest

from msgbook.cli.chat import text_of_input
from msgbook.cli.terminal import CommandError
from msgbook.tools.files import decode

TEXT = "第一行，今天天气很好。\n第二行：naïve?\n".replace("ï", "i")
FORMS = {
    "utf-8": TEXT.encode(),
    "utf-8 with a mark": codecs.BOM_UTF8 + TEXT.encode(),
    "utf-16-le": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "utf-16-be": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "utf-32-le": codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
    "crlf": TEXT.encode().replace(b"\n", b"\r\n"),
    "gb18030": TEXT.encode("gb18030"),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_standard_input_is_decoded_as_a_file_is_without_its_last_line_end(data, capsys):
    file = decode(data)

    assert file is not None
    assert text_of_input("chat", data) == file.text.removesuffix("\n").removesuffix("\r")
    assert file.lines == TEXT
    said = capsys.readouterr().err
    assert said == (
        "msgbook chat: standard input: expected UTF-8, got gb18030, which is a guess\n"
        if file.is_guessed
        else ""
    )


def test_data_that_is_no_text_is_not_sent():
    with pytest.raises(CommandError, match="expected text, got binary data"):
        text_of_input("chat", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")


def test_an_empty_standard_input_is_an_empty_text():
    assert text_of_input("chat", b"") == ""
