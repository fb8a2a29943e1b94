"""A text that was approved once is not written as a blob, which needs no approval to be read."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from engine_turns import run_turn
from file_calls import FileCalls
from recorded_turns import PIXEL
from scripted_server import call, text
from talk import content_reference, no_sleep, notices

from msgbook.approval import Answer
from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook.transcript import Transcript
from msgbook.tools import Results
from msgbook.tools.results import RESULT_LIMIT
from msgbook_format.turn import TURN_MIME

SECRET = "PASSWORD=of-the-database"


@pytest.fixture
def secrets(talk) -> Path:
    """The notebook's folder, with a secret in it and one beside it; all questions are said yes to."""
    folder: Path = talk.folder
    (folder / ".env").write_text(SECRET)
    (folder / "free.txt").write_text("free for all")
    (folder.parent / "picture.png").write_bytes(PIXEL)
    talk.answer = lambda question: Answer("once")
    return folder


def kept(folder: Path) -> str:
    """All that lies in the project's folder of blobs."""
    files = (folder / ".msgbook").rglob("*")
    return "".join(path.read_text("utf-8") for path in files if path.is_file())


@pytest.mark.parametrize(
    "reference",
    ["@[.env]", "@[.env:1]", '@[read{"path": ".env"}]', '@[grep{"path": ".env", "pattern": "WORD"}]',
     '@[shell{"command": "cat .env"}]'],
)  # fmt: skip
def test_a_secret_that_was_approved_once_is_in_no_blob(talk, secrets, reference):
    turn = talk.ask(f"{reference} and @[free.txt]")

    assert turn["status"] == "done"
    assert SECRET in str(talk.sent())
    assert "of-the-database" not in kept(secrets)
    assert "free for all" in kept(secrets)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer("no", "not this one"), "Denied by the user: not this one"),
        (None, "nobody could be asked"),
    ],
)
def test_a_notice_says_why_a_reference_was_not_sent(talk, secrets, answer, why):
    talk.answer = lambda question: answer

    turn = talk.ask("@[.env]")

    [said] = notices(turn)
    assert said.startswith("@[.env] is not sent: ")
    assert why in said
    assert "of-the-database" not in str(talk.sent())


def test_an_image_that_was_approved_once_is_in_no_blob(talk, secrets):
    talk.ask("![](../picture.png)")

    assert "data:image/png" in str(talk.sent())
    assert "data:image/png" not in kept(secrets)


def test_a_later_session_says_that_the_text_is_gone_and_asks_again(talk, secrets):
    talk.ask("@[.env] once")
    talk.questions.clear()

    second = talk.ask("And now?")

    assert "of-the-database" not in str(talk.sent())
    assert "is gone" in content_reference(talk.sent()[1])["files"][".env"]
    [said] = [words for words in notices(second) if ".env" in words]
    assert "allowed for that prompt alone" in said
    third = talk.ask("@[.env] again")
    assert len(talk.questions) == 1
    assert SECRET in content_reference(talk.sent()[-1])["files"][".env"]
    assert third["status"] == "done"


def test_in_one_session_what_was_sent_is_sent_again_byte_for_byte(server, talk, secrets):
    server.answers = [text("Yes.")]
    engine = Conversation(Services(load_settings(talk.env), sleep=no_sleep), secrets)
    cells: list[dict[str, Any]] = []

    async def allow(question: Any) -> Answer:
        return Answer("once")

    async def ask(source: str) -> None:
        cell: dict[str, Any] = {"id": f"c{len(cells)}", "cell_type": "code", "source": source}
        turn = await run_turn(engine, source, Transcript("live", list(cells), cell), allow)
        kept_turn = json.loads(json.dumps(turn))
        data = {TURN_MIME: kept_turn}
        output = {"output_type": "display_data", "metadata": {}, "data": data}
        cells.append({**cell, "metadata": {}, "outputs": [output]})

    async def talked() -> None:
        try:
            for source in ("@[.env] and @[free.txt]", "More.", "@[.env] unchanged?", "Still?"):
                await ask(source)
        finally:
            await engine.services.close()

    asyncio.run(talked())

    requests = [server.messages(number) for number in range(4)]
    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before
    assert "unchanged" in content_reference(requests[3][5])["files"][".env"]
    assert "of-the-database" not in kept(secrets)


def test_a_text_that_another_file_has_without_approval_is_kept(talk, secrets):
    (secrets / "copy.txt").write_text(SECRET)

    talk.ask("@[.env] @[copy.txt]")

    assert SECRET in kept(secrets)


def test_a_long_result_that_needed_approval_needs_it_again_to_be_read(talk, secrets, server):
    (secrets / ".env").write_text("x" * RESULT_LIMIT + f"\n{SECRET}\n" + "x" * RESULT_LIMIT)
    server.answers = [call("shell", {"command": "cat .env"}), text("ok")]

    turn = talk.ask("Go.")

    [result] = [block["content"] for block in turn["blocks"] if block["type"] == "tool_result"]
    path = result.partition("the complete result is in ")[2].partition(":")[0]
    assert path.startswith(".msgbook/blobs/asked/")
    files = FileCalls(secrets, blobs=Results(secrets).blobs)
    for tool, more in (("read", {}), ("grep", {"pattern": "PASS"})):
        assert files.approval_request(tool, path=path, **more).always_asks
    assert SECRET not in files.run("grep", pattern="PASS", path=".msgbook")
    assert SECRET not in files.run("grep", pattern="PASS", path=".msgbook/blobs")
    assert "PASSWORD" in files.run_approved("grep", pattern="PASS", path=path)
    assert (secrets / path).stat().st_mode & 0o777 == 0o600


def test_a_long_result_that_needed_no_approval_needs_none_to_be_read(tmp_path):
    results = Results(tmp_path)

    capped = results.cap("x" * (RESULT_LIMIT + 1), approved=False)

    path = str(capped).partition("the complete result is in ")[2].partition(":")[0]
    assert "xxx" in FileCalls(tmp_path, blobs=results.blobs).run("read", path=path)


def test_a_notice_says_that_a_policy_allowed_a_read_without_asking(talk, secrets):
    talk.env["MSGBOOK_APPROVAL"] = "allow"

    turn = talk.ask("@[.env]")

    assert talk.questions == []
    assert any(
        words.endswith(".env was read: it was allowed without asking.") for words in notices(turn)
    )
    assert "rule" not in " ".join(notices(turn))
    assert "MSGBOOK_APPROVAL=allow" in notices(turn)[0]


def test_a_cell_whose_turn_needed_approval_is_in_no_blob(talk, secrets, server):
    server.answers = [call("read", {"path": ".env"}), text("ok"), text("ok")]
    talk.ask("Go.")
    talk.add("print(1)", outputs=[{"output_type": "stream", "name": "stdout", "text": "printed"}])

    talk.ask("@[cell:c1] @[cell:c2]")

    assert "of-the-database" in content_reference(talk.sent()[-1])["files"]["cell:c1"]
    assert "of-the-database" not in kept(secrets)
    assert "printed" in kept(secrets)
