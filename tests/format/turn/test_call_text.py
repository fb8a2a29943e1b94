"""Arguments in the body of a call, however a model wrote it. Further forms are in the conformance suite."""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format import jsontext, reads, writes
from msgbook_format.turn import TURN_MIME, to_markdown
from msgbook_format.turn.output_cells.call_text import read_call_text
from msgbook_format.turn.output_cells.elements import MAX_DEPTH

from ..laws import assert_notebook_laws


def arguments(text, name="x"):
    found = read_call_text(text, name).arguments
    return None if found is None else json.loads(found)


def read_turn(body):
    nb = reads(
        f'# %% [^a]\n\nHi\n\n# %%% [^a-1.5f3a90c2]\n\n[^a-1.5f3a90c2]: [tool] name="read"\n\n{body}\n'
    )
    return nb["cells"][0]["outputs"][0]["data"][TURN_MIME]


PIECES = st.sampled_from([
    "<", ">", "</", "/>", "<a>", "</a>", "<x>", "</x>", "<name>", "</name>", "a", "x", " ", "\n", "{", '"', "'",
    '{"name": "x", "arguments": {"a": 1}}', '{"a": "<b>"}', "{}", "<tool_call>", "</tool_call>", "<arguments>",
    "</arguments>", '<invoke name="x">', "<invoke name='a'>", "</invoke>", "<function=x>", "</function>", "<x/>",
    "<parameter=a>", "</parameter>", '<parameter name="b">', "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&lt;",
    "&#13;", "&#0;", "&#xD800;", '<a b="c"/>', '<p:a xmlns:p="u">', "</p:a>", "<!DOCTYPE x>", "é",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@given(TEXTS, st.sampled_from([None, "x", "a"]))
def test_any_text_gives_one_json_object_or_is_not_understood(text, name):
    found = read_call_text(text, name)

    assert found.name == name or name is None
    if found.arguments is not None:
        assert jsontext.load_object(found.arguments) is not None
        assert not jsontext.needs_json(found.arguments)


@given(TEXTS)
def test_a_name_that_the_text_gives_changes_nothing_when_the_footnote_says_it_too(text):
    found = read_call_text(text, None)

    if found.name is not None:
        assert read_call_text(text, found.name) == found


KEYS = st.sampled_from(["path", "start", "content", "ns:key", "k-1", "路径"])
VALUES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\0")),
    lambda values: st.dictionaries(KEYS, values | st.lists(values, min_size=2, max_size=3), min_size=1),
    max_leaves=6,
)  # fmt: skip


def elements(values):
    """Values as elements. A line end inside a tag belongs to the tag, so each text has one more."""
    pairs = [
        (key, item)
        for key, value in values.items()
        for item in (value if isinstance(value, list) else [value])
    ]
    return "".join(
        f"<{key}>{elements(item) if isinstance(item, dict) else chr(10) + escape(item) + chr(10)}</{key}>"
        for key, item in pairs
    )


@given(st.dictionaries(KEYS, VALUES, min_size=1))
def test_elements_give_back_what_they_were_made_of(values):
    for text in (
        f"<x>{elements(values)}</x>",
        f"<tool_call><arguments>{elements(values)}</arguments></tool_call>",
    ):
        assert arguments(text) == values


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\0<&")))
def test_text_stands_as_it_is_but_for_a_line_end_at_the_tags(text):
    assert arguments(f'<invoke name="x"><parameter name="a">\n{text}\n</parameter></invoke>') == {
        "a": text
    }


@pytest.mark.parametrize("value", ["1", "true", "null", "[1]", '{"a": 1}', "1.0"])
def test_values_are_strings_also_those_that_look_like_json(value):
    assert arguments(f"<x><a>{value}</a></x>") == {"a": value}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<a>one</a><b>two</b>", {"a": "one", "b": "two"}),
        ('<x a="1"><a>2</a><b/></x>', {"a": ["1", "2"], "b": ""}),
        ('<param name="a" value="1"/>', {"a": "1"}),
        ("<p:invoke name='x'><p:parameter name='a'>1</p:parameter></p:invoke>", {"a": "1"}),
        ('<tool_call id="c1" name="x"><a>1</a></tool_call>', {"a": "1"}),
        ('<tool_call>{"name": "x", "arguments": "{\\"a\\": 1}"}</tool_call>', {"a": 1}),
        ('<tool_call>{"name": "y", "age": 3}</tool_call>', {"name": "y", "age": 3}),
        (
            '<parameter name="a"><p class="b">one</p> &lt;</parameter>',
            {"a": '<p class="b">one</p> &lt;'},
        ),
        ("<x><a><!-- no tag: <b> --></a></x>", {"a": "<!-- no tag: <b> -->"}),
        ("```xml\n<x><a>1</a></x>\n```", {"a": "1"}),
        ('<function=x>{"a": 1}</function>', {"a": 1}),
        ("<x></x>", {}),
        ("<tool_call></tool_call>", {}),
    ],
)
def test_a_usual_form_is_understood(text, expected):
    assert arguments(text) == expected


@pytest.mark.parametrize(
    "text", ["ls -la", "<x>ls</x>", "<x><a>1</x>", "{", "[1]", "<x>1<a>2</a></x>", '{"a": NaN}']
)
def test_what_leaves_something_unsaid_is_not_understood(text):
    assert arguments(text) is None


def test_a_reader_is_shown_the_arguments_or_the_whole_text():
    shown = to_markdown(read_turn("<read><path>a.py</path></read>"))
    whole = to_markdown(read_turn("<read>a.py</read>"))

    assert '"path": "a.py"' in shown
    assert "<read>a.py</read>" in whole


def test_entities_of_a_document_type_are_not_expanded():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

    assert arguments(f"<!DOCTYPE x [{laughs}]><x><a>&l9;</a></x>") is None
    assert arguments("<x><a>&l9;</a></x>") == {"a": "&l9;"}


def test_elements_that_nest_too_deep_are_text():
    deep = "<b>" * 10 * MAX_DEPTH + "</b>" * 10 * MAX_DEPTH

    assert arguments(f"<x><a>{deep}</a></x>") == {"a": deep}


def test_a_call_is_written_as_it_stands_as_long_as_that_gives_its_arguments():
    body = "<read><path>a.py</path></read>"
    text = f'# %% [^a]\n\nHi\n\n# %%% [^a-1.5f3a90c2]\n\n[^a-1.5f3a90c2]: [tool] name="read"\n\n{body}\n'
    nb = reads(text)
    (call,) = nb["cells"][0]["outputs"][0]["data"][TURN_MIME]["blocks"]

    assert (call["arguments"], call["xml"]) == ('{"path": "a.py"}', body)

    del nb["cells"][0]["metadata"]["msgbook"]
    assert body in writes(nb)

    call["arguments"] = '{"path": "b.py"}'
    assert '<tool_call><arguments>{"path": "b.py"}</arguments></tool_call>' in writes(nb)
    assert_notebook_laws(nb)
