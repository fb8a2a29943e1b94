"""A page gets the cells of a text that is no file of the server, as those of an opened file."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest

from msgbook_format.extras import compared_texts
from msgbook_format.turn import TURN_MIME

CHAT = """# %% [^q1]

[^q1]: [markdown]

How many?

# %%% [^q1-1]

[^q1-1]: [assistant] model="m"

**Two**.
"""


def cells_of(server, path, text):
    return json.loads(server.send("POST", "msgbook/cells", {"path": path, "text": text}))["cells"]


def test_the_cells_are_those_of_the_notebook_that_the_file_opens_as(server):
    server.write("chat.msg.md", CHAT)
    opened = server.get("chat.msg.md", type="notebook")["content"]["cells"]
    for cell in opened:
        cell["metadata"].pop("trusted", None)

    assert cells_of(server, "chat.msg.md", CHAT) == opened
    assert cells_of(server, "no/such/folder/chat.msg.md", CHAT)[0]["source"] == "How many?"


def test_a_markdown_file_has_cells_only_with_a_message_section(server):
    section = f"---\nmessage_section: Log\n---\n\n# Title\n\n## Log\n\n{CHAT}"

    assert cells_of(server, "notes.md", "# Title\n") is None
    assert cells_of(server, "notes.md", section)[-1]["source"] == "How many?"


def test_a_saved_turn_is_in_the_answer_and_nothing_is_written(server):
    (cell,) = cells_of(server, "chat.msg.md", CHAT)

    assert cell["outputs"][0]["data"][TURN_MIME]["blocks"][0]["text"] == "**Two**."
    assert not (server.root / "chat.msg.md").exists()


def test_no_file_that_a_text_names_is_opened(server):
    server.write("secret.txt", "the secret")
    text = CHAT.replace('model="m"', 'model="m" output_file="secret.txt"')
    code = '# %% [^c]\n\n[^c]: [python]\n\n1\n\n# %%% [^c-1]\n\n[^c-1]: [text/plain] output_file="secret.txt"\n'

    assert "the secret" not in json.dumps(cells_of(server, "chat.msg.md", text + "\n" + code))


@pytest.mark.parametrize("body", [None, [], {}, {"path": "a.msg.md"}, {"path": 1, "text": "x"}])
def test_a_wrong_body_is_refused_in_words(server, body):
    with pytest.raises(server.Refused) as refused:
        server.send("POST", "msgbook/cells", body if body is not None else [None])
    assert refused.value.status == 400
    assert "expected" in refused.value.message


def test_a_broken_agent_file_is_refused_with_its_name(server):
    with pytest.raises(server.Refused) as refused:
        cells_of(server, "old.mtm", "no JSON")
    assert refused.value.status == 400
    assert "old.mtm" in refused.value.message


def test_a_text_that_is_too_long_is_refused(server):
    with pytest.raises(server.Refused) as refused:
        cells_of(server, "long.msg.md", "x" * (compared_texts.MAX_CHARACTERS + 1))
    assert refused.value.status == 413
    assert "20,000,000" in refused.value.message


def test_who_is_not_known_gets_nothing(server):
    request = urllib.request.Request(f"{server.url}msgbook/cells", b"{}", method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=300)
    with refused.value as error:
        assert error.code == 403
