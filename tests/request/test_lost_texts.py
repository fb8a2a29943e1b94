"""Texts whose blobs are gone are made again where the files still have them, and named where not."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
from hashlib import sha256

import pytest
from engine_turns import run_turn
from recorded_turns import PIXEL, answered, keep
from scripted_server import call, text
from talk import content_reference, no_sleep, notices

from msgbook.approval import Answer
from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook.transcript import Transcript


def lose_blobs(talk):
    shutil.rmtree(talk.folder / ".msgbook" / "blobs")


def recorded(key, words="W", **more):
    """An entry as a file that somebody sent has it."""
    digest = sha256(words.encode()).hexdigest()
    return {"files": [{"key": key, "sha256": digest, "version": 1, **more}], "request_hash": "r"}


def test_every_kind_of_text_is_made_again_byte_for_byte(talk):
    folder = talk.folder
    (folder / ".msgbook" / "rules").mkdir(parents=True)
    (folder / ".msgbook" / "rules" / "r.md").write_text("Rule for {{CITY}}, see @[of_rule.txt].")
    (folder / "of_rule.txt").write_text("of the rule")
    (folder / "lines.py").write_text("1\n2\n3\n4\n")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("a\nb\n")
    (folder / "src" / "b.py").write_text("c\nd\n")
    (folder / "plan.md").write_text("For {{CITY}}: @[nested.txt]")
    (folder / "nested.txt").write_text("nested")
    (folder / "bare.txt").write_text("bare")
    (folder / "p.png").write_bytes(PIXEL)
    shown = {"output_type": "stream", "name": "stdout", "text": "42\n"}
    talk.add("%%python\nprint(6 * 7)", outputs=[shown], id="sum")
    talk.ask(
        "#define CITY Rome\n@[lines.py:2:3] @[src/] @[src/*.py:2] @[plan.md] @[cell:sum] @bare.txt "
        "![p](p.png) @[lines.py:1]"
    )
    talk.ask("#define CITY Oslo\nNext.")
    first, second = talk.sent(-2), talk.sent(-1)
    kept = talk.blobs
    lose_blobs(talk)

    turn = talk.ask("And now?")

    assert talk.sent()[: len(first)] == first
    assert talk.sent()[: len(second)] == second
    assert notices(turn) == []
    assert talk.blobs == kept


def test_texts_of_tools_are_gone_for_good_since_no_tool_runs_again(talk):
    (talk.folder / "a.txt").write_text("of the file")
    (talk.folder / "b.txt").write_text("of the tool")
    talk.ask('@[read{"path": "b.txt"}] @[a.txt]')
    lose_blobs(talk)

    turn = talk.ask("And now?")

    block = content_reference(talk.sent()[1])
    assert block["files"] == {"a.txt": "of the file"}
    assert "is gone" in block["tools"][0]["result"]
    [told] = notices(turn)
    assert "cell 1" in told
    assert "read (" in told
    assert "a.txt (" not in told
    assert [block["type"] for block in turn["blocks"]] == ["notice", "text"]


def test_texts_of_many_prompts_that_are_gone_are_named_in_one_notice(talk):
    for number in range(30):
        answered(talk, "Look.", recorded(f"{number}.txt", f"W{number}"))

    turn = talk.ask("And now?")

    [told] = notices(turn)
    assert "0.txt (cell 1)" in told
    assert " and 25 more." in told


@pytest.mark.parametrize("change", ["another text", None])
def test_a_file_with_another_text_is_not_sent_in_the_place_of_the_old_one(talk, change):
    (talk.folder / "a.txt").write_text("as it was")
    talk.ask("See @[a.txt].", id="look")
    lose_blobs(talk)
    (talk.folder / "a.txt").unlink()
    if change is not None:
        (talk.folder / "a.txt").write_text(change)

    turn = talk.ask("And now?")

    assert "another text" not in str(talk.sent())
    assert "is gone" in content_reference(talk.sent()[1])["files"]["a.txt"]
    [told] = notices(turn)
    assert told.startswith("Missing from .msgbook/blobs")
    assert "a.txt (cell 1)" in told
    assert "name it in your next message" in told


def test_what_a_person_allowed_once_does_not_come_back_without_leave(talk):
    outside = talk.folder.parent / "outside.txt"
    outside.write_text("secret plan")
    (talk.folder / ".env").write_text("PASSWORD=1")
    talk.answer = lambda question: Answer("once")
    talk.ask("See @[../outside.txt] and @[.env].")
    talk.questions.clear()
    talk.env["MSGBOOK_APPROVAL"] = "allow"

    talk.ask("And now?")

    assert "secret plan" not in str(talk.sent())
    assert "PASSWORD" not in str(talk.sent())
    assert talk.questions == []


@pytest.mark.parametrize("path", ["../outside.txt", ".env", "link.txt", "x/../../outside.txt"])
@pytest.mark.parametrize("policy", ["ask", "allow"])
def test_a_record_without_a_mark_brings_nothing_that_is_not_free_now(talk, path, policy):
    for file in (talk.folder.parent / "outside.txt", talk.folder / ".env"):
        file.write_text("W")
    (talk.folder / "link.txt").symlink_to("../outside.txt")
    talk.env["MSGBOOK_APPROVAL"] = policy
    answered(talk, f"See @[{path}].", recorded(path))

    turn = talk.ask("And now?")

    assert "is gone" in content_reference(talk.sent()[1])["files"][path]
    assert any(path in words for words in notices(turn))
    assert talk.questions == []


def test_a_text_that_was_allowed_once_is_not_made_again_from_a_file_that_is_free_now(talk):
    (talk.folder / "a.txt").write_text("W")
    answered(talk, "See @[a.txt].", recorded("a.txt", kept=False))

    talk.ask("And now?")

    assert "is gone" in content_reference(talk.sent()[1])["files"]["a.txt"]


def test_an_agent_with_fewer_folders_gets_none_of_the_others(talk):
    (talk.folder / "in").mkdir()
    (talk.folder / "in" / "a.txt").write_text("W")
    (talk.folder / "b.txt").write_text("W2")
    answered(talk, "One.", recorded("in/a.txt"))
    answered(talk, "Two.", recorded("b.txt", "W2"))
    agents = talk.folder / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "narrow.md").write_text("---\nallowed_uris: [in]\n---\nHello.")

    talk.ask("%%msg agent=narrow\nAnd now?")

    assert content_reference(talk.sent()[1])["files"] == {"in/a.txt": "W"}
    assert "is gone" in content_reference(talk.sent()[2])["files"]["b.txt"]


def test_a_blob_with_another_text_counts_as_gone(talk):
    (talk.folder / "a.txt").write_text("as it was")
    talk.ask("See @[a.txt].")
    first = talk.sent()
    [digest] = talk.blobs
    (talk.folder / ".msgbook" / "blobs" / digest).write_text("forged")

    talk.ask("And now?")

    assert talk.sent()[: len(first)] == first
    assert talk.blobs == {digest: "as it was"}


@pytest.mark.parametrize(
    "put",
    [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/passwd"), lambda path: path.touch()],
    ids=["fifo", "folder", "link", "empty"],
)
def test_what_is_no_kept_text_in_the_folder_of_blobs_counts_as_gone(talk, put):
    (talk.folder / "a.txt").write_text("W")
    answered(talk, "Look.", recorded("a.txt"))
    digest = keep(talk, "W")
    path = talk.folder / ".msgbook" / "blobs" / digest
    path.unlink()
    put(path)

    turn = talk.ask("And now?")

    assert turn["status"] == "done"
    assert content_reference(talk.sent()[1])["files"] == {"a.txt": "W"}


@pytest.mark.parametrize(
    "key",
    ["fifo", "huge", "huge:1:2", "/dev/zero", "\0", "a" * 10_000, "**/*", "src/", "py:os", "cell:nobody", "~/.netrc",
     'shell{"command": "touch made"}', "@[a.txt]", "a]b", "https://example.org/x", "a\n\nb", "{{X}}"],
)  # fmt: skip
def test_no_key_of_a_record_runs_or_blocks_anything(talk, key):
    os.mkfifo(talk.folder / "fifo")
    (talk.folder / "a.txt").write_text("free")
    with (talk.folder / "huge").open("wb") as file:
        file.truncate(5_000_000_000)
    context = {**recorded(key), "macros": {"X": "{{X}}", "Y": 1, "": ["a"]}}
    answered(talk, "Look.", context)

    turn = talk.ask("And now?")

    assert turn["status"] == "done"
    assert talk.questions == []
    assert not (talk.folder / "made").exists()
    assert "free" not in str(talk.sent())


def test_a_record_with_ten_thousand_entries_ends_no_turn(talk):
    (talk.folder / "a.txt").write_text("W")
    digest = sha256(b"W").hexdigest()
    files = [{"key": f"f{n}", "sha256": f"{n:064x}", "version": 1} for n in range(10_000)]
    files.insert(0, {"key": "a.txt", "sha256": digest, "version": 1})
    answered(talk, "Look.", {"files": files})

    turn = talk.ask("And now?")

    assert turn["status"] == "done"
    assert content_reference(talk.sent()[1])["files"]["a.txt"] == "W"


def _a_file_in_the_way(folder):
    (folder / ".msgbook").write_text("a file")


def _a_link_in_the_way(folder):
    (folder / ".msgbook").mkdir()
    (folder.parent / "elsewhere").mkdir()
    (folder / ".msgbook" / "blobs").symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("block", [_a_file_in_the_way, _a_link_in_the_way])
def test_where_blobs_cannot_be_written_the_text_is_sent_and_the_turn_says_so_once(talk, block):
    (talk.folder / "a.txt").write_text("W")
    answered(talk, "Look.", recorded("a.txt"))
    block(talk.folder)

    turn = talk.ask("And now?")

    assert content_reference(talk.sent()[1])["files"] == {"a.txt": "W"}
    [told] = notices(turn)
    assert "could not be saved" in told


def test_a_preview_sends_the_same_and_writes_no_blob(talk):
    (talk.folder / "a.txt").write_text("W")
    answered(talk, "Look.", recorded("a.txt"))
    talk.add("And now?")

    preview = talk.preview(1)

    assert talk.blobs == {}
    talk.server.answers = [text("Yes.")]
    talk.rerun(1)
    assert preview.body.messages == talk.sent()
    assert list(talk.blobs.values()) == ["W"]


def test_in_a_clone_no_turn_is_stale_while_the_files_are_the_same(talk):
    (talk.folder / "a.txt").write_text("W")
    talk.ask("@[a.txt]")
    talk.ask("Next.")
    lose_blobs(talk)

    assert talk.stale() == []
    assert talk.blobs == {}
    (talk.folder / "a.txt").write_text("changed")
    assert [turn.cell for turn in talk.stale()] == [0, 1]


def test_a_text_that_comes_back_in_a_session_is_sent_in_its_place(server, talk):
    server.answers = [text("Yes.")]
    file = talk.folder / "a.txt"
    answered(talk, "Look.", recorded("a.txt"))

    async def talked():
        engine = Conversation(Services(load_settings(talk.env), sleep=no_sleep), talk.folder)
        try:
            file.write_text("another")
            await run_turn(engine, "One?", Transcript("live", talk.cells))
            file.write_text("W")
            return await run_turn(engine, "Two? @[a.txt]", Transcript("live", talk.cells))
        finally:
            await engine.services.close()

    turn = asyncio.run(talked())

    assert "is gone" in content_reference(talk.sent(0)[1])["files"]["a.txt"]
    assert content_reference(talk.sent()[1])["files"] == {"a.txt": "W"}
    assert turn["context"]["files"][0]["unchanged"] is True


def test_a_changed_file_is_a_notice_and_the_old_text_stays(talk):
    (talk.folder / "a.txt").write_text("old a")
    (talk.folder / "b.txt").write_text("old b")
    (talk.folder / "c.txt").write_text("old c")
    (talk.folder / "d.txt").write_text("old d")
    talk.ask("See @[a.txt] @[b.txt] @[c.txt] @[d.txt].")
    for name in ("a.txt", "b.txt"):
        (talk.folder / name).write_text("new text")
    (talk.folder / "c.txt").unlink()

    turn = talk.ask("And now? @[b.txt]")

    [told] = notices(turn)
    assert told.startswith(
        "These files have changed since they were sent: a.txt (cell 1), c.txt (cell 1; deleted)."
    )
    assert turn["blocks"][0]["level"] == "info"
    assert content_reference(talk.sent()[1])["files"]["a.txt"] == "old a"
    assert told in notices(talk.ask("Again?"))


def test_a_file_that_no_longer_has_the_lines_that_were_sent_has_changed(talk):
    (talk.folder / "a.txt").write_text("1\n2\n3\n")
    talk.ask("@[a.txt:2:3]")
    (talk.folder / "a.txt").write_text("1\n")

    assert "a.txt:2:3 (cell 1)" in " ".join(notices(talk.ask("And now?")))


@pytest.mark.parametrize("name", ["a.txt", "a.txt:2", "an.ipynb:cell:a"])
def test_a_whole_file_whose_text_can_no_longer_be_read_is_not_compared(talk, name):
    (talk.folder / name).write_text("one")
    talk.ask(f"@[{name}]")
    assert content_reference(talk.sent()[-1])["files"] == {name: "one"}
    (talk.folder / name).write_bytes(b"%PDF-1.4\nbroken")

    assert notices(talk.ask("And now?")) == []


def test_what_only_looks_changed_is_no_notice(talk):
    (talk.folder / "a.py").write_text("{{CITY}}\n2\n3\n")
    (talk.folder / "big.txt").write_text("x" * 250_000)
    (talk.folder / "src").mkdir()
    talk.env["OPENAI_API_KEY"] = "sk-0123456789abcdef"
    (talk.folder / "key.txt").write_text("sk-0123456789abcdef")
    talk.ask("#define CITY Rome\n@[a.py] @[a.py:2:3] @[*.py:1] @[src/] @[cell:c1] @[key.txt]")
    talk.ask("#define CITY Oslo\n@[big.txt]")
    (talk.folder / "src" / "new.py").write_text("")
    (talk.folder / "a.py").touch()

    assert notices(talk.ask("And now?")) == []


def test_only_the_text_that_was_sent_last_is_compared(talk):
    (talk.folder / "a.txt").write_text("one")
    talk.ask("@[a.txt]")
    (talk.folder / "a.txt").write_text("two")
    talk.ask("@[a.txt]")

    assert notices(talk.ask("And now?")) == []
    (talk.folder / "a.txt").write_text("one")
    assert "a.txt (cell 2)" in " ".join(notices(talk.ask("And now?")))


def test_a_file_that_is_not_free_is_not_looked_at(talk):
    outside = talk.folder.parent / "outside.txt"
    outside.write_text("one")
    talk.answer = lambda question: Answer("once")
    talk.ask("@[../outside.txt]")
    keep(talk, "W")
    answered(talk, "Old.", recorded("../outside.txt"))
    outside.write_text("two")

    assert not any("Changed" in words for words in notices(talk.ask("And now?")))


def test_a_file_that_a_tool_changes_is_told_in_the_next_turn(talk, server):
    (talk.folder / "a.txt").write_text("one\n")
    change = call("shell", {"command": "echo two > a.txt"})
    server.answers = [text("Yes."), change, text("Done."), text("Yes.")]
    talk.answer = lambda question: Answer("once")
    talk.ask("@[a.txt]")
    assert notices(talk.ask("Change it.")) == []

    assert "a.txt (cell 1)" in " ".join(notices(talk.ask("And now?")))


def test_the_requests_of_a_session_begin_with_those_before(talk):
    (talk.folder / "a.txt").write_text("one")
    for source in ("@[a.txt]", "Next.", "@[a.txt] again", "End."):
        talk.ask(source)
        lose_blobs(talk)
    requests = [talk.sent(number) for number in range(-4, 0)]

    for before, after in itertools.pairwise(requests):
        assert after[: len(before)] == before
