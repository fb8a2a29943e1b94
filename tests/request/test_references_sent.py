"""Texts that a prompt refers to are sent with it, kept as they were, and shown in the turn."""

from __future__ import annotations

import asyncio

from scripted_server import text
from talk import Talk, content_reference, notices

from msgbook.approval import Answer


def test_a_file_is_the_last_part_of_the_message_and_its_digest_in_the_record(talk):
    (talk.folder / "a.py").write_text("print(1)\n")

    turn = talk.ask("Explain @[a.py], please.")

    message = talk.sent()[-1]
    assert message["role"] == "user"
    assert message["content"].startswith("Explain @[a.py], please.\n\n<content_reference>")
    assert content_reference(message)["files"] == {"a.py": "print(1)\n"}
    [entry] = turn["context"]["files"]
    assert (entry["key"], entry["version"]) == ("a.py", 1)
    assert talk.blobs == {entry["sha256"]: "print(1)\n"}
    assert (talk.folder / ".msgbook" / ".gitignore").read_text() == "blobs/\n"


def test_a_later_request_has_the_file_as_it_was_and_says_what_changed(talk):
    (talk.folder / "a.py").write_text("one")
    talk.ask("Look at @[a.py].")
    talk.ask("Again: @[a.py]")
    (talk.folder / "a.py").write_text("two")
    turn = talk.ask("And now? @[a.py]")

    blocks = [content_reference(m)["files"]["a.py"] for m in talk.sent() if m["role"] == "user"]
    assert blocks == ["one", "(unchanged: version 1 above)", "two"]
    assert turn["context"]["files"][0]["version"] == 2


def test_what_was_sent_is_sent_again_byte_for_byte(talk):
    (talk.folder / "a.txt").write_text("as it was")
    talk.ask("#define WHERE a\nSee @[{{WHERE}}.txt].")
    first = talk.sent()
    (talk.folder / "a.txt").unlink()

    talk.ask("What did it say?")

    assert talk.sent()[: len(first)] == first


def test_a_file_of_another_name_is_found_through_a_macro_of_an_earlier_cell(talk):
    (talk.folder / "data.csv").write_text("x,y")
    talk.ask("#define NAME data")

    turn = talk.ask("Look: @[{{NAME}}.csv]")

    assert content_reference(talk.sent()[-1])["files"] == {"data.csv": "x,y"}
    assert turn["context"]["macros"] == {"NAME": "data"}


def test_a_glob_does_not_add_the_conversation_to_itself(talk):
    for name in ("chat.msg.md", "chat.ipynb", "notes.md"):
        (talk.folder / name).write_text(name)

    turn = talk.ask("See @[*.md] and @[chat.*].")

    assert content_reference(talk.sent()[-1])["files"] == {"notes.md": "notes.md"}
    assert any("chat.ipynb, chat.msg.md, which is this conversation" in w for w in notices(turn))


def test_a_cell_above_comes_with_its_output(talk):
    output = {"output_type": "stream", "name": "stdout", "text": "42\n"}
    talk.add("%%python\nprint(6 * 7)", outputs=[output], id="sum")

    talk.ask("What is @[cell:sum]?")

    found = content_reference(talk.sent()[-1])["files"]["cell:sum"]
    assert "print(6 * 7)" in found
    assert "42" in found


def test_a_cell_above_can_be_named_by_the_beginning_of_its_id(talk):
    talk.add("First.", id="5fb8acd8-7da5-4f6a")
    talk.add("Second.", id="5fb8acd9-7da5-4f6a")

    turn = talk.ask("What is @[cell:5fb8acd9]? And @[cell:5fb8]?")

    assert content_reference(talk.sent()[-1])["files"] == {"cell:5fb8acd9": "User: Second."}
    (said,) = notices(turn)
    assert said.splitlines() == [
        "@[cell:5fb8] is not sent: '5fb8' fits 2 cells above:",
        "- 5fb8acd8-7da5-4f6a (First.)",
        "- 5fb8acd9-7da5-4f6a (Second.).",
    ]


def test_a_reference_that_cannot_be_resolved_is_a_notice_and_the_turn_goes_on(talk):
    (talk.folder / "b.txt").write_text("here")

    turn = talk.ask("See @[missing.txt], @[cell:gone], @[py:frame] and @[b.txt].")

    assert turn["status"] == "done"
    assert list(content_reference(talk.sent()[-1])["files"]) == ["b.txt"]
    said = " ".join(notices(turn))
    for name in ("@[missing.txt]", "@[cell:gone]", "@[py:frame]"):
        assert name in said


def test_a_tool_that_a_prompt_names_runs_first_and_is_seen_but_no_message(talk):
    (talk.folder / "a.txt").write_text("first line\n")

    turn = talk.ask('Look: @[read{"path": "a.txt"}]')

    [run] = content_reference(talk.sent()[-1])["tools"]
    assert (run["name"], run["args"]) == ("read", {"path": "a.txt"})
    assert "first line" in run["result"]
    assert [b["type"] for b in turn["blocks"][:2]] == ["tool_call", "tool_result"]
    talk.ask("And?")
    assert [m["role"] for m in talk.sent()] == ["system", "user", "assistant", "user"]


