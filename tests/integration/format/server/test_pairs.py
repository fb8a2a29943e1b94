"""Pairs of a message file and a notebook in a real Jupyter server, async and sync."""

from __future__ import annotations

import difflib

import pytest
from contents_notebooks import (
    CHAT,
    age,
    change_ipynb,
    make_pair,
    open_notebook,
    said,
    save_notebook,
    turn_output,
)

PAIR = ("chat.msg.md", "chat.ipynb")


@pytest.mark.parametrize("opened", PAIR)
def test_an_ipynb_that_was_executed_elsewhere_opens_with_its_outputs(server, opened):
    make_pair(server)
    change_ipynb(
        server, "chat.ipynb", lambda nb: nb["cells"][1].update(outputs=[turn_output("new")])
    )
    age(server, "chat.ipynb", -60)

    content = open_notebook(server, opened)
    assert said(content["cells"][1]) == "new"
    save_notebook(server, opened, content)
    for name in PAIR:
        assert said(open_notebook(server, name)["cells"][1]) == "new"
    assert "\nnew\n" in server.read("chat.msg.md").decode()


@pytest.mark.parametrize("opened", PAIR)
def test_a_text_that_is_newer_wins_with_its_answers(server, opened):
    content = make_pair(server)
    content["cells"][1]["outputs"] = [turn_output()]
    save_notebook(server, opened, content)
    server.write("chat.msg.md", server.read("chat.msg.md").replace(b"**this**", b"**edited**"))
    age(server, "chat.ipynb", 60)

    assert said(open_notebook(server, opened)["cells"][1]) == "It is **edited**."


@pytest.mark.parametrize("opened", PAIR)
def test_opening_and_saving_a_pair_changes_no_byte_and_a_turn_only_inserts_lines(server, opened):
    make_pair(server)
    before = {name: server.read(name) for name in PAIR}

    content = open_notebook(server, opened)
    save_notebook(server, opened, content)
    assert {name: server.read(name) for name in PAIR} == before

    content["cells"][1].update(outputs=[turn_output()], execution_count=1)
    save_notebook(server, opened, content)
    for name in PAIR:
        lines = [text.decode().split("\n") for text in (before[name], server.read(name))]
        edits = {tag for tag, *_ in difflib.SequenceMatcher(None, *lines, False).get_opcodes()}
        # The `.ipynb` says `"execution_count": null` and `"outputs": []` where nothing was run.
        assert edits <= {"equal", "insert"} or name == "chat.ipynb"


def test_a_third_file_stays_in_the_pair_that_the_notebook_names(server):
    formats = "ipynb,.msg.md:msg,py:percent"
    make_pair(server, formats)
    before = server.read("chat.msg.md")
    assert formats.encode() in before

    content = open_notebook(server, "chat.msg.md")
    content["cells"][2]["source"] = "Changed"
    save_notebook(server, "chat.msg.md", content)

    assert b"Changed" in server.read("chat.py")
    assert server.read("chat.msg.md") == before.replace(b"And that?", b"Changed")
    assert open_notebook(server, "chat.ipynb")["metadata"]["jupytext"]["formats"] == formats


HOSTILE = [
    {"ipynb": "x"},
    ["ipynb", 5],
    5,
    "ipynb,.msg.md:msg," * 600_000,
    "ipynb,.msg.md:msg,../../x//py:percent",
    "ipynb,.msg.md:msg,../../x/py:percent",
    "ipynb,.msg.md:msg,/elsewhere//py:percent",
    "ipynb,.msg.md:msg,.exe",
    "ipynb,.msg.md:msg,md:nonsense",
    # Jupytext finds no way back from the second of two `.md` files.
    "ipynb,.msg.md:msg,md:markdown",
]


@pytest.mark.parametrize("formats", HOSTILE, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("name", PAIR)
def test_formats_that_a_client_makes_up_are_refused_with_words(server, formats, name):
    content = make_pair(server)
    before = {path: path.read_bytes() for path in server.root.iterdir() if path.is_file()}
    content["metadata"]["jupytext"] = {"formats": formats}

    with pytest.raises(server.Refused) as refused:
        save_notebook(server, name, content)

    assert refused.value.status == 400
    assert "formats" in refused.value.message
    assert len(refused.value.message) < 2000
    found = {path: path.read_bytes() for path in server.root.iterdir() if path.is_file()}
    assert found == before


@pytest.mark.parametrize("saved", PAIR)
@pytest.mark.parametrize("opened", PAIR)
def test_trust_in_outputs_holds_for_both_files_until_the_text_is_edited(server, saved, opened):
    html = {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}, "metadata": {}}
    content = make_pair(server)
    for cell in content["cells"]:
        cell["metadata"]["trusted"] = True
    content["cells"][1]["outputs"] = [html]
    save_notebook(server, saved, content)

    def trusted():
        return open_notebook(server, opened)["cells"][1]["metadata"].get("trusted", False)

    assert trusted()
    server.write("chat.msg.md", server.read("chat.msg.md").replace(b"<b>x", b"<i>y"))
    age(server, "chat.ipynb", 60)
    assert not trusted()


