"""One grammar: the kernel, `check` and the text format read the same attributes from a line."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from msgbook.agents import (
    AgentSources,
    UnknownAgentError,
    UnreadableAgentError,
    requested_name,
    resolve_agent,
)
from msgbook.notebook.cells import parse_prompt
from msgbook_format import check, reads
from msgbook_format.agents.definitions import list_agents
from msgbook_format.jsontext import dump_string
from msgbook_format.syntax.attributes import parse_footnote

ODD_LINES = {
    r"agent=a\ b": ("a\\", True),
    "agent='b c'": ("'b", True),
    'agent=b"c d"e': ('b"c', True),
    'agent="b c': ('"b', True),
    'agent="b c"d': ('"b', True),
    'agent="b c"': ("b c", False),
    r'agent="b \"c\" \u00e9"': ('b "c" é', False),
    "agent=b\u00a0history=none\u3000model=m": ("b", False),
    "agent = b": (None, True),
    "agent=b agent=c": ("b", True),
    "agent=b\\": ("b\\", False),
    "agent=": ("", False),
    "[agent=b] model=m": ("b", False),
    "b agent=c": ("c", True),
    "agent=b # who answers": ("b", True),
    "agent='": ("'", True),
}
"""Attributes as written: the agent that they name, and whether the line is an error."""

FRONTMATTER = "agents: {writer: {}}\n"
CODE = "# %% [^m]\n\n[^m]: [code]\n\n```ipython\n{}\n```\n"


def text_with(*cells: str) -> str:
    return f"---\n{FRONTMATTER}---\n\n" + "\n".join(cells)


def found(text: str, code: str) -> list[str]:
    return [finding.message for finding in check(text) if finding.code == code]


@pytest.mark.parametrize(("written", "agent", "is_error"), [(k, *v) for k, v in ODD_LINES.items()])
def test_an_odd_line_is_read_by_the_grammar_of_footnotes(written, agent, is_error):
    prompt = parse_prompt(f"%%msg {written}\nHi")

    assert prompt.attributes.get("agent") == agent
    assert (prompt.problem is not None) == is_error
    assert prompt.text == "Hi"


pieces = ["agent=", "model=", "fast", *"ab= \t\"'\\[]#\u00a0\u3000\x0b\r\u202e\ud800"]
lines = (st.lists(st.sampled_from(pieces), max_size=12).map("".join) | st.text(max_size=20)).filter(
    lambda text: "\n" not in text
)


@given(lines)
@example(r"agent=a\ b")
@example("agent='b c'")
@example('agent="b c" agent=d')
def test_all_readers_of_a_msg_line_name_one_agent(written):
    source = f"%%msg {written}\nHi"
    text = text_with(f"# %%\n\n{source}\n")
    [cell] = reads(text).cells
    prompt = parse_prompt(cell["source"])
    agent = requested_name("agent", prompt, cell)

    problem = prompt.problem and [f"`%%msg` cannot be run: {prompt.problem}"]
    assert found(text, "unreadable-magic") == (problem or [])
    assert list_agents(reads(text)) == list(
        dict.fromkeys(filter(None, ["writer", prompt.attributes.get("agent")]))
    )
    unknown = found(text, "unknown-agent")
    assert bool(unknown) == (agent not in (None, "writer", "assistant"))
    assert all(f"the agent `{agent[:40]}`" in message for message in unknown)


@given(lines)
def test_attributes_that_a_footnote_can_hold_are_read_as_there(written):
    prompt = parse_prompt(f"%%msg {written}\nHi")
    tail = parse_footnote(f"[markdown] {written}")
    pairs = [(key, value) for key, value in tail[1] if value is not True]

    assert prompt.attributes == dict(reversed(pairs))


@given(lines)
@example("fast models=m")
@example("fast models=a tools='read, grep'")
@example("fast\u00a0models=m")
@example('"fast"')
@example("fast models=m\u2028")
def test_all_readers_of_an_agent_line_make_one_agent(written):
    text = text_with(CODE.format(f"%agent new {written}"), "# %%\n\nHi\n")
    notebook = reads(text)
    named = list_agents(notebook)[1:]
    sources = AgentSources(FRONTMATTER)

    for name in named:
        if messages := found(text, "unreadable-magic"):
            [problem] = [words.removeprefix("`%agent new` cannot be run: ") for words in messages]
            with pytest.raises(UnreadableAgentError, match=re.escape(problem)):
                resolve_agent(name, notebook.cells[:1], sources)
        else:
            assert resolve_agent(name, notebook.cells[:1], sources).agent.name == name
            below = text + f"\n# %% [^q]\n\n[^q]: [markdown] agent={dump_string(name)}\n\nHi\n"
            assert not found(below, "unknown-agent")
    if not named:
        with pytest.raises(UnknownAgentError):
            resolve_agent("fast", notebook.cells[:1], sources)


def test_an_unreadable_agent_hides_no_other_of_its_name():
    """Else the one in the frontmatter would answer with rights that the cell takes away."""
    cell = {"cell_type": "code", "source": "%agent new writer tools = read"}

    with pytest.raises(UnreadableAgentError, match="column 19"):
        resolve_agent("writer", [cell], AgentSources(FRONTMATTER))


def test_a_default_with_more_words_is_ignored_and_said():
    cell = {"cell_type": "code", "source": "%agent default writer please"}
    answer = resolve_agent(None, [cell], AgentSources("agents: {other: {}, writer: {}}\n"))

    assert answer.agent.name == "other"
    assert "%agent default writer please" in answer.notices[0]


def test_an_agent_line_in_a_note_or_above_other_lines_makes_no_agent():
    note = "# %% [^n]\n\n[^n]: [markdown] cell=markdown\n\n%agent new fast models=m\n"
    more = CODE.format("%agent new slow models=m\nprint()")

    assert list_agents(reads(text_with(note, more))) == ["writer"]