def test_a_tool_that_needs_approval_asks_and_a_denial_is_a_notice(talk):
    talk.answer = lambda question: Answer("no", "not now")

    turn = talk.ask('Do @[write{"path": "x.txt", "content": "X"}]')

    assert [question.call["name"] for question in talk.questions] == ["write"]
    assert not (talk.folder / "x.txt").exists()
    assert "not now" in " ".join(notices(turn))
    assert turn["blocks"][0]["approval"] == "denied"
    assert turn["status"] == "done"


def test_a_tool_that_was_approved_runs_before_the_model_is_asked(talk):
    talk.answer = lambda question: Answer("once")

    talk.ask('Do @[write{"path": "x.txt", "content": "X"}]')

    assert (talk.folder / "x.txt").read_text() == "X"
    assert len(talk.server.requests) == 1


def test_a_file_outside_the_folder_is_sent_only_with_approval(talk):
    outside = talk.folder.parent / "outside.txt"
    outside.write_text("secret plan")

    turn = talk.ask("See @[../outside.txt].")
    assert "secret plan" not in str(talk.sent())
    assert "../outside.txt" in " ".join(notices(turn))

    talk.answer = lambda question: Answer("once")
    turn = talk.ask("See @[../outside.txt].")
    assert content_reference(talk.sent()[-1])["files"]["../outside.txt"] == "secret plan"
    assert "you allowed it" in " ".join(notices(turn))


def test_a_key_in_a_file_reaches_neither_the_server_nor_the_notebook_nor_a_blob(talk):
    key = "sk-0123456789abcdef"
    talk.env["OPENAI_API_KEY"] = key
    (talk.folder / "notes.txt").write_text(f"key: {key}")

    turn = talk.ask(f"#define KEY {key}\nSee @[notes.txt].")

    assert key not in str(talk.sent())
    assert key not in str(turn)
    assert key not in str(talk.blobs)


def test_a_text_that_is_gone_is_named_and_the_turn_goes_on(talk):
    (talk.folder / "a.txt").write_text("kept")
    talk.ask("See @[a.txt].")
    for blob in (talk.folder / ".msgbook" / "blobs").iterdir():
        blob.unlink()
    (talk.folder / "a.txt").write_text("another text")

    turn = talk.ask("Again?")

    assert turn["status"] == "done"
    assert any("a.txt" in words and "missing" in words.lower() for words in notices(turn))
    assert "is gone" in str(talk.sent())


def test_if_no_text_can_be_kept_the_turn_says_so_and_goes_on(talk):
    (talk.folder / ".msgbook").write_text("a file in the way")
    (talk.folder / "a.txt").write_text("text")

    turn = talk.ask("See @[a.txt].")

    assert turn["status"] == "done"
    assert any("could not be saved" in words for words in notices(turn))


def test_a_reference_in_an_earlier_answer_or_in_code_names_nothing(talk):
    (talk.folder / "a.txt").write_text("text")
    talk.ask("`@[a.txt]`", "Look at @[a.txt].")

    talk.ask("Thanks.")

    assert "content_reference" not in str(talk.sent())


class _Python:
    """A notebook's Python that describes one variable."""

    async def describe(self, name):
        return f"{name}: int: 7"

    def lookup(self, name):
        raise KeyError(name)

    async def run(self, code, show):
        raise AssertionError

    async def call(self, function, show):
        raise AssertionError


def test_a_python_value_comes_as_its_description(server, tmp_path):
    talk = Talk(server, tmp_path, namespace=_Python())

    talk.ask("What is @[py:n]?")

    assert content_reference(talk.sent()[-1])["files"] == {"py:n": "n: int: 7"}


def test_an_interrupt_while_a_reference_runs_ends_the_turn_with_what_there_is(talk):
    async def interrupted():
        asked = asyncio.Event()

        async def never(question):
            asked.set()
            await asyncio.Event().wait()

        talk._ask = never
        talk.add('@[mkdir{"path": "new"}]')
        running = asyncio.ensure_future(talk._run(0))
        await asked.wait()
        running.cancel()
        return (await asyncio.gather(running, return_exceptions=True))[0]

    assert asyncio.run(interrupted())["status"] == "interrupted"
    assert not (talk.folder / "new").exists()


def test_the_answer_comes_after_the_context_of_the_prompt(talk):
    talk.server.answers = [text("Two lines.", reasoning="Counting.")]
    (talk.folder / "a.txt").write_text("1\n2\n")

    turn = talk.ask('@[read{"path": "a.txt"}] How many lines?')

    kinds = [(block["type"], block.get("step")) for block in turn["blocks"]]
    assert kinds == [("tool_call", 0), ("tool_result", 0), ("reasoning", 1), ("text", 1)]
