"""Which cells are messages, and what their first line says."""

from __future__ import annotations

import pytest

from msgbook.notebook.cells import is_prompt, missing_magic, model_magic_name, parse_prompt

REGISTERED = {"%time", "%%time", "%%python", "%model"}


@pytest.mark.parametrize(
    "source",
    [
        "Hello",
        "?",
        "what?",
        "50 % of it",
        "%50 of users",
        "% of users",
        "%unknown thing",
        "%%msg\nHi",
        "%%msg agent=x\n!ls",
        "\\!ls",
        "\\%time",
        "%%",
        "#define X 1",
        "  Hello",
        "\n\nHello",
        "%timeless",
        "%unknown thing\nand more",
        "%%unknown",
        "%% of\nusers",
        "%%50\nx",
        "\\%%sql\nselect 1",
        "a\n%%sql\nselect 1",
    ],
)
def test_these_are_prompts(source):
    assert is_prompt(source, REGISTERED.__contains__)


@pytest.mark.parametrize(
    "source",
    [
        *("!ls", "  !ls", "\n\n!ls", "%time 1", "%%time\n1", "\n%%python\n1", "%model x"),
        *("%%sql\nselect 1", "\n%%rust\nfn main() {}", "%%c++\r\nx", "%%sql sqlite://\nselect 1"),
        *("%%go\n", "%%msg-x\n1", "%%msg+ history=none\n1"),
    ],
)
def test_these_are_code(source):
    assert not is_prompt(source, REGISTERED.__contains__)


def test_a_cell_in_the_form_of_a_magic_names_the_magic_that_is_missing():
    def missing(source):
        return missing_magic(source, REGISTERED.__contains__)

    assert missing("%%sql\nselect 1") == "%%sql"
    assert missing("\n%%c++ -O2\nx") == "%%c++"
    for source in ("%%time\n1", "%%python\n1", "%%msg\nHi", "%%sql", "%sql\nx", "!ls\n", "Hi"):
        assert missing(source) is None


@pytest.mark.parametrize(
    ("source", "text", "attributes"),
    [
        ("Hello", "Hello", {}),
        ("\\!ls", "!ls", {}),
        ("\\\\!ls", "\\!ls", {}),
        ("%%msg\nHi", "Hi", {}),
        (
            '%%msg agent="my agent" history=exclude\nHi',
            "Hi",
            {"agent": "my agent", "history": "exclude"},
        ),
        ("\n%%msg model=m\nHi\n", "Hi\n", {"model": "m"}),
        ("   \n  %%msg history=exclude\nsecret", "secret", {"history": "exclude"}),
        ("%%msg it's=odd\nHi", "Hi", {"it's": "odd"}),
        ("%%msgs\nHi", "%%msgs\nHi", {}),
    ],
)
def test_a_prompt_is_taken_apart(source, text, attributes):
    prompt = parse_prompt(source)

    assert (prompt.text, prompt.attributes) == (text, attributes)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("%model a/b:c", "a/b:c"),
        ("  %model x  ", "x"),
        ("%model", None),
        ("%model a b", None),
        ("%model x\nmore", None),
        ("%models x", None),
        ("Hello", None),
    ],
)
def test_only_a_cell_that_is_all_model_magic_sets_the_model(source, name):
    assert model_magic_name(source) == name