def test_a_text_that_is_not_utf8_is_not_overwritten_by_its_notebook(server):
    content = make_pair(server)
    data = b"# %% [^a]\n\ncaf\xe9\n"
    server.write("chat.msg.md", data)

    with pytest.raises(server.Refused, match="UTF-8"):
        save_notebook(server, "chat.ipynb", content)

    assert server.read("chat.msg.md") == data


def test_rename_and_copy_take_both_files_and_delete_takes_one(server):
    make_pair(server)
    texts = {name: server.read(name) for name in PAIR}

    server.patch("chat.msg.md", {"path": "talk.msg.md"})
    copied = server.post("", {"copy_from": "talk.msg.md"})
    server.delete("talk.msg.md")

    assert copied["name"] == "talk-Copy1.msg.md"
    assert server.read("talk-Copy1.msg.md") == texts["chat.msg.md"]
    assert server.read("talk-Copy1.ipynb") == server.read("talk.ipynb") == texts["chat.ipynb"]
    assert not [name for name in (*PAIR, "talk.msg.md") if (server.root / name).exists()]


def test_a_pair_is_not_renamed_to_a_name_that_its_formats_do_not_know(server):
    make_pair(server)

    with pytest.raises(server.Refused) as refused:
        server.patch("chat.msg.md", {"path": "chat.txt"})

    assert refused.value.status == 400
    assert server.read("chat.msg.md")


def test_checkpoints_are_made_listed_restored_and_deleted(server):
    content = make_pair(server)
    before = server.read("chat.msg.md")
    checkpoint = server.post("chat.msg.md/checkpoints", {})["id"]
    content["cells"][1]["source"] = "Changed"
    save_notebook(server, "chat.msg.md", content)

    assert [c["id"] for c in server.get("chat.msg.md/checkpoints")] == [checkpoint]
    server.post(f"chat.msg.md/checkpoints/{checkpoint}", {})
    assert server.read("chat.msg.md") == before
    assert open_notebook(server, "chat.ipynb")["cells"][1]["source"] == "What is this?"
    server.delete(f"chat.msg.md/checkpoints/{checkpoint}")
    assert server.get("chat.msg.md/checkpoints") == []


def test_a_model_is_what_was_asked_for(server):
    make_pair(server)

    for name in PAIR:
        model = server.get(name, content=0, hash=1)
        assert model["type"] == "notebook"
        assert model["content"] is None
        assert model["hash"]
    plain = server.get("chat.msg.md", type="file", format="text")
    assert plain["type"] == "file"
    assert plain["content"].encode() == server.read("chat.msg.md")
    assert server.get("chat.msg.md", type="file", format="base64")["format"] == "base64"
    assert {model["type"] for model in server.get("")["content"]} == {"notebook"}


def test_the_hash_of_an_untouched_pair_stays(server):
    make_pair(server)

    for name in PAIR:
        first = server.get(name, content=1, hash=1)
        assert server.get(name, content=0, hash=1)["hash"] == first["hash"]


def test_a_file_with_a_section_opens_as_notebook_and_as_plain_file(server):
    text = "---\nmessage_section: true\n---\n# Report\n\n## Discussion\n\n# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
    server.write("report.md", text)

    assert [cell["source"] for cell in open_notebook(server, "report.md")["cells"]] == ["Hi"]
    assert server.get("report.md", type="file", format="text")["content"] == text
    content = make_pair(server, "ipynb,md:msg", "report.md", text)
    content["cells"][0]["source"] = "Ho"
    save_notebook(server, "report.ipynb", content)
    saved = server.read("report.md").decode()
    assert "# Report\n\n## Discussion\n\n# %% [^a]\n\n[^a]: [markdown]\n\nHo\n" in saved


def test_a_pair_without_its_section_is_neither_opened_nor_saved_as_one(server):
    text = "---\nmessage_section: true\n---\n## Discussion\n\n# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
    content = make_pair(server, "ipynb,md:msg", "cut.md", text)
    notebook = server.read("cut.ipynb")
    cut = server.read("cut.md").decode().replace("message_section: true\n", "")
    server.write("cut.md", cut)

    with pytest.raises(server.Refused) as refused:
        open_notebook(server, "cut.md")

    assert (refused.value.status, "message_section" in refused.value.message) == (400, True)
    assert server.get("cut.md", type="file", format="text")["content"] == cut
    with pytest.raises(server.Refused) as refused:
        save_notebook(server, "cut.ipynb", content)
    assert (refused.value.status, "message_section" in refused.value.message) == (400, True)
    assert (server.read("cut.md").decode(), server.read("cut.ipynb")) == (cut, notebook)


