"""Queries: what a page asks the kernel, and always gets an answer to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_comm import Page

from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.queries import INTERNAL_ERROR, PageQueries, Query


def answer(query: dict[str, Any], logged: list[Exception] | None = None) -> dict[str, Any]:
    """What a page is answered to a query, by a kernel that knows `echo` and `fail`."""
    return asyncio.run(_answer(query, [] if logged is None else logged))


async def _answer(query: dict[str, Any], logged: list[Exception]) -> dict[str, Any]:
    pages = PageComms()
    queries = PageQueries(pages, asyncio.get_running_loop(), logged.append)

    async def echo(query: Query) -> dict[str, Any]:
        return {"text": query.text("text"), "client": query.client_session}

    async def fail(_query: Query) -> dict[str, Any]:
        raise ZeroDivisionError("secret")

    queries.on_query("echo", echo)
    queries.on_query("fail", fail)
    answered = asyncio.Event()
    page = Page(pages, "a page", lambda _message: answered.set())
    page.say({"type": "query", "request_id": "r", **query})
    await answered.wait()
    [message] = page.sent
    assert (message.pop("type"), message.pop("request_id")) == ("query.answer", "r")
    return message


def test_a_query_is_answered_to_the_page_that_asks() -> None:
    result = answer({"name": "echo", "params": {"text": "hello"}})
    assert result == {"result": {"text": "hello", "client": "a page"}}


@pytest.mark.parametrize("params", [None, 1, [], {}, {"text": None}, {"text": ["hello"]}])
def test_parameters_of_another_type_are_named(params: Any) -> None:
    result = answer({"name": "echo", "params": params})
    assert "`text` has to be a text" in result["error"]


@pytest.mark.parametrize("name", [None, 1, [], {}, "other"])
def test_an_unknown_query_says_so(name: Any) -> None:
    assert "does not know the query" in answer({"name": name})["error"]


def test_an_internal_error_is_logged_and_not_shown() -> None:
    logged: list[Exception] = []
    assert answer({"name": "fail"}, logged) == {"error": INTERNAL_ERROR}
    assert isinstance(logged[-1], ZeroDivisionError)
