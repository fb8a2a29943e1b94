"""Which proxy a URL takes."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from requests.utils import should_bypass_proxies

from msgbook.network import NetworkProblem
from msgbook.network.proxies import Proxy, check_proxy, describe_route, find_proxy, is_exempt

HERE = "http://127.0.0.1:8000/v1"
PROXY = "http://127.0.0.1:3128"


@pytest.mark.parametrize(
    ("url", "no_proxy"),
    [
        (HERE, entry) for entry in (
            "127.0.0.1", " 127.0.0.1 ", "localhost,127.0.0.1", "localhost 127.0.0.1", "localhost;127.0.0.1", "localhost|127.0.0.1",
            "localhost\n127.0.0.1\n", "127.0.0.1,", ",,127.0.0.1", "127.0.0.1:8000", "127.0.0.0/8", "0.0.0.0/0",
            "http://127.0.0.1", "http://127.0.0.1:8000", "all://127.0.0.1", "http://127.0.0.1/", "*", "a.b,*",
            "HTTP://127.0.0.1/v1", "127.0.0.1/x/y", "::ffff:127.0.0.1", "127.*", "127.0.0.*:8000", "<local>",
            '"127.0.0.1"', '"localhost,127.0.0.1"', "'localhost 127.0.0.1'",
            "127.", "127.0.", "127.0.0.", "127.0.0.:8000", "127/8", "127.0/16", "127.0.0.0/255.0.0.0", "127.0.0.1:*",
            "127.0.0.0-127.0.0.9", "127.0.0.1-127.0.0.1", "http://127.", "[127.0.0.1]", "localhost,10.,127.",
        )
    ] + [
        ("http://localhost:1/v1", entry) for entry in (
            "localhost", "LOCALHOST", "localhost.", ".localhost", "localhost:1", "<local>", "<-loopback>;<local>", "local*",
        )
    ] + [
        ("http://[::1]:8000/v1", entry) for entry in (
            "::1", "[::1]", "[::1]:8000", "0:0:0:0:0:0:0:1", "::/0", "[::1]/64", "http://[::1]:8000", "fe80::1,::1", "::1%lo", "::1:*", "::0-::2",
        )
    ] + [
        ("https://api.corp.example/v1", entry) for entry in (
            "corp.example", ".corp.example", "*.corp.example", "*corp.example", "CORP.example", "corp.example.",
            "api.*.example", "api.*", "api.corp.example", "api.corp.example:443", "https://api.corp.example", "https://corp.example",
        )
    ] + [
        ("http://vllm.models.svc:8000/v1", entry) for entry in (
            ".svc", "svc", "*.svc", ".models.svc", ".svc,.cluster.local", ".svc:8000", "vllm.models.svc:*", "*.SVC.", "..svc", "*svc",
        )
    ] + [("https://bücher.example/v1", "xn--bcher-kva.example"), ("https://xn--bcher-kva.example", "bücher.example")],
)  # fmt: skip
def test_no_proxy_counts_in_every_spelling(url, no_proxy):
    both = {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY}

    assert find_proxy(url, both)
    assert find_proxy(url, {**both, "NO_PROXY": no_proxy}) is None
    assert find_proxy(url, {"ALL_PROXY": PROXY, "no_proxy": no_proxy}) is None


@pytest.mark.parametrize(
    ("url", "no_proxy"),
    [
        (HERE, entry) for entry in (
            "", " ", ",", "localhost", "127.0.0.10", "27.0.0.1", "127.0.0.1:80", "10.0.0.0/8", "https://127.0.0.1", "0.1",
            "128.*", "27.*", "127.1*", "127.1.", "7.", "27.", "127.0.0.1.1.", "1.", "128/8", "127.0.0/8x", "127.0.0.2-127.0.0.9", "127-128", "a-b", ":8000", "127.:80", "<-loopback>", "<local", '"', "[", "]", "[127", "://", "127.0.0.0/99", "http://", "::1", "\udc80", "é", ".", "*.", "-",
        )
    ] + [
        ("https://notcorp.example/v1", "corp.example"), ("https://corp.example.evil/v1", "corp.example"),
        ("http://corp.example:8080/v1", "corp.example:80"), ("http://corp.example/v1", "<local>"),
        ("http://127.example/v1", "127."), ("http://vllm.svc.cluster.local/v1", ".svc"), ("http://xsvc/v1", ".svc"),
        ("http://10.0.0.1/v1", "<local>"), ("http://corp.example/v1", "api.*"),
    ],
)  # fmt: skip
def test_what_no_proxy_does_not_name_takes_the_proxy(url, no_proxy):
    assert not is_exempt(url, no_proxy)


ENTRIES = st.sampled_from(
    [
        "127.",
        "127.0.0.0/8",
        ".svc",
        "127.0.0.1",
        "localhost",
        ".example",
        "example",
        "*",
        "a.example",
        "a.example:81",
        "example:80",
        "[::1]",
        "",
        " x ",
    ]
)


@given(
    st.lists(ENTRIES).map(",".join),
    st.sampled_from([HERE, "http://a.example:81", "http://localhost", "https://x", "http://a.svc"]),
)
def test_what_other_libraries_exempt_is_exempt(no_proxy, url):
    by_python = proxy_bypass_environment(urlsplit(url).netloc, {"no": no_proxy})
    if by_python or should_bypass_proxies(url, no_proxy):
        assert is_exempt(url, no_proxy)


def variables(**environ: str) -> str | None:
    proxy = find_proxy(HERE, environ)
    return proxy and f"{proxy.variable} {proxy.url}"


def test_the_scheme_goes_before_all_and_lower_case_before_upper_case():
    assert variables(HTTP_PROXY="http://a", ALL_PROXY="http://b") == "HTTP_PROXY http://a"
    assert variables(HTTP_PROXY="http://a", http_proxy="http://b") == "http_proxy http://b"
    assert variables(HTTPS_PROXY="http://a", all_proxy="http://b") == "all_proxy http://b"
    assert variables(HTTP_PROXY="http://a", http_proxy="") is None
    assert variables(Http_Proxy="a:1") == "Http_Proxy http://a:1"
    assert variables(HTTP_PROXY=" \n", HTTPS_PROXY="http://a") is None
    assert variables(HTTP_PROXY="http://a\n") == "HTTP_PROXY http://a"


def test_a_header_of_a_request_to_a_web_server_sets_no_proxy():
    assert variables(HTTP_PROXY="http://a", REQUEST_METHOD="GET") is None
    assert variables(http_proxy="http://a", REQUEST_METHOD="GET") == "http_proxy http://a"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_the_http_library_can_use_is_accepted(scheme):
    for place in (
        "proxy.example:3128",
        "user:pass@proxy.example",
        "[::1]:1",
        "bücher.example",
        "user:p%2Fw@h:1",
    ):
        check_proxy(Proxy("HTTP_PROXY", f"{scheme}://{place}"))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("socks://127.0.0.1:9", "Write socks5:// in ALL_PROXY"),
        ("socks4://127.0.0.1:9", "Write socks5:// in ALL_PROXY"),
        ("socks5://127.0.0.1:9", "pip install socksio"),
        ("ftp://127.0.0.1:9", "begins with ftp:"),
        ("http://proxy:port", "its port is not a number"),
        ("http://proxy:99999", "its port is not a number"),
        ("http://", "it names no host"),
        ("http://a..b:1", "its host is not the name of one"),
        ("http://[::1", "the part with its host cannot be read"),
        ("http://pro xy:1", "a blank, a line break"),
        ("http://pro\nxy:1", "a blank, a line break"),
        ("http://\udc80:1", "a blank, a line break or another character"),
        ("http://me:secret/word@proxy:1", "are written as %2F"),
        ("http://me:secret#word@proxy:1", "are written as %2F"),
        ("http://me:9?secret@proxy:1", "are written as %2F"),
        ('"http://proxy:1"', "it stands in quotation marks"),
        ("http://'proxy:1'", "it stands in quotation marks"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(value, words):
    with pytest.raises(NetworkProblem) as problem:
        check_proxy(Proxy("ALL_PROXY", value))

    assert words in str(problem.value)
    assert "ALL_PROXY (" in str(problem.value)
    assert "secret" not in str(problem.value)
    assert problem.value.variable == "ALL_PROXY"


@example("http://u:p@ss@h")
@example("http://u:p/s?s#@h")
@example("u:p@h:1")
@given(
    st.text(st.characters(codec="utf-8"), min_size=1).map(
        lambda text: f"http://u:{text}@h.example:1"
    )
)
def test_no_password_of_a_proxy_is_shown(url):
    password = url.partition(":")[2].rpartition("@")[0].rpartition("u:")[2]

    shown = Proxy("HTTP_PROXY", url).shown

    assert shown.endswith(("h.example:1", "//h", "h:1"))
    assert f"{password}@" not in shown
    assert url not in repr(Proxy("HTTP_PROXY", url))


def test_the_remedy_is_one_that_can_be_typed():
    proxy = Proxy("HTTP_PROXY", "http://me:secret@proxy:1")

    near = describe_route(proxy, "http://localhost:1/v1", {})
    far = describe_route(proxy, "http://far.example/v1", {"no_proxy": "a.b"})

    assert "proxy http://proxy:1, which HTTP_PROXY sets" in near
    assert "on this computer, which needs no proxy: set NO_PROXY=localhost before" in near
    assert "reached without a proxy, add far.example to no_proxy before" in far
