"""Summaries, the context window, and the law that a request begins with the one before."""

from __future__ import annotations

import random

import pytest
from scripted_server import call, error, text
from talk import Talk, content_reference, notices

from msgbook.messages import encode


def summed_up(talk: Talk) -> dict:
    first = talk.ask("What is it?", "A long answer.")
    talk.cells[0]["metadata"] = {"msgbook": {"history": "summary"}}
    return first


def test_a_summary_is_made_when_it_is_first_needed_and_recorded(talk):
    talk.server.answers = [text("A long answer."), text("They asked; it is long."), text("Yes.")]
    summed_up(talk)

    turn = talk.ask("And?")

    assert [m["content"] for m in talk.sent()[1:]] == [
        "[summary] They asked; it is long.",
        "And?",
    ]
    [(key, summary)] = turn["context"]["summaries"].items()
    assert (key, summary["text"]) == ("c1", "They asked; it is long.")
    assert notices(turn) == ["Summarizing cell 1 (What is it?)."]


def test_the_notice_counts_the_parts_of_a_cell_that_are_summarized(talk):
    talk.server.answers = [text(words) for words in ("One.", "Two.", "Three.", "Yes.")]
    summary = {"msgbook": {"history": "summary"}}
    shown = [
        {"output_type": "display_data", "data": {"text/plain": words}, "metadata": summary}
        for words in ("first", "second")
    ]
    talk.add("!plot", execution_count=1, outputs=shown)
    talk.add("!plot 1", execution_count=2, outputs=shown[:1])

    talk.add("And?")
    preview = str(talk.preview(2))
    turn = talk.rerun(2)

    assert notices(turn) == ["Summarizing 2 parts of cell 1 (!plot); a part of cell 2 (!plot 1)."]
    assert "summary of a part of cell 1 (!plot)" in preview


def test_a_summary_is_made_once_and_again_only_when_its_source_changed(talk):
    talk.server.answers = [text("A long answer."), text("Short."), text("Yes.")]
    summed_up(talk)
    talk.ask("And?")
    talk.ask("And now?")
    assert len(talk.server.requests) == 4

    talk.cells[0]["source"] = "What is this?"
    talk.ask("Once more?")
    assert len(talk.server.requests) == 6


def test_a_cell_that_cannot_be_summarized_is_sent_in_full_with_a_notice(talk):
    talk.server.answers = [text("A long answer."), error(400, "no"), text("Yes.")]
    summed_up(talk)

    turn = talk.ask("And?")

    assert turn["status"] == "done"
    assert "A long answer." in str(talk.sent())
    assert notices(turn)[-1].startswith("Cell 1 (What is it?) could not be summarized")


def test_the_demo_model_can_summarize(no_settings, talk):
    talk.env = {"MSGBOOK_MODEL": "demo"}
    talk.ask("Hello.", metadata={"msgbook": {"history": "summary"}})

    turn = talk.ask("And?")

    (summary,) = turn["context"]["summaries"].values()
    assert "It begins: “" in summary["text"]
    assert notices(turn) == ["Summarizing cell 1 (Hello.)."]


def test_what_summaries_use_counts_in_the_turn(talk):
    talk.server.answers = [text("A long answer."), text("Short."), text("Yes.")]
    one = summed_up(talk)

    turn = talk.ask("And?")

    assert turn["usage"]["input_tokens"] == 2 * one["usage"]["input_tokens"]


def test_a_request_that_does_not_fit_is_not_sent_and_names_the_cells(talk):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a:\n    context_window: 2000\n"}}
    talk.ask("Small.")
    talk.add("word " * 3000, "markdown")

    turn = talk.ask("And?")

    assert (turn["status"], len(talk.server.requests)) == ("error", 1)
    assert turn["blocks"][-1]["name"] == "ContextWindowError"
    [words] = [words for words in notices(turn) if "context_window" in words]
    assert "cell 2 (word word" in words
    assert "cell 1" not in words
    assert "request_hash" not in turn["context"]


@pytest.mark.parametrize("above", [[], ["word " * 3000]])
def test_if_no_cell_is_enough_the_notice_names_the_sizes_of_the_other_parts(talk, above):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a:\n    context_window: 500\n"}}
    for words in above:
        talk.add(words, "markdown")

    turn = talk.ask("Hello?")

    [words] = [words for words in notices(turn) if "context_window" in words]
    assert words.count("cell 1 (word word") == len(above)
    assert "the prompt with its context has 2, the system message and the tools have 1," in words
    assert words.endswith("give the agent fewer tools.")


def test_a_preview_is_the_request_and_runs_nothing(talk):
    (talk.folder / "a.txt").write_text("text")
    (talk.folder / "AGENTS.md").write_text("Be brief.")
    talk.ask("Hello.")
    talk.add("See @[a.txt].")

    seen = talk.preview(1)
    assert (len(talk.server.requests), seen.notices) == (1, ())
    kept = set(talk.blobs)
    talk.rerun(1)

    assert talk.sent() == seen.body.messages
    assert (
        seen.prepared.context
        == talk.cells[1]["outputs"][0]["data"]["application/vnd.msgbook.turn+json"]["context"]
    )
    assert kept < set(talk.blobs)


def test_a_preview_shows_what_would_have_to_run_as_pending(talk):
    talk.server.answers = [text("A long answer.")]
    summed_up(talk)
    talk.add('@[write{"path": "x.txt", "content": "X"}]')

    seen = talk.preview(1)

    assert len(talk.server.requests) == 1
    assert not (talk.folder / "x.txt").exists()
    assert str(seen.body.messages).count("pending") == 2
    assert '{"pending": "summary of cell 1 (What is it?)"}' in str(seen.body.messages)


def test_each_request_begins_with_the_one_before_and_the_turn_between(talk):
    """The prefix law over a conversation that has everything."""
    random.seed(7)
    (talk.folder / "AGENTS.md").write_text("Be {{HOW}}.")
    before: list[bytes] = []
    for number in range(12):
        (talk.folder / "a.txt").write_text(f"version {number // 3}")
        prompt = random.choice(
            ["Hello.", "See @[a.txt].", 'Do @[read{"path": "a.txt"}]', f"#define HOW {number % 2}"]
        )
        answers = [text(f"Answer {number}.", reasoning="Hm.")]
        if number % 2:
            answers.insert(0, call("read", {"path": "a.txt"}))
        talk.server.reset()
        talk.server.answers = answers
        talk.ask(prompt)
        first = [encode(message) for message in talk.sent(0)]
        assert first[: len(before)] == before
        before = first


def test_below_prune_only_the_newest_copy_of_a_file_is_sent(talk):
    for words in ("one", "two", "three"):
        (talk.folder / "a.txt").write_text(words)
        talk.ask("See @[a.txt].")
    talk.add("%prune")

    turn = talk.ask("And now? @[a.txt]")

    sent = [content_reference(m)["files"]["a.txt"] for m in talk.sent() if m["role"] == "user"]
    assert sent[2:] == ["three", "(unchanged: version 3 above)"]
    assert not {"one", "two"} & set(sent)
    assert turn["context"]["files"][0]["version"] == 3


def test_a_macro_that_was_removed_is_not_in_force_below(talk):
    talk.ask("#define WHO Ada")
    talk.metadata = {"msgbook": {"macros": {"WHO": "Ada"}}}
    talk.add("%macros -d WHO")
    (talk.folder / "a.md").write_text("Hello {{WHO}}")

    turn = talk.ask("See @[a.md].")

    assert content_reference(talk.sent()[-1])["files"] == {"a.md": "Hello {{WHO}}"}
    assert turn["context"]["macros"] == {}