@pytest.mark.parametrize(
    "toml",
    [
        'formats = "notebooks///ipynb,chats///.msg.md:msg"\n',
        '[formats]\n"notebooks/" = "ipynb"\n"chats/" = ".msg.md:msg"\n',
    ],
)
def test_a_jupytext_toml_pairs_folders(server, toml):
    server.write("jupytext.toml", toml)
    (server.root / "chats").mkdir()
    server.write("chats/chat.msg.md", CHAT)

    content = open_notebook(server, "chats/chat.msg.md")
    content["cells"][1]["outputs"] = [turn_output()]
    save_notebook(server, "chats/chat.msg.md", content)

    assert said(open_notebook(server, "notebooks/chat.ipynb")["cells"][1]) == "It is **this**."
    assert b"jupyter:" not in server.read("chats/chat.msg.md")


def test_an_escape_character_and_broken_yaml_open_in_a_pair(server):
    text = (
        "---\na: [\n---\n\n# %% [^a]\n\n[^a]: [markdown]\n\n\x1b[31mred\x85\x01\n\n---\na: [\n---\n"
    )
    server.write("chat.msg.md", text)
    server.write("jupytext.toml", 'formats = "ipynb,.msg.md:msg"\n')

    content = open_notebook(server, "chat.msg.md")
    save_notebook(server, "chat.msg.md", content)

    assert server.read("chat.msg.md").decode() == text
    source = open_notebook(server, "chat.ipynb")["cells"][-1]["source"]
    assert source == "\x1b[31mred\x85\x01\n\n---\na: [\n---"


@pytest.mark.parametrize(
    ("said_by_the_menu", "kept"),
    [
        ("md,ipynb", ".msg.md:msg,ipynb"),
        (".msg.auto:msg,ipynb,md", ".msg.md:msg,ipynb"),
        (".msg.md:msg,md", ".msg.md:msg"),
        ("md", ".msg.md:msg"),
        (None, None),
    ],
)
def test_what_jupytexts_menu_says_of_a_message_file_is_its_own_format(
    server, said_by_the_menu, kept
):
    server.write("chat.msg.md", CHAT)
    content = open_notebook(server, "chat.msg.md")
    content["metadata"]["jupytext"]["formats"] = said_by_the_menu
    save_notebook(server, "chat.msg.md", content)

    found = open_notebook(server, "chat.msg.md")["metadata"].get("jupytext", {}).get("formats")
    assert found == kept
    assert (server.root / "chat.ipynb").exists() is ("ipynb" in (kept or ""))
    assert (kept is None) is (server.read("chat.msg.md") == CHAT.encode())


@pytest.mark.parametrize("formats", ["ipynb,py:percent", ["ipynb", "py:percent"]])
def test_a_notebook_that_is_paired_with_no_message_file_is_left_to_jupytext(server, formats):
    content = make_pair(server)
    del content["metadata"]["msgbook"]
    content["metadata"]["jupytext"] = {"formats": formats}

    save_notebook(server, "plain.ipynb", content)

    assert b"# %%" in server.read("plain.py")
    assert open_notebook(server, "plain.ipynb")["cells"]


def test_what_is_wrong_with_files_of_others_is_said_by_others(server):
    server.write("latin.py", b"# caf\xe9\n")

    with pytest.raises(server.Refused) as refused:
        server.get("latin.py", content=1, type="file", format="text")

    assert "msgbook" not in refused.value.message


@pytest.mark.parametrize("opened", ["chat.msg.md", "chat.ipynb"])
def test_a_pair_whose_other_file_is_a_link_out_of_the_folder_is_neither_shown_nor_written(
    server, tmp_path, opened
):
    content = make_pair(server)
    other = "chat.ipynb" if opened == "chat.msg.md" else "chat.msg.md"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(server.read(other))
    (server.root / other).unlink()
    (server.root / other).symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    content["cells"][0]["source"] = "changed"

    with pytest.raises(server.Refused, match=f"expected its pair {other} in the server's folder"):
        open_notebook(server, opened)
    with pytest.raises(server.Refused, match="found a link that leads out of it"):
        save_notebook(server, opened, content)

    assert elsewhere.read_bytes() == before
    (server.root / other).unlink()


def test_a_pair_whose_other_file_is_a_link_within_the_folder_is_opened_and_saved(server):
    content = make_pair(server)
    (server.root / "chat.ipynb").rename(server.root / "kept.ipynb")
    (server.root / "chat.ipynb").symlink_to("kept.ipynb")
    content["cells"][0]["source"] = "changed"

    save_notebook(server, "chat.msg.md", content)

    assert "changed" in server.read("kept.ipynb").decode()
    assert open_notebook(server, "chat.ipynb")["cells"][0]["source"] == "changed"
    (server.root / "chat.ipynb").unlink()
