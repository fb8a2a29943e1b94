"""The pace of a server: how many requests it gets, whichever conversation they are for."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from virtual_time import in_virtual_time

from msgbook.config import ProviderSettings, load_settings
from msgbook.errors import ProviderError, Retry
from msgbook.events import TextDelta
from msgbook.provider.asking import Asking
from msgbook.provider.base import Request
from msgbook.provider.pace import SPACING, Pace, Paces


class VirtualTime:
    """A clock and a sleep that moves it."""

    def __init__(self):
        self.now = 1000.0

    async def sleep(self, seconds):
        self.now += seconds

    def clock(self):
        return self.now


async def starts(pace, time, count, *, lasting=0.0):
    """When each of some requests begins, one after the other."""
    found = []
    for _ in range(count):
        async with pace.request(time.sleep, waited_until=0.0):
            found.append(time.now)
            time.now += lasting
    return found


@given(limit=st.integers(1, 5), count=st.integers(1, 30), lasting=st.floats(0, 50))
def test_no_minute_has_more_requests_than_are_allowed(limit, count, lasting):
    time = VirtualTime()

    found = asyncio.run(starts(Pace(limit, clock=time.clock), time, count, lasting=lasting))

    for first, later in zip(found, found[limit:], strict=False):
        assert later - first >= 60 - 1e-6


def test_a_minute_begins_when_a_request_is_sent_and_not_when_it_begins_to_wait():
    time = VirtualTime()
    pace = Pace(per_minute=1, clock=time.clock)
    pace.hold(20.0)

    assert asyncio.run(starts(pace, time, 2)) == [1020.0, 1080.0]


@given(limit=st.integers(1, 4), count=st.integers(1, 12))
def test_no_more_requests_last_at_once_than_are_allowed(limit, count):
    async def run():
        pace, open_now, most = Pace(parallel=limit), 0, 0

        async def request():
            nonlocal open_now, most
            async with pace.request(asyncio.sleep, waited_until=0.0):
                open_now += 1
                most = max(most, open_now)
                await asyncio.sleep(0)
                open_now -= 1

        await asyncio.gather(*(request() for _ in range(count)))
        return most

    assert asyncio.run(run()) == min(limit, count)


class Server:
    """Answers 429 once, then words."""

    name = "server"

    def __init__(self, time, after):
        self.time, self.after, self.asked = time, after, []

    async def stream(self, request):
        self.asked.append((request.model, self.time.now))
        if self.after:
            after, self.after = self.after, None
            raise ProviderError("RateLimitError", "429", Retry("429", after))
        yield TextDelta("ok")


async def ask(provider, model):
    return [event async for event in provider.stream(Request(model, [])) if event]


def test_while_a_server_asks_to_wait_no_other_request_is_sent_to_it():
    time = VirtualTime()
    server, pace = Server(time, 20.0), Pace(clock=time.clock)

    async def run():
        first, second = (
            Asking(server, sleep=sleep, random=lambda: 0.0, pace=pace)
            for sleep in (held, time.sleep)
        )
        asking = asyncio.create_task(ask(first, "a"))
        await begun.wait()
        await ask(second, "b")
        go_on.set()
        await asking

    begun, go_on = asyncio.Event(), asyncio.Event()

    async def held(_seconds):
        begun.set()
        await go_on.wait()

    asyncio.run(run())

    assert server.asked == [("a", 1000.0), ("b", 1020.0), ("a", 1020.0)]


def test_a_request_that_has_waited_itself_does_not_wait_twice_even_if_its_wait_was_ended_early():
    time = VirtualTime()
    server, pace = Server(time, 20.0), Pace(clock=time.clock)

    async def ended_early(_seconds):
        return True

    provider = Asking(server, sleep=ended_early, random=lambda: 0.0, pace=pace)
    asyncio.run(ask(provider, "a"))

    assert server.asked == [("a", 1000.0), ("a", 1000.0)]


def test_the_requests_that_wait_and_their_shortest_wait_are_known_while_they_wait():
    time = VirtualTime()
    server = Server(time, 20.0)
    paces = Paces(clock=time.clock)
    pace = paces.of(ProviderSettings("slow", "http://localhost/v1", requests_per_minute=1))
    seen = []

    async def sleep(seconds):
        seen.append(paces.shortest_waits())
        await time.sleep(seconds)

    provider = Asking(server, sleep=sleep, random=lambda: 0.0, pace=pace)
    asyncio.run(ask(provider, "a"))

    assert seen == [*({"slow": float(left)} for left in range(20, 0, -1)), {"slow": 40.0}]
    assert paces.shortest_waits() == {}


def test_a_wait_for_longer_than_a_turn_would_wait_holds_nobody_up():
    time = VirtualTime()
    server, pace = Server(time, 3600.0), Pace(clock=time.clock)
    provider = Asking(server, sleep=time.sleep, random=lambda: 0.0, pace=pace)

    async def run():
        with pytest.raises(ProviderError, match="60 minutes"):
            await ask(provider, "a")
        await ask(provider, "b")

    asyncio.run(run())

    assert [at for _, at in server.asked] == [1000.0, 1000.0]


def test_a_server_that_asks_to_wait_holds_up_no_other_server():
    time = VirtualTime()
    paces = Paces(clock=time.clock)
    busy, free = (
        paces.of(ProviderSettings(name, "http://localhost/v1")) for name in ("busy", "free")
    )
    busy.hold(20.0)

    assert asyncio.run(starts(free, time, 2)) == [1000.0, 1000.0]
    assert asyncio.run(starts(busy, time, 1)) == [1020.0]


def test_a_request_that_was_given_up_makes_room_for_another():
    async def run():
        pace = Pace(parallel=1)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(pace.request(asyncio.sleep, waited_until=0.0))
            waiting = asyncio.create_task(starts(pace, VirtualTime(), 1))
            await asyncio.sleep(0)
            waiting.cancel()
        return await starts(pace, VirtualTime(), 1)

    assert asyncio.run(run()) == [1000.0]


def test_requests_that_were_given_up_while_they_waited_take_no_place_in_a_minute():
    time = VirtualTime()
    pace = Pace(per_minute=1, clock=time.clock)

    async def for_ever(_seconds):
        await asyncio.Event().wait()

    async def wait():
        async with pace.request(for_ever, waited_until=0.0):
            pass

    async def run():
        await starts(pace, time, 1)
        waiting = [asyncio.create_task(wait()) for _ in range(5)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return await starts(pace, time, 1)

    assert asyncio.run(run()) == [1060.0]


class RefusingServer:
    """Answers 429 to its first requests, and then words."""

    name = "server"

    def __init__(self, *afters):
        self.afters, self.begun = list(afters), []

    async def stream(self, _request):
        self.begun.append(asyncio.get_running_loop().time())
        await asyncio.sleep(SPACING / 10)
        if self.afters:
            raise ProviderError("RateLimitError", "429", Retry("429", self.afters.pop(0)))
        yield TextDelta("ok")


def ask_at_once(server, count):
    """Ask a server by several conversations that share its pace; return when the requests began."""

    async def main():
        pace = Pace(clock=asyncio.get_running_loop().time)
        providers = [
            Asking(server, sleep=asyncio.sleep, random=lambda n=n: n / count, pace=pace)
            for n in range(count)
        ]
        await asyncio.gather(*(ask(provider, "a") for provider in providers))

    in_virtual_time(main)
    return server.begun


def held_requests(seconds):
    """Let a server ask to wait; return what makes a request, and the list of when requests have begun."""
    clock = asyncio.get_running_loop().time
    pace, begun = Pace(clock=clock), []
    pace.hold(seconds)

    async def request():
        async with pace.request(asyncio.sleep, waited_until=0.0):
            begun.append(clock())

    return request, begun


def test_requests_that_waited_for_a_server_begin_one_after_another():
    async def main():
        request, begun = held_requests(20.0)
        await asyncio.gather(*(request() for _ in range(16)))
        assert begun == [20.0 + number * SPACING for number in range(16)]

    in_virtual_time(main)


def test_requests_that_a_server_refused_together_come_again_one_after_another():
    begun = ask_at_once(RefusingServer(*[20.0] * 16), 16)

    again = begun[16:]
    assert (begun[:16], len(again)) == ([0.0] * 16, 16)
    assert all(later - first >= SPACING - 1e-6 for first, later in pairwise(again))


def test_if_the_first_after_a_wait_is_refused_the_others_go_on_waiting():
    begun = ask_at_once(RefusingServer(*[20.0] * 16, 30.0), 16)

    assert [at < 50 for at in begun] == [True] * 17 + [False] * 16


def test_a_conversation_alone_waits_no_longer_than_its_server_asks():
    begun = ask_at_once(RefusingServer(SPACING / 2, SPACING / 2, SPACING / 2), 1)

    assert begun == pytest.approx([number * SPACING * 0.6 for number in range(4)])


def test_a_request_that_comes_after_a_wait_is_not_held_back():
    time = VirtualTime()
    pace = Pace(clock=time.clock)
    pace.hold(20.0)

    assert asyncio.run(starts(pace, time, 3)) == [1020.0] * 3


def test_whoever_ends_a_wait_asks_the_server_at_once():
    time = VirtualTime()
    pace = Pace(clock=time.clock)

    async def ended_early(_seconds):
        return True

    async def run():
        pace.hold(20.0)
        for _ in range(3):
            async with pace.request(ended_early, waited_until=0.0):
                pass

    asyncio.run(run())

    assert time.now == 1000.0


def test_a_request_that_was_given_up_before_its_turn_delays_no_other():
    async def main():
        request, begun = held_requests(20.0)
        tasks = [asyncio.create_task(request()) for _ in range(10)]
        await asyncio.sleep(20.0 + SPACING / 2)
        for task in tasks[1:9]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert begun == [20.0, 20.0 + SPACING]

    in_virtual_time(main)


@pytest.mark.parametrize("value", ["0", "-1", "1.5", '"8"', "true"])
def test_a_limit_that_is_no_whole_number_is_ignored_with_its_line(tmp_path, value):
    path = tmp_path / "msgbook.toml"
    path.write_text(
        f'[providers.a]\nbase_url = "http://localhost/v1"\nrequests_per_minute = 60\nmax_parallel = {value}\n'
    )

    settings = load_settings({"MSGBOOK_CONFIG": str(path)})

    assert settings.warnings == (
        "msgbook.toml:4: max_parallel is ignored: expected a whole number from 1 on.",
    )
    [provider] = settings.providers.values()
    assert (provider.requests_per_minute, provider.max_parallel) == (60, None)
