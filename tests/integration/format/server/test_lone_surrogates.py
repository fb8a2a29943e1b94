r"""A message file with a lone surrogate, over HTTP: opened, saved unchanged, and still what it was."""

from __future__ import annotations

import json

import pytest

LONE = "a \ud800 b"


def _nb(cell):
    return f"# %% [^a]\n\n[^a]: [nb] encoding=json\n\n{json.dumps(cell)}\n"


NOTE = {"cell_type": "markdown", "metadata": {}, "source": LONE}
CODE = {"cell_type": "code", "metadata": {}, "source": "1", "execution_count": None}

TEXTS = {
    "source": _nb(NOTE),
    "metadata": _nb({**NOTE, "source": "x", "metadata": {"k": LONE}}),
    "output": _nb({**CODE, "outputs": [{"output_type": "stream", "name": "stdout", "text": LONE}]}),
    "frontmatter": f"---\njupyter:\n  title: {json.dumps(LONE)}\n---\n\n# %% [^a]\n\nHi\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_can_be_opened_and_saved(server, text):
    server.write("chat.msg.md", text)

    model = server.get("chat.msg.md", type="notebook", content=1)
    saved = {"type": "notebook", "format": "json", "content": model["content"]}
    server.put("chat.msg.md", saved)

    assert server.read("chat.msg.md").decode("utf-8") == text
