"""Output files in JupyterLab: filled in when a notebook is opened, kept when it is saved."""

from __future__ import annotations

from contents_notebooks import open_notebook, save_notebook

TEXT = (
    "# %% [^a]\n\n[^a]: [code]\n\n```python\nplot()\n```\n\n"
    '# %%% [^a.1]\n\n[^a.1]:  [python] mime_type="text/html" output_file="chat.files/f.html" time=now\n'
)


def put_chat(server, text=TEXT):
    server.write("chat.msg.md", text)
    (server.root / "chat.files").mkdir()
    server.write("chat.files/f.html", "<b>data</b>")


def output_of(content):
    return content["cells"][0]["outputs"][0]["data"]


def test_opening_fills_in_the_data_and_saving_keeps_the_reference(server):
    put_chat(server)

    content = open_notebook(server, "chat.msg.md")
    save_notebook(server, "chat.msg.md", content)

    assert output_of(content) == {"text/html": "<b>data</b>"}
    assert server.read("chat.msg.md") == TEXT.encode()


def test_a_notebook_saved_elsewhere_has_its_data_in_the_text(server):
    put_chat(server)

    save_notebook(server, "copy.msg.md", open_notebook(server, "chat.msg.md"))

    assert output_of(open_notebook(server, "copy.msg.md")) == {"text/html": "<b>data</b>"}
    assert b"<b>data</b>" in server.read("copy.msg.md")


def test_the_notebook_of_a_pair_holds_the_data_itself(server):
    put_chat(server, '---\njupyter:\n  jupytext:\n    formats: "ipynb,.msg.md:msg"\n---\n\n' + TEXT)

    save_notebook(server, "chat.msg.md", open_notebook(server, "chat.msg.md"))

    assert b"<b>data</b>" in server.read("chat.ipynb")
    assert b"<b>data</b>" not in server.read("chat.msg.md")
    assert output_of(open_notebook(server, "chat.ipynb")) == {"text/html": "<b>data</b>"}


def test_trust_is_lost_with_another_file(server):
    put_chat(server)

    def trusted():
        return open_notebook(server, "chat.msg.md")["cells"][0]["metadata"].get("trusted")

    assert not trusted()
    server.post("chat.msg.md/trust", None)
    assert trusted()
    server.write("chat.files/f.html", "<b>other</b>")
    assert not trusted()
