"""A stream of an MCP server that ends at once is opened again at a bounded pace, however often it ends."""

from __future__ import annotations

import asyncio

import httpx2
from virtual_time import in_virtual_time

from msgbook.tools.mcp.transports import paced


def test_a_stream_is_opened_once_in_a_second_and_a_call_never_waits() -> None:
    hook, opened = paced(), []

    async def look() -> None:
        loop = asyncio.get_running_loop()
        for method in ("GET", "POST", "GET", "POST", "POST", "GET"):
            await hook(httpx2.Request(method, "http://127.0.0.1/mcp"))
            opened.append((method, loop.time()))

    in_virtual_time(look)

    assert [at for method, at in opened if method == "GET"] == [0.0, 1.0, 2.0]
    assert [at for method, at in opened if method == "POST"] == [0.0, 1.0, 1.0]


def test_a_pause_of_the_server_is_not_waited_for_twice() -> None:
    hook, opened = paced(), []

    async def look() -> None:
        for pause in (5, 0, 5):
            await hook(httpx2.Request("GET", "http://127.0.0.1/mcp"))
            opened.append(asyncio.get_running_loop().time())
            await asyncio.sleep(pause)

    in_virtual_time(look)

    assert opened == [0.0, 5.0, 6.0]
