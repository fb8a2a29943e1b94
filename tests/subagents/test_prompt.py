"""The prompt of a sub-agent is text of a model: nothing in it has an effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.notebook import parse_prompt
from msgbook.request.context.macros import deactivate, parse_definitions
from msgbook.request.context.tags import find_images, find_tags
from msgbook.subagents.planning import make_source, name_of
from msgbook_format import reads, writes
from msgbook_format.syntax import CHAT_CELLS

ACTIVE = [
    '@[shell{"command": "rm -rf /"}]',
    "@[py:secret]",
    "![x](https://evil.example/a.png)",
    "#define A b",
    "@{define A, b}",
    "`",
    "```\n",
    "\\",
    "@a",
    "![",
    "\n",
    "](http://x)",
]
PROMPTS = st.lists(st.sampled_from(ACTIVE) | st.text(max_size=4), max_size=8).map("".join)


def is_inactive(text):
    tags = find_tags(text).tags
    return (
        not any(tag.tool or tag.text.startswith("py:") for tag in tags)
        and not any(image.is_remote for image in find_images(text))
        and not parse_definitions(text).values
    )


@given(PROMPTS)
def test_a_text_without_effect_has_no_definition_no_call_and_no_remote_image(text):
    assert is_inactive(deactivate(text))


@pytest.mark.parametrize("part", ACTIVE[:5])
def test_a_backslash_takes_the_effect(part):
    assert deactivate(f"see {part}" if part[0] != "#" else part).replace("\\", "", 1) in (
        f"see {part}",
        part,
    )


def test_references_to_files_and_local_images_stay():
    text = "Read @[src/a.py:3] and ![plot](plot.png); `@[py:x]` is code."

    assert deactivate(text) == text


@pytest.mark.parametrize(
    "start", ["!ls", "%%bash\nls", "%time", "%%msg agent=x\n", "\\x", "%continue"]
)
@pytest.mark.parametrize("broadcast", ["", "All: "])
def test_a_prompt_is_a_prompt_whatever_it_begins_with_and_after_a_write_and_read(start, broadcast):
    source = make_source(broadcast, f"{start} and more")

    assert CHAT_CELLS.is_message(source)
    assert parse_prompt(source).attributes == {}
    assert parse_prompt(source).text.endswith(f"{start} and more")
    notebook = reads("")
    notebook["cells"] = [
        {
            "cell_type": "code",
            "id": "abcdef12",
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
    ]
    assert reads(writes(notebook))["cells"][0]["source"] == source


def test_the_name_is_the_beginning_of_the_task_on_one_line():
    assert name_of("Count all the apples\nand pears") == "Count all the apples..."


def test_a_name_shows_what_a_terminal_or_a_page_would_hide():
    assert name_of("a\u202eb\x1b[2Jc") == "a\\u202eb\\u001b[2Jc"


def test_a_task_that_is_short_is_the_name_without_dots():
    assert name_of("Count\nall the apples") == "Count all the apples"
    assert name_of("Look.") == "Look."
