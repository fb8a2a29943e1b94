"""What the menu downloads is never called as the chat itself."""

from __future__ import annotations

import urllib.parse
import urllib.request

import pytest

CHAT = "# %% [^q1]\n\n[^q1]: [markdown]\n\nHow many?\n"
SECTION = f"---\nmessage_section: Log\n---\n\n# Title\n\n## Log\n\n{CHAT}"
NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def download(server, path, exporter):
    """The name under which a browser saves an export."""
    url = f"{server.url}nbconvert/{exporter}/{urllib.parse.quote(path)}?download=true"
    request = urllib.request.Request(url, headers={"Authorization": f"token {server._token}"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return urllib.parse.unquote(answer.headers["Content-Disposition"])


@pytest.mark.parametrize(
    ("path", "text", "exporter", "name"),
    [
        ("untitled.msg.md", CHAT, "msgmarkdown", "untitled.md"),
        ("untitled.msg.md", CHAT, "msghtml", "untitled.html"),
        ("untitled.msg.md", CHAT, "msgslides", "untitled.slides.html"),
        ("untitled.msg.md", CHAT, "msgnotebook", "untitled.ipynb"),
        ("untitled.msg.md", CHAT, "markdown", "untitled.md"),
        ("a b.c.msg.md", CHAT, "msghtml", "a b.c.html"),
        ("notes.md", SECTION, "msgmarkdown", "notes-export.md"),
        ("plain.ipynb", NOTEBOOK, "notebook", "plain-export.ipynb"),
        ("plain.ipynb", NOTEBOOK, "markdown", "plain.md"),
    ],
)
def test_a_download_has_the_chats_name_without_its_ending(server, path, text, exporter, name):
    server.write(path, text)

    assert download(server, path, exporter).endswith(f"''{name}")
