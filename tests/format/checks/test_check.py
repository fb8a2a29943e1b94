"""What `check` finds, in which line, and that `fix` changes no notebook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fences import fences_of
from hypothesis import given, settings
from hypothesis import strategies as st

from msgbook_format import check
from msgbook_format.extras.checks import findings, fix
from msgbook_format.extras.checks.file_rules import is_same_notebook

HERE = Path(__file__).parents[1]
FIXTURES = sorted((HERE / "fixtures").glob("*.md"))
DOCS = (HERE.parents[1] / "docs" / "commands.md").read_text("utf-8")
DOCUMENTED = {
    (name, severity)
    for names, severity in re.findall(
        r"^((?:\*\*`[a-z0-9-]+`\*\*(?:, )?)+) \((\w+)[,) ]", DOCS, re.M
    )
    for name in re.findall(r"`([a-z0-9-]+)`", names)
}
EXAMPLES = [
    (re.findall(r"\*\*`([a-z0-9-]+)`\*\*", example.above), example.body)
    for example in fences_of(
        "format/checks/test_check.py::test_an_example_of_the_documentation_is_found_and_nothing_else"
    )
]


def found(text):
    return [(finding.line, finding.code) for finding in check(text)]


PROMPT = "# %% [^a]\n\n[^a]: [markdown]\n\nHello\n\n"

CASES = {
    "a byte order mark": ("\ufeff# %%\n", [(1, "bom")]),
    "the first line that ends otherwise": ("# %%\r\nx\r\ny\nz\r\n", [(3, "mixed-line-ends")]),
    "CR alone, with markers": ("# %% a\r\rhi\r# %% b\r\rho\r", [(1, "cr-line-ends")]),
    "CR alone, with a last LF": ("---\rx: 1\r---\r# %% a\r\n", [(1, "cr-line-ends")]),
    "CR alone, and no marker": ("one\rtwo\rthree", [(1, "cr-line-ends")]),
    "one line that ends with CR": ("one\r", [(1, "control-character")]),
    "NUL and CR, once a line": ("# %%\na\0b\0\nc\rd\n", [(2, "control-character"), (3, "control-character")]),
    "what git could not merge": (
        "# %% a\n\n<<<<<<< HEAD\nb\n||||||| 1a2b\n=======\nc\n>>>>>>> other\n",
        [(3, "conflict-mark"), (5, "conflict-mark"), (6, "conflict-mark"), (8, "conflict-mark")],
    ),
    "a mark of git with CRLF, in a fence": ("# %%\r\n```\r\n>>>>>>> b\r\n```\r\n", [(3, "conflict-mark")]),
    "a mark of git in the frontmatter": ("---\na: 1\n>>>>>>> b\n---\n", [(3, "conflict-mark"), (3, "frontmatter-yaml")]),
    "a heading, and marks that git does not make": (
        "# %%\nTitle\n=======\n <<<<<<< a\n<<<<<<<< a\n>>>>>>>b\n||||||| x\n", []
    ),
    "no heading": ("---\nmessage_section: Log\n---\n\n# Notes\n", [(2, "section-missing")]),
    "no heading and no text": ("---\nmessage_section: Log\n---\n", [(2, "section-missing")]),
    "a section behind the messages": (
        "---\nmessage_section: true\n---\n# T\n\n## Discussion\n\n# %% a\n\n### fine\n\n## End\n",
        [(12, "section-not-last")],
    ),
    "a section instead of messages": (
        "---\nmessage_section: true\n---\n## Discussion\n\ntext\n\n# End\n",
        [(8, "section-not-last")],
    ),
    "a message above the section": (
        "---\nmessage_section: true\n---\n# %% a\n\n## Discussion\n",
        [(4, "marker-above-section")],
    ),
    "YAML with its line": ("---\na: 1\nb: [\n---\n\n# %%\n", [(4, "frontmatter-yaml")]),
    "YAML with a control character": ("---\na: 1\nb: \x07\n---\n", [(3, "frontmatter-yaml")]),
    "a list for a frontmatter": ("---\n- a\n---\n", [(2, "frontmatter-yaml")]),
    "deep YAML": ("---\na: " + "[" * 100_000 + "\n---\n", [(2, "frontmatter-yaml")]),
    "deep YAML between quotes": ("---\na: ['\"', " + "[" * 99_999 + "\"]\n---\n", [(2, "frontmatter-yaml")]),
    "deep YAML in one line": ("---\n" + "- " * 100_000 + "\n---\n", [(2, "frontmatter-yaml")]),
    "a scalar for jupyter": ("---\na: 1\njupyter: 5\n---\n", [(3, "jupyter-key")]),
    "a key twice": ("---\nagents: {}\nb: 1\nagents: {}\n---\n", [(4, "duplicate-key")]),
    "agents as a list": ("---\nagents: [a]\n---\n", [(2, "agents-type")]),
    "properties of wrong types": (
        "---\nagents:\n  a: {models: 5}\n  b:\n    reasoning: maybe\n  c: x\ndefault_agent: [a]\n---\n",
        [(3, "agents-type"), (5, "agents-type"), (6, "agents-type"), (7, "agents-type")],
    ),
    "a default that is not defined": ("---\nagents: {a: {}}\ndefault_agent: b\n---\n", [(3, "unknown-agent")]),
    "a property that there is not": (
        "---\nagents:\n  a:\n    temprature: 1\n    tools: [7]\n---\n", [(4, "unknown-property"), (5, "agents-type")]
    ),
    "tools of the server, which only the user gives": (
        ("---\nagents:\n  a:\n    server_tools: [web_search]\n---\n\n# %% [^n]\n\n[^n]: [code]\n\n"
        "```ipython\n%agent new b server_tools=web_search\n```\n"),
        [(4, "users-property"), (7, "users-property")],
    ),
    "an agent without a property, and the one that is always there": (
        "---\nagents:\n  a: {models: , reasoning: ~}\n  b:\ndefault_agent: assistant\n---\n", []
    ),
    "more agents than are read": (
        ("---\nx: &x [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\ny: &y [*x, *x, *x, *x, *x, *x, *x, *x, *x, *x]\n"
        "z: &z [*y, *y, *y, *y, *y, *y, *y, *y, *y, *y]\n"
        "agents: {a: {models: [*z, *z, *z, *z, *z, *z, *z, *z, *z, *z]}}\n---\n"),
        [(5, "frontmatter-yaml")],
    ),
    "properties of a temporary agent": (
        "# %% [^n]\n\n[^n]: [code]\n\n```ipython\n%agent new b temprature=1 models=m max_steps=no gpt-5\n```\n",
        [(1, "agents-type"), (1, "unknown-property"), (1, "unreadable-magic")],
    ),
    "names that are not defined": (
        ("---\nagents: {a: {}}\n---\n\n# %% [^p]\n\n[^p]: [markdown] agent=b\n\nx\n\n"
        "# %%% [^p-1]\n\n[^p-1]: [c]\n\ny\n\n# %%% [^p-2]\n\n[^p-2]: [a]\n\nz\n"),
        [(7, "unknown-agent"), (13, "unknown-agent")],
    ),
    "messages above the cell that makes their agent": (
        ("---\ndefault_agent: b\n---\n\n# %% [^p]\n\nx\n\n# %% [^q]\n\n%%msg agent=assistant\ny\n\n"
        "# %% [^o]\n\n[^o]: [code]\n\n```ipython\n%agent default c\n```\n\n# %% [^r]\n\n%%msg history=exclude\nz\n\n"
        "# %% [^n]\n\n%agent new b\n\n# %% [^m]\n\n%agent new c\n"),
        [(5, "agent-too-late"), (22, "agent-too-late")],
    ),
    "a temporary agent with a prompt": (
        "# %% [^n]\n\n[^n]: [code]\n\n```ipython\n%agent new b system_prompt=x\n```\n",
        [(1, "temporary-agent")],
    ),
    "an agent's magic in Python": (
        ("---\nagents: {a: {}}\n---\n\n# %% [^n]\n\n[^n]: [code]\n\n%agent new b models=x\n\n"
        "# %% [^o]\n\n[^o]: [code]\n\n```py\n%agent default a\n```\n\n# %% [^p]\n\n[^p]: [markdown] agent=b\n\nx\n"),
        [(5, "agent-in-python"), (11, "agent-in-python"), (21, "unknown-agent")],
    ),
    "Jupytext's keys": (
        "---\njupytext: {}\njupyter:\n  nbrmd_formats: ipynb\n  jupytext: {text_representation: {}, comment_magics: true}\n---\n",
        [(2, "jupytext-ignored"), (4, "jupytext-ignored"), (5, "jupytext-ignored")],
    ),
    "formats as a list": ("---\njupyter:\n  jupytext:\n    formats: [ipynb]\n---\n", [(3, "jupytext-formats")]),
    "a bare format": ("---\njupyter: {jupytext: {formats: 'ipynb,.msg.md'}}\n---\n", [(2, "jupytext-formats")]),
    "another file's format": ("---\njupyter: {jupytext: {formats: 'ipynb,py:light'}}\n---\n", [(2, "jupytext-formats")]),
    "near markers outside fences": (
        "# %% a\n\n#%%\n\n```\n#%%\n```\n# %%Title\n# %%%%\n###### %%\n\\#%%\n",
        [(3, "near-marker"), (8, "near-marker"), (9, "near-marker"), (10, "near-marker")],
    ),
    "quoted markers with their footnotes": (
        "# %% a\n\n\\# %% [^b]\n\n[^b]: [code] history=0\n\n#%% [^c]\n\n[^c]: [code]\n",
        [(7, "near-marker"), (9, "unread-footnote")],
    ),
    "outputs before the first cell": ("Hi\n\n# %%% x\n\n# %% a\n", [(3, "orphan-output")]),
    "outputs below a note": (
        "# %% [^a]\n\n[^a]: [raw]\n\nx\n\n# %%% [^a-1]\n\ny\n\n# %% b\n", [(7, "orphan-output")]
    ),
    "markers in a fence": (
        "# %% a\n\n```md\n# %% b\n\n# %%% c\n```\n\nend\n", [(4, "marker-in-fence"), (6, "marker-in-fence")]
    ),
    "open fences of prompt and code": (
        "# %% a\n\n~~~\nx\n\n# %% [^b]\n\n[^b]: [code]\n\n```\ny\n", [(3, "unclosed-fence"), (10, "unclosed-fence")]
    ),
    "labels that do not match": (
        "[^x]: [markdown]\n\n# %% a\n\n[^b]: [raw]\n\n# %% [^c]\n\ntext\n\n[^c]: [code]\n",
        [(1, "unread-footnote"), (5, "unread-footnote")],
    ),
    "a footnote elsewhere in two lines": (
        "# %% [^a]\n\nHi\n\n# %% b\n\n[^a]: [markdown]\n    history=none\n", [(8, "unread-footnote")]
    ),
    "footnotes elsewhere": (
        "# %% [^a]\n\nHi\n\n# %% [^b]\n\n[^b]: [raw]\n\nHi\n\n[^a]: [raw] history=nine\n[^b]: [raw]\n[^a]: [code]\n",
        [(11, "bad-history"), (12, "unread-footnote"), (13, "unread-footnote")],
    ),
    "ids and ids by attribute": (
        "# %% [^a]\n\n# %% [^b]\n\n[^b]: [markdown] id=\"a\"\n\n# %% [^c]\n", [(3, "duplicate-id")]
    ),
    "calls with one label": (
        PROMPT + "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x turn_status=running\n\n"
        "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x\n",
        [(11, "duplicate-id")],
    ),
    "lines that are nearly footnotes": (
        "# %% [^a]\n\n> [^a]: [markdown] history=none\n\n# %% [^b]\n\n[^B] [raw]\n\n# %% [^c]\n\n[^c]: [raw]\n\n\\[^d\\]: history=none\n\n[^e]: [sic] prose\n\n[^c] says history\n",
        [(3, "unread-footnote"), (7, "unread-footnote")],
    ),
    "a footnote of two lines": (
        "# %% [^a]\n\n[^a]: [markdown]\n  history=none\n\n# %% [^b]\n\n[^b]: [markdown]\n\nhistory\n",
        [(4, "unread-footnote")],
    ),
    "marks that are nearly spelled": (
        "# %% [^a]\n\n[^a]: [markdown] History=none\n\n# %% [^b]\n\n[^b]: [RAW]\n\n# %% [^c]\n\n[^c]: [markdown] history\n",
        [(3, "unread-footnote"), (7, "unread-footnote"), (11, "unread-footnote")],
    ),
    "a %%msg line with a word that nobody knows": (
        "# %% a\n\n%%msg histroy=none\nHi\n", [(3, "misspelled-mark")]
    ),
    "an open quote": ("# %% [^a]\n\n[^a]: [markdown] x=\"\\\"y\" agent=\"b c\n", [(3, "unclosed-quote")]),
    "an attribute twice": ("# %% [^a]\n\n[^a]: [raw] x=1 x=2 x\n", [(3, "duplicate-attribute")]),
    "results without their call": (
        PROMPT + "# %%% [^a-1.11111111.1]\n\n[^a-1.11111111.1]: [tool] status=success\n\n"
        "# %%% [^a-2]\n\n[^a-2]: [tool] status=success call=\"call_9\"\n",
        [(7, "result-without-call"), (11, "result-without-call")],
    ),
    "a call of another turn": (
        PROMPT + "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x turn_status=error\n\n"
        "# %%% [^a-2]\n\n[^a-2]: [bot] turn=\"{}\"\n\nx\n\n"
        "# %%% [^a-1.11111111.1]\n\n[^a-1.11111111.1]: [tool] status=success\n",
        [(17, "result-without-call")],
    ),
    "a call of a finished turn": (
        PROMPT + "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x\n\n"
        "# %%% [^a-1.22222222]\n\n[^a-1.22222222]: [tool] name=x unfinished\n",
        [(7, "call-without-result")],
    ),
    "calls that say no arguments": (
        PROMPT + "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x turn_status=error\n\n<x>ls</x>\n\n"
        "# %%% [^a-1.22222222]\n\n[^a-1.22222222]: [tool]\n\n<invoke name=\"x\">\nls\n</invoke>\n\n"
        "# %%% [^a-1.33333333]\n\n[^a-1.33333333]: [tool] name=x\n\n<x/>\n\n"
        "# %%% [^a-1.44444444]\n\n[^a-1.44444444]: [tool] name=x\n",
        [(11, "unreadable-call"), (17, "unreadable-call")],
    ),
    "a call in a cell that broke": (
        PROMPT + "# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] name=x turn_status=interrupted\n", []
    ),
    "JSON with its line": (
        "# %% [^a]\n\n[^a]: [nb] encoding=json\n\n{\n\"a\": }\n", [(6, "bad-json")]
    ),
    "JSON that is no object": ("# %% [^a]\n\n[^a]: [nb] encoding=json\n\n[]\n", [(5, "bad-json")]),
    "JSON of attributes": (
        PROMPT + "# %%% [^a-1]\n\n[^a-1]: [bot] usage=\"{}\" context=\"[]\" extra=\"\"\n", [(9, "bad-json"), (9, "bad-json")]
    ),
    "BASE64 by its type": (
        ("# %% [^a]\n\n[^a]: [code]\n\nx\n\n# %%% [^a.1]\n\n[^a.1]: [python] mime_type=\"image/png\"\n\n"
        "aGVs\nbG\u00e9\nbG8=\n"),
        [(12, "bad-base64")],
    ),
    "BASE64 that is cut short": (
        ("# %% [^a]\n\n[^a]: [raw]\n\nx\n\n# %%% [^a.a1]\n\n"
        "[^a.a1]: [attachment] name=\"f\" mime_type=\"x/y\" encoding=base64\n\naGVs\nbG\n"),
        [(12, "bad-base64")],
    ),
    "a history of its own": ("# %% [^a]\n\n[^a]: [markdown] history=maybe\n", [(3, "bad-history")]),
    "a history of an output": (
        "# %% [^a]\n\n[^a]: [code]\n\nx\n\n# %%% [^a.1]\n\n[^a.1]: [python] history=hide\n\nstdout> y\n",
        [(9, "bad-history")],
    ),
    "a history that hides nothing": (
        ("# %% [^a]\n\n[^a]: [code]\n\nx\n\n# %%% [^a.1]\n\n[^a.1]: [python] output=none history=none\n\n"
        "# %% [^b]\n\n[^b]: [raw] history=none\n\nx\n"),
        [(9, "useless-history"), (13, "useless-history")],
    ),
    "marks of other outputs": (
        ("# %% [^a]\n\n[^a]: [code] metadata=\"{\\\"msgbook\\\":{\\\"output_history\\\":{\\\"7\\\":\\\"none\\\"}}}\"\n\nx\n\n"
        "# %%% [^a.1]\n\n[^a.1]: [python]\n\nstdout> y\n"),
        [(3, "stale-output-history")],
    ),
    "a history of a %%msg line": (
        "---\nagents: {a: {}}\n---\n\n# %% [^p]\n\n%%msg history=maybe agent=\"b c\"\nHi\n",
        [(5, "unknown-agent"), (7, "bad-history")],
    ),
    "times and durations": (
        PROMPT + "# %%% [^a-1]\n\n[^a-1]: [bot] time=\"noon\"\n\nx\n\n"
        "# %%% [^a-2]\n\n[^a-2]: [bot] reasoning=1 duration=long cells=-1\n",
        [(9, "bad-time"), (15, "bad-count"), (15, "bad-duration")],
    ),
    "statuses": (
        PROMPT + "# %%% [^a-1.1]\n\n[^a-1.1]: [tool] name=x turn_status=over\n\n"
        "# %%% [^a-1.1.1]\n\n[^a-1.1.1]: [tool] status=fine\n",
        [(9, "bad-status"), (13, "bad-status")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_it_is_found_in_its_line_and_nothing_else(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(("codes", "text"), EXAMPLES, ids=[" ".join(c) for c, _ in EXAMPLES])
def test_an_example_of_the_documentation_is_found_and_nothing_else(codes, text):
    assert {code for _, code in found(text)} == set(codes)


def test_a_finding_shows_the_value_that_was_found():
    text = "---\nagents:\n  a: {temperature: hot, models: {}}\n---\n"

    assert [finding.message.rpartition(", ")[2] for finding in check(text)] == [
        "found a mapping",
        "found `hot`",
    ]


def test_every_row_is_documented_with_its_severity():
    rows = {
        (row.name, row.severity) for row in vars(findings).values() if isinstance(row, findings.Row)
    }

    assert rows == DOCUMENTED


def test_every_name_has_a_case():
    told = {code for _, expected in CASES.values() for _, code in expected} | {"output-file"}

    assert told == {name for name, _ in DOCUMENTED}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_a_fixture_has_no_findings_of_structure(path):
    text = path.read_bytes().decode("utf-8")
    structure = {"near-marker", "marker-in-fence", "orphan-output", "unread-footnote"}

    assert [finding for finding in check(text) if finding.code in structure] == []


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("\ufeff# %%\n", "# %%\n"),
        ("# %% a\r\n\nx\n", "# %% a\n\nx\n"),
        (
            "# %% [^a]\n\n[^a]: [code]\n\n~~~~py\nx\n",
            "# %% [^a]\n\n[^a]: [code]\n\n~~~~py\nx\n~~~~\n",
        ),
        (
            "# %% [^a]\r\n\r\n[^a]: [code]\r\n\r\n```\r\nx\r\n\r\n# %%% b\r\n",
            "# %% [^a]\r\n\r\n[^a]: [code]\r\n\r\n```\r\nx\r\n```\r\n\r\n# %%% b\r\n",
        ),
        ("# %% [^a]\n\n[^a]: [code]\n\n```\nx", "# %% [^a]\n\n[^a]: [code]\n\n```\nx\n```"),
    ],
    ids=["byte order mark", "line ends", "fence", "fence with CRLF", "fence at the end"],
)
def test_safe_fixes_are_made(text, fixed):
    assert any(finding.fixable for finding in check(text))
    assert fix(text) == fixed
    assert not any(finding.fixable for finding in check(fixed))


def test_the_frontmatter_keeps_its_line_ends():
    text = "---\na: 1\r\n---\n\n# %%\n"

    assert fix(text) == text
    assert not any(finding.fixable for finding in check(text))


def test_output_files_are_looked_at_by_whom_the_caller_names():
    text = (
        PROMPT
        + '# %%% [^a-1]\n\n[^a-1]: [python] output=display_data output_file="f.png" sha256="00"\n'
    )
    asked = []

    def look(name, digest):
        asked.append((name, digest))
        return "it is gone"

    assert [(f.line, f.code, f.message) for f in check(text, output_file=look)] == [
        (9, "output-file", "it is gone")
    ]
    assert asked == [("f.png", "00")]
    assert check(text) == []


def test_agents_that_are_defined_elsewhere_are_known_to_whom_the_caller_names():
    alone = "---\ndefault_agent: b\n---\n"
    beside = "---\nagents: {a: {}}\ndefault_agent: b\n---\n"

    def codes(text, agents):
        return [finding.code for finding in check(text, agents=agents)]

    assert codes(alone, None) == []  # it may be defined elsewhere
    assert codes(alone, ["b"]) == codes(beside, ["b"]) == []
    assert codes(alone, []) == codes(beside, None) == ["unknown-agent"]


def head(footnote, body="Hi"):
    return f"# %% [^a]\n\n[^a]: [markdown] {footnote}\n\n{body}\n"


@pytest.mark.parametrize(
    "word",
    [
        "histroy=none",
        "hisotry=none",
        "histoy=none",
        "hstory=none",
        "histry=none",
        "histor=none",
        "hist=none",
        "histroy:none",
        "HISTORY=none",
        "none",
        "exclude",
        "hide",
        "Exclude",
    ],
)
def test_a_word_that_is_nearly_a_mark_is_named(word):
    (finding,) = check(head(f"topic=x {word}"))

    assert (finding.line, finding.code) == (3, "unread-footnote")
    assert "so the cell is not sent to a model" in finding.message


@pytest.mark.parametrize(
    "footnote",
    [
        'note="none"',
        "tags=x story=1 pinned",
        "histogram=1 his=2",
        'history="none" none',
        "nonesuch",
    ],
)
def test_words_of_other_programs_are_no_misspelled_marks(footnote):
    assert check(head(footnote)) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("%%msg histroy=exclude", "`histroy`, so it has no effect. Did you mean `history`?"),
        ("%%msg History=exclude", "`History`, so it has no effect. Did you mean `history`?"),
        ("%%msg agnet=b", "`agnet`, so it has no effect. Did you mean `agent`?"),
        ("%%msg x=b", "`x`, so it has no effect: expected agent, answer_limit, history"),
        (
            "%%mgs history=exclude",
            "`%%mgs` is not `%%msg`: the cell is sent as code, its attributes hide",
        ),
        (
            "%msg agent=b",
            "`%msg` is not `%%msg`: its attributes have no effect, so it hides nothing.",
        ),
        ("%%message history=0", "`%%message` is not `%%msg`"),
    ],
)
def test_a_line_that_is_nearly_a_msg_line_is_named(line, told):
    (finding,) = check(f"# %% [^a]\n\n{line}\nHi\n")

    assert (finding.line, finding.code) == (3, "misspelled-mark")
    assert told in finding.message


@pytest.mark.parametrize(
    "line",
    [
        " %%msg history=exclude",
        "%%bash",
        "%%time history = fit(x)",
        "%continue",
        "100% sure",
        "history = model.fit(x, y) gives an error, why?",
        "My browser history: where is it stored?",
        "bash history = 1000 lines",
        "[1] history of the world",
        "[^a]: Some note about history",
        "[^a]: [Smith 2020] Bees, p. 4.",
        "[^a]: [Jones] https://example.com/?page=7",
        "[^3]: [Jones] https://example.com/?page=7",
        "[^3]: [Jones] <https://example.com/a?page=7>",
        "[^3]: https://example.com/?page=7",
    ],
)
def test_ordinary_text_below_a_marker_is_no_mark(line):
    text = f"# %% [^a]\n\n{line}\nHi\n"
    if line.startswith("[^"):
        text = f"# %% [^a]\n\nHi\n\n{line}\n"

    assert check(text) == []


@pytest.mark.parametrize("line", ["[markdown] history=none", "history = none", ": [raw]"])
def test_a_footnote_without_its_label_is_shown_with_it(line):
    (finding,) = check(f"# %% [^a]\n\n{line}\n\nHi\n")

    written = "[^a]: [raw]" if "raw" in line else "[^a]: [markdown] history=exclude"
    assert (finding.line, finding.code) == (3, "unread-footnote")
    assert finding.message == (
        "this line cannot be read as the footnote of the marker in line 1, so the cell is not sent to a model. "
        f"Write `{written}` below a marker that ends with `[^a]`"
    )


@pytest.mark.parametrize(
    ("marker", "written"),
    [
        (
            "# %% A title[^a]: [markdown] history=none",
            "[^a]: [markdown] history=exclude` below a marker",
        ),
        ("# %% [^a] [^a]: [raw]", "[^a]: [raw]` below a marker that ends with `[^a]`"),
        ("# %% [raw]", "[^a]: [raw]` below a marker that ends with `[^a]`"),
        ("# %% A title [raw]", "[^a]: [raw]` below a marker that ends"),
        ('# %% [markdown] history="none"', "[^a]: [markdown] history=exclude` below a"),
        ("# %% history=none [^b]", "[^b]: [markdown] history=exclude` below a marker"),
        ("# %% [Raw][^b]", "[^b]: [raw]` below a marker"),
    ],
)
def test_a_mark_on_the_line_of_a_marker_is_named(marker, written):
    (finding,) = check(f"{marker}\n\nHi\n")

    assert (finding.line, finding.code) == (1, "unread-footnote")
    assert "so the cell is not sent to a model" in finding.message
    assert f"Write `{written}" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "# %% The history: none of it is known",
        "# %% raw data [2020]",
        "# %% [markdown]",
        "# %% [^a] [^b]",
        "# %% [raw][^a]\n\n[^a]: [raw]",
        "# %% history=none[^a]\n\n[^a]: [markdown] history=none",
    ],
)
def test_an_ordinary_title_is_no_mark(text):
    assert check(f"{text}\n\nHi\n") == []


TURN = "# %% [^a]\n\nHi\n\n# %%% [^a-1.11111111]\n\n[^a-1.11111111]: [tool] "


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "# %% [^a]\n\nHi\n\n[^b]: [raw] history=none\n",
            (
                "no marker takes this line as its footnote, so what it may belong to is not sent to a model. Put it in "
                "one line below its marker, with the marker's label, or write `\\` before it if it is text"
            ),
        ),
        (
            "# %% [^a]\n\nHi\n\n[^b]: [raw]\n",
            (
                "no marker takes this line as its footnote, so what it may belong to is not sent to a model. Put it in "
                "one line below its marker, with the marker's label, or write `\\` before it if it is text"
            ),
        ),
        (
            head("history="),
            "expected include, exclude or summary, found nothing: nothing of it is sent",
        ),
        (
            f'{TURN}status="success"\n\n<path>x</path>\n',
            (
                "this result belongs to a call labelled `[^a-1]`, but the turn has none: there is no call "
                'above it. If this is a call, write `name="TOOL"` in its footnote'
            ),
        ),
        (
            f'{TURN}name="read" unfinished\n\n<invoke name="grep"><pattern>x</pattern></invoke>\n',
            (
                "the body calls `grep`, but the footnote says `read`: the whole text is sent as the value of "
                "`invalid_json`"
            ),
        ),
        (
            f'{TURN}name="read" unfinished\n\nls\n',
            (
                "expected arguments as JSON or XML elements, found neither: the whole text is sent as the value "
                "of `invalid_json`"
            ),
        ),
    ],
)
def test_a_finding_says_what_the_line_does_and_what_to_write(text, told):
    assert [finding.message for finding in check(text)] == [told]


def test_a_finding_proposes_a_history_only_where_one_was_meant():
    (finding,) = check("# %% [^a]\n\nHi\n\n[^a]: [markdown] pinned\n")

    assert "history" not in finding.message


LINES = [
    "", "", "text", "# %%", "# %% [^a]", "# %% [^b]", "# %%% [^a-1]", "# %%% [^a-1.11111111]",
    "# %%% [^a-1.11111111.1]", "[^a]: [code]", "[^a]: [markdown] agent=b history=x",
    "[^a]: [raw]", "[^a]: [nb] encoding=json", "[^b]: [code]", "[^a-1]: [bot] turn=\"{\" time=\"\"",
    "[^a-1.11111111]: [tool] name=x", "[^a-1.11111111.1]: [tool] call=\"", "[^a-1]: [x] encoding=base64",
    "[^a-1]: [attachment] name=f mime_type=image/png", "```", "```python", "~~~~", " ```", "#%%",
    "###### %%", "\\# %%", "\\", "%agent new x system_prompt=y", "stdout> x", "{", "{}", "aGVs", "b\u00e9",
    "---", "jupyter:", "  jupytext: {formats: [a]}", "agents: {a: {models: 1}}", "agents: &x [*x]",
    "default_agent: b", "message_section: true", "## Discussion", "# End", "a: [", "\x00", "x\ry", "\r",
    "\u2028", "\x85", "\ufeff", "\ud800",
]  # fmt: skip

TEXTS = st.builds(
    lambda start, lines: start + "".join(line + end for line, end in lines),
    st.sampled_from(["", "\ufeff", "---\n", "---\nmessage_section: true\n---\n## Discussion\n"]),
    st.lists(
        st.tuples(st.sampled_from(LINES), st.sampled_from(["\n"] * 6 + ["\n\n", "\r\n"])),
        max_size=20,
    ),
)


@settings(derandomize=True)
@given(TEXTS)
def test_no_text_raises_and_fixing_changes_no_notebook(text):
    findings = check(text)
    fixed = fix(text)

    assert all(1 <= finding.line <= text.count("\n") + 1 for finding in findings)
    assert is_same_notebook(text, fixed)
    assert (fixed != text) == any(finding.fixable for finding in findings)
    assert not any(finding.fixable for finding in check(fixed))
