"""Modules of the notebook's folder that have the names of installed ones."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from kernel_client import FakePage, KernelClient, Message
from pdfs import pdf
from PIL import Image
from scripted_server import ScriptedServer, text

OPTIONAL = ("PIL", "keyring", "pypdf")
NAMES = (*OPTIONAL, "httpx", "openai", "mcp", "jsonschema", "genai_prices")
TRIED = ("brotli", "brotlicffi", "zstandard", "socksio", "h2", "aiohttp", "uvloop", "trio")
"""What the libraries below msgbook use if it is installed."""


def put_modules(folder: Path, names: Sequence[str] = NAMES) -> Path:
    """Put modules into a folder that leave a mark when one of them is imported; return the mark."""
    mark = folder / "imported"
    for name in names:
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r} + ' ')\n")
    return mark


def put_picture(folder: Path) -> str:
    """Keep a picture as a message that was sent would have left it; return its digest."""
    data = io.BytesIO()
    Image.new("RGB", (8, 8)).save(data, "PNG")
    url = "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()
    digest = sha256(url.encode()).hexdigest()
    blobs = folder / ".msgbook" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / digest).write_text(url)
    return digest


def ask(page: FakePage, name: str, **params: Any) -> Message:
    page.say(type="query", request_id="r", name=name, params=params)
    return page.wait_for("query.answer")


def test_what_a_page_asks_when_a_chat_is_opened_imports_nothing_from_its_folder(
    tmp_path: Path,
) -> None:
    mark, digest = put_modules(tmp_path), put_picture(tmp_path)

    with KernelClient({"MSGBOOK_MODEL": "m"}, str(tmp_path)) as kernel:
        page = FakePage(kernel, [])
        ask(page, "agents.list", cells=[], metadata={})
        picture = ask(page, "context.picture", digest=digest)
        ask(page, "setup.state")

    assert picture["result"]["url"].startswith("data:image/png;")
    assert not mark.exists()


def test_what_msgbook_imports_after_python_of_the_user_is_not_of_the_folder(
    tmp_path: Path, server: ScriptedServer
) -> None:
    mark, digest = put_modules(tmp_path, (*NAMES, *TRIED)), put_picture(tmp_path)
    (tmp_path / "a.pdf").write_bytes(pdf("Hello"))
    server.answers = [text("ok")]
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}

    with KernelClient(env, str(tmp_path)) as kernel:
        # In the first second the kernel has not imported the SDK yet.
        kernel.run("%%python\n1 + 1", "a")
        kernel.run("What is in @[a.pdf]?", "b")
        page = FakePage(kernel, [])
        ask(page, "context.picture", digest=digest)
        ask(page, "setup.state")

    assert "Hello" in str(server.requests[-1])
    assert not mark.exists()


def test_python_of_the_user_takes_no_sdk_from_the_kernel(
    tmp_path: Path, server: ScriptedServer
) -> None:
    mark = put_modules(tmp_path, ("anthropic", "genai_prices", "mcp", "openai"))
    server.answers = [text("ok")]
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}

    with KernelClient(env, str(tmp_path)) as kernel:
        kernel.run("%%python\nimport anthropic, genai_prices, mcp, openai", "a")
        reply, _ = kernel.run("Hello", "b")

    assert reply["status"] == "ok"
    assert not mark.exists()


def test_python_of_the_user_imports_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("WORD = 'of the folder'\n")

    with KernelClient({"MSGBOOK_MODEL": "m"}, str(tmp_path)) as kernel:
        page = FakePage(kernel, [])
        ask(page, "agents.list", cells=[], metadata={})
        _, messages = kernel.run("%%python\nimport mine; print(mine.WORD)", "a")

    shown = [m["content"]["text"] for m in messages if m["msg_type"] == "stream"]
    assert "".join(shown) == "of the folder\n"
