"""Exports as archives and folders that are damaged, hostile, or too large."""

from __future__ import annotations

import io
import json
import struct
import zipfile

import pytest
from other_programs import PNG, TWO_GPT, archive, chatgpt, node

from msgbook.__main__ import main
from msgbook.extras.other_chats import archives
from msgbook.extras.other_chats.fields import TooMuchError

PARTS = {
    "damaged": (b"[{", "conversations-001.json: expected JSON"),
    "of something else": ([{"a": 1}], "conversations-001.json: expected messages of the OpenAI API"),
    "in Latin-1": (b'["\xe9"]', "conversations-001.json: expected JSON in UTF-8"),
    "with one bad chat": ([chatgpt(), {"mapping": 5}], "conversations-001.json: expected an object in `[1].mapping`"),
}  # fmt: skip


def unpacked(converter, name, files):
    """Write the files of an archive as Safari unpacks it, and return the folder."""
    for path, content in files.items():
        target = converter.folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        target.write_bytes(data)
    return converter.folder / name


@pytest.mark.parametrize("as_folder", [False, True])
@pytest.mark.parametrize(("part", "words"), PARTS.values(), ids=PARTS)
def test_a_part_of_an_export_that_cannot_be_read_is_named_and_the_others_are_written(
    converter, capsys, part, words, as_folder
):
    files = {"x/conversations-000.json": TWO_GPT, "x/conversations-001.json": part}
    path = (
        unpacked(converter, "export", files)
        if as_folder
        else converter.file("a.zip", archive(files))
    )

    assert main(["convert", str(path), "--out", "out"]) == 1

    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) >= 2
    assert words in shown.err
    assert shown.err.count("not read: ") == 1


@pytest.mark.parametrize("as_folder", [False, True])
@pytest.mark.parametrize("empty", [b"", b"\n", b"[]", b"\xef\xbb\xbf[]\n"])
def test_an_empty_part_of_an_export_has_no_chats(converter, capsys, empty, as_folder):
    files = {f"conversations-{n:03}.json": empty if n % 2 else [chatgpt()] for n in range(6)}
    path = (
        unpacked(converter, "export", files)
        if as_folder
        else converter.file("a.zip", archive(files))
    )

    assert main(["convert", str(path), "--out", "out"]) == 0
    assert "not read" not in capsys.readouterr().err


@pytest.mark.parametrize("as_folder", [False, True])
def test_names_that_begin_with_a_blank_are_names(converter, capsys, as_folder):
    files = {" an export/ conversations-000.json": [chatgpt()]}
    path = (
        unpacked(converter, " export", files)
        if as_folder
        else converter.file(" a.zip", archive(files))
    )

    assert main(["convert", str(path), "--out", " out"]) == 0
    assert (converter.folder / " out" / "Tides.msg.md").exists()


def test_an_entry_of_an_archive_that_is_damaged_is_named_and_the_others_are_written(
    converter, capsys
):
    data = bytearray(archive({f"conversations-{n}.json": [chatgpt()] for n in range(3)}))
    at = data.index(b"conversations-1.json") + 60
    data[at : at + 10] = bytes(10)
    path = converter.file("a.zip", bytes(data))

    assert main(["convert", str(path), "--out", "out"]) == 1
    assert "`conversations-1.json` cannot be read" in capsys.readouterr().err


def test_a_folder_is_read_like_the_archive_and_no_link_in_it_is_followed(
    converter, capsys, tmp_path_factory
):
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Ab1"}
    chat = chatgpt(
        "Seen",
        node(
            "u", None, "user", content={"content_type": "multimodal_text", "parts": [picture, "?"]}
        ),
        node("a", "u", "assistant", "A dot."),
    )
    files = {"conversations.json": [chat], "file-Ab1-dot.png": PNG, "user.json": {}}
    outside = tmp_path_factory.mktemp("outside")
    (outside / "conversations.json").write_text(json.dumps([chatgpt("Secret")]))
    converter.into("a.zip", archive(files))
    packed = capsys.readouterr()
    folder = unpacked(converter, "export", files)
    (folder / "linked").symlink_to(outside)
    (folder / "conversations-001.json").symlink_to(outside / "conversations.json")

    assert main(["convert", str(folder), "--out", str(converter.folder / "two")]) == 0

    shown = capsys.readouterr()
    assert shown.err.replace(str(folder), "FILE") == packed.err.replace(
        str(converter.folder / "a.zip"), "FILE"
    )
    names = [{p.name for p in (converter.folder / out).rglob("*")} for out in ("out", "two")]
    assert names[0] == names[1]
    assert any(name.endswith(".png") for name in names[0])


