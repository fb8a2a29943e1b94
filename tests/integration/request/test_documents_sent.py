"""PDFs as documents where the server takes them, as text where it does not, the same in later requests."""

from __future__ import annotations

import base64

import pytest
from apis import over_all_apis
from pdfs import pdf
from scripted_server import error, text
from talk import Talk, notices

from msgbook.config import vendor_of

pytestmark = over_all_apis

PAPER = pdf("Cats sleep 14 hours.", "Dogs sleep 12 hours.")


@pytest.fixture
def talk(server, tmp_path):
    """A notebook in an empty folder."""
    folder = tmp_path / "notebook"
    folder.mkdir()
    return Talk(server, folder)


@pytest.fixture
def paper(talk, api):
    (talk.folder / "paper.pdf").write_bytes(PAPER)
    config = talk.folder.parent / "msgbook.toml"
    config.write_text(f'[providers.openai]\ndocuments = true\napi = "{api}"\n')
    talk.env["MSGBOOK_CONFIG"] = str(config)
    return talk


def documents(messages):
    return [
        part
        for message in messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "file"
    ]


def test_a_pdf_is_sent_as_a_document_with_its_name(paper):
    turn = paper.ask("Who sleeps? @[paper.pdf]")

    (sent,) = documents(paper.sent())
    assert sent["file"]["filename"] == "paper.pdf"
    assert base64.b64decode(sent["file"]["file_data"].partition(",")[2]) == PAPER
    assert "attached to the message" in paper.sent()[-1]["content"][-1]["text"]
    assert turn["context"]["documents"][0]["key"] == "paper.pdf"
    assert notices(turn) == []


def test_it_is_the_same_later_though_its_file_is_gone_and_is_not_sent_twice(paper):
    paper.ask("Who sleeps? @[paper.pdf]")
    first = paper.sent()
    paper.ask("Again: @[paper.pdf]")
    second = paper.sent()
    (paper.folder / "paper.pdf").unlink()

    paper.ask("And?")

    assert second[: len(first)] == first
    assert paper.sent()[: len(second)] == second
    assert len(documents(paper.sent())) == 1


def test_pages_are_sent_as_text(paper):
    paper.ask("Who? @[paper.pdf:2]")

    assert documents(paper.sent()) == []
    assert "[page 2]\\nDogs sleep 12 hours." in str(paper.sent()[-1]["content"])


def test_a_server_that_is_not_known_to_take_documents_gets_the_text(talk):
    (talk.folder / "paper.pdf").write_bytes(PAPER)

    turn = talk.ask("Who sleeps? @[paper.pdf]")

    assert documents(talk.sent()) == []
    assert "[page 1]\\nCats sleep 14 hours." in talk.sent()[-1]["content"]
    assert notices(turn) == []


@pytest.mark.parametrize("before", [b"\n\n", b"\xef\xbb\xbf", b"\0 \r\n"])
def test_what_a_server_left_before_a_pdf_makes_it_no_other_file(talk, before):
    (talk.folder / "paper.pdf").write_bytes(before + PAPER)

    turn = talk.ask("Who sleeps? @[paper.pdf]")

    assert "[page 1]\\nCats sleep 14 hours." in talk.sent()[-1]["content"]
    assert notices(turn) == []


def test_a_server_that_refuses_documents_is_told_the_name_and_next_time_gets_the_text(paper):
    paper.server.answers = [
        error(400, "Invalid value: 'file'. This model does not support file content types."),
        text("Fine."),
    ]

    turn = paper.ask("Who sleeps? @[paper.pdf]")

    assert turn["status"] == "done"
    assert documents(paper.sent()) == []
    assert "[document: paper.pdf]" in paper.sent()[-1]["content"]
    assert "does not accept PDFs as documents" in " ".join(notices(turn))


def test_a_conversation_that_changes_to_a_server_without_documents_goes_on(paper):
    paper.ask("Who sleeps? @[paper.pdf]")
    config = paper.folder.parent / "msgbook.toml"
    config.write_text(config.read_text().replace("true", "false"))

    turn = paper.ask("And?")

    assert turn["status"] == "done"
    assert documents(paper.sent()) == []
    assert "[document: paper.pdf]" in str(paper.sent()[1]["content"])


def test_a_blob_that_is_gone_is_made_again(paper):
    paper.ask("Who sleeps? @[paper.pdf]")
    first = paper.sent()
    for blob in (paper.folder / ".msgbook" / "blobs").iterdir():
        blob.unlink()

    paper.ask("And?")

    assert paper.sent()[: len(first)] == first


@pytest.mark.parametrize(
    ("url", "apis"),
    [
        (None, {"chat", "responses"}),
        ("https://api.openai.com/v1", {"chat", "responses"}),
        ("https://eu.api.openai.com/v1", {"chat", "responses"}),
        ("https://x.openai.azure.com/openai/v1", {"responses"}),
        ("https://openrouter.ai/api/v1", {"chat"}),
        ("http://localhost:11434/v1", set()),
        ("https://notopenai.com/v1", set()),
        ("https://openai.com.evil.org/v1", set()),
        ("http://[broken", set()),
    ],
)
def test_which_servers_take_documents(url, apis, api):
    assert (api in vendor_of(url).documents) is (api in apis)
