"""Frontmatter that ends, stalls or confuses a YAML parser: it is text like any other."""

from __future__ import annotations

import pytest

from msgbook_format import reads, writes
from msgbook_format.extras.checks import check
from msgbook_format.syntax.yaml_nodes import YamlError, compose


@pytest.mark.parametrize(
    "value",
    [
        "1" + ":10" * 50_000,
        "1" + ":10" * 1000 + ".5",
        "0x1" + "0" * 10_000,
        "1" + "0" * 10_000,
        "0001-01-01T00:00:00+10:00",
    ],
    ids=["base 60", "base 60, a float", "base 16", "base 10", "a time before all times"],
)
def test_values_that_no_json_can_hold_stay_in_the_text(value):
    text = f"---\njupyter:\n  x: {value}\nmessage_section: {value}\n---\n# %% a\n"

    notebook = reads(text)

    assert notebook.metadata["msgbook"]["frontmatter"] == text[4:].partition("---")[0]
    assert writes(notebook) == text
    assert [finding.code for finding in check(text)] == ["jupyter-key"]


@pytest.mark.parametrize("depth", [199, 201])
def test_depth_is_counted_where_yaml_counts_it(depth):
    text = "x:\n- '[" + "[" * 1000 + "'\n- " + "[" * (depth - 2) + "]" * (depth - 2)

    if depth <= 200:
        assert compose(text) is not None
    else:
        with pytest.raises(YamlError, match="deeper than 200") as raised:
            compose(text)
        assert raised.value.line == 3