def test_a_folder_without_chats_is_refused(converter, capsys):
    folder = unpacked(converter, "notes", {"notes.txt": b"x"})

    assert main(["convert", str(folder), "--out", "out"]) == 2
    assert "expected `conversations.json` in the folder" in capsys.readouterr().err
    assert not (converter.folder / "out").exists()


def test_an_archive_that_is_cut_off_or_empty_or_of_something_else_is_refused(refused):
    whole = archive({"conversations.json": TWO_GPT})

    assert "expected a .zip archive, found: " in refused("a.zip", whole[: len(whole) // 2])
    assert "expected `conversations.json` in the archive" in refused("b.zip", archive({}))
    assert "found none" in refused(
        "c.zip", archive({"notes.txt": b"", "my-conversations.json": []})
    )
    assert "conversations.json: " in refused("d.zip", archive({"x/conversations.json": b"[{"}))
    damaged = bytearray(whole)
    damaged[60:70] = bytes(10)
    assert "`conversations.json` cannot be read" in refused("e.zip", bytes(damaged))


def test_an_archive_with_a_password_is_refused(refused):
    locked = bytearray(archive({"conversations.json": TWO_GPT}))
    central = locked.rindex(b"PK\x01\x02")
    locked[6] |= 1
    locked[central + 8] |= 1

    assert "`conversations.json` cannot be read" in refused("locked.zip", bytes(locked))


def test_a_bomb_is_not_unpacked(refused):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("conversations.json", b"[" + b" " * 30_000_000 + b"]")

    assert "found 30,000,002 bytes packed into " in refused("bomb.zip", held.getvalue())


def test_an_archive_that_says_less_than_it_holds_is_not_read_further(refused):
    data = bytearray(archive({"conversations.json": TWO_GPT}))
    central = data.rindex(b"PK\x01\x02")
    # The uncompressed size, in the entry and in the directory.
    data[22:26] = struct.pack("<I", 10)
    data[central + 24 : central + 28] = struct.pack("<I", 10)

    assert "conversations.json" in refused("liar.zip", bytes(data))


def test_more_bytes_than_fit_into_memory_are_refused_by_what_the_archive_says(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(archive({f"conversations-{n:03}.json": [] for n in range(3)}))

    with archives.Archive(path) as opened:
        for entry in opened._zip.infolist():
            entry.file_size = 400_000_000
        with pytest.raises(TooMuchError, match="1,000,000,000 bytes, found more"):
            opened.conversations()


def test_no_name_of_an_archive_or_title_of_a_chat_leaves_the_folder(converter):
    titles = ["../../up", "/etc/passwd", "..", "", "CON", "a\x00b\x1b[2J", "x" * 5000, ".hidden", "-rf",
              "\u202egnp.exe", "C:\\x", "a/b", "nul.txt", "~", "Ünïcode 语言"]  # fmt: skip
    chats = [
        chatgpt(title, node("u", None, "user", "Hi"), node("a", "u", "assistant", "Hello"))
        for title in titles
    ]
    files = {"../../conversations.json": chats, "../../../file_1-evil.png": b"x", "/abs.png": b"y"}
    before = set(converter.folder.parent.rglob("*"))

    notebooks = converter.into("evil.zip", archive(files))

    assert len(notebooks) == len(titles)
    made = set(converter.folder.parent.rglob("*")) - before
    out = converter.folder / "out"
    assert made == {converter.folder / "evil.zip", out, *out.iterdir()}
    assert not any(name.startswith((".", "-")) or len(name.encode()) > 100 for name in notebooks)
    assert {"up.msg.md", "etc passwd.msg.md", "CON_.msg.md", "Ünïcode 语言.msg.md"} <= set(
        notebooks
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_way_of_packing_that_no_such_archive_has_is_refused(refused, method):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as packed:
        packed.writestr("conversations.json", json.dumps(TWO_GPT))

    assert f"stored or deflated, found method {method}" in refused("odd.zip", held.getvalue())
