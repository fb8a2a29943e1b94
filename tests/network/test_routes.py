"""What is in the way to a server: a proxy that is dead or says no, a page of another site, a foreign certificate."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bad_proxy import CLOSED, PAGE, bad_proxy, environment
from engine_turns import run_prompt
from mcp_direct import started
from scripted_server import ScriptedServer, text

from msgbook.config import McpServerSettings, ProviderSettings
from msgbook.errors import ConfigError
from msgbook.network import find_route
from msgbook.network.certificates import describe_trust
from msgbook.provider.failures import Failures

USER = "me:secret-of-mine@"


@pytest.fixture
def ask(server: ScriptedServer, tmp_path: Path) -> Any:
    """Runs a prompt with these variables, and returns the last block of its turn."""
    server.answers = [text("hello")]

    def run(**env: str) -> dict[str, Any]:
        with environment(**env):
            ours = {k: v for k, v in env.items() if k.startswith(("OPENAI", "MSGBOOK"))}
            block: dict[str, Any] = run_prompt(server, tmp_path, **ours)["blocks"][-1]
        assert "secret-of-mine" not in str(block)
        return block

    return run


@pytest.mark.parametrize(
    "env",
    [
        {"HTTP_PROXY": "http://proxy:port", "NO_PROXY": "127.0.0.1"},
        {"ALL_PROXY": "socks://127.0.0.1:9", "no_proxy": "localhost, 127.0.0.0/8"},
        {"HTTPS_PROXY": "socks://127.0.0.1:9"},
        {"SSL_CERT_FILE": "/nonexistent/cacert.pem"},
        {"SSL_CERT_DIR": "/nonexistent"},
        {"SSLKEYLOGFILE": "/nonexistent/keys"},
        {"HTTP_PROXY": "", "ALL_PROXY": " "},
        {"OPENAI_LOG": "loud", "OPENAI_API_TYPE": "none", "AZURE_OPENAI_ENDPOINT": "[", "REQUEST_METHOD": "GET"},
        {"OPENAI_ORG_ID": "\n", "OPENAI_PROJECT_ID": " ", "OPENAI_API_KEY": "\n"},
    ],
)  # fmt: skip
def test_what_the_url_does_not_need_ends_no_turn(ask, env):
    assert ask(**env).get("text") == "hello"


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"ALL_PROXY": f"socks://{USER}127.0.0.1:9"}, "ALL_PROXY (socks://127.0.0.1:9) cannot be used: socks://"),
        ({"http_proxy": "http://proxy:port"}, "http_proxy (http://proxy:port) cannot be used: its port"),
        ({"HTTP_PROXY": "https://127.0.0.1:9", "SSL_CERT_FILE": "/nonexistent"},
         "SSL_CERT_FILE (/nonexistent) cannot be used: No such file"),
        ({"OPENAI_ORG_ID": "o\n1"}, "OPENAI_ORG_ID ('o 1') contains a line break"),
        ({"OPENAI_CUSTOM_HEADERS": "X Y: z"}, "OPENAI_CUSTOM_HEADERS contains a header that cannot be sent ('X Y')"),
    ],
)  # fmt: skip
def test_what_the_url_needs_is_named_with_its_value(ask, env, words):
    try:
        said = ask(**env)["message"]
    except ConfigError as error:  # of the settings, which a kernel shows in each turn
        said = str(error)

    assert words in said


def test_an_organization_with_a_line_break_at_its_end_is_sent_without_it(ask, server):
    ask(OPENAI_ORG_ID="org-1\n", OPENAI_PROJECT_ID=" p\t")

    assert server.seen[0]["openai-organization"] == "org-1"
    assert server.seen[0]["openai-project"] == "p"


def test_headers_of_lines_go_before_organization_and_project(ask, server):
    ask(OPENAI_ORG_ID="org-1", OPENAI_CUSTOM_HEADERS="openai-organization: org-2")

    assert server.seen[0]["openai-organization"] == "org-2"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_dead_proxy_of_a_local_server_is_named_with_no_proxy(ask, server, variable):
    said = ask(**{variable: CLOSED.replace("//", f"//{USER}")})["message"]

    assert f"The connection to {server.url} through the proxy {CLOSED} failed" in said
    assert f"the proxy {CLOSED}, which {variable} sets" in said
    assert "set NO_PROXY=127.0.0.1" in said
    assert "Is the server running" not in said


@pytest.mark.parametrize("status", [401, 403, 407, 502, 503])
@pytest.mark.parametrize(
    ("body", "kind"), [(PAGE, "text/html"), ("Forbidden", "text/plain"), ("", "text/plain")]
)
def test_a_proxy_that_refuses_a_local_server_is_named_with_no_proxy(ask, status, body, kind):
    with bad_proxy(status, body, kind) as proxy:
        said = ask(HTTP_PROXY=proxy.url.replace("//", f"//{USER}"))["message"]

    assert f"the proxy {proxy.url}, which HTTP_PROXY sets" in said
    assert "set NO_PROXY=127.0.0.1" in said
    if body == PAGE:
        assert "OPENAI_API_KEY" not in said


def test_a_page_in_place_of_an_answer_names_the_proxy_too(ask):
    with bad_proxy(200) as proxy:
        said = ask(HTTP_PROXY=proxy.url)["message"]

    assert f"the proxy {proxy.url}, which HTTP_PROXY sets" in said


def test_a_tunnel_that_a_proxy_refuses_is_named(ask):
    with bad_proxy(403) as proxy:
        said = ask(HTTPS_PROXY=proxy.url, OPENAI_BASE_URL="https://far.invalid/v1")["message"]

    assert proxy.asked[0] == "CONNECT far.invalid:443"
    assert f"through the proxy {proxy.url} failed: 403" in said
    assert "add far.invalid to NO_PROXY" in said or "set NO_PROXY=far.invalid" in said


@pytest.mark.parametrize("status", [401, 403, 407])
def test_a_page_that_refuses_is_no_answer_of_a_model_server(ask, status):
    with bad_proxy(status) as site:
        said = ask(OPENAI_BASE_URL=f"{site.url}/v1")["message"]

    assert f"The server answered {status}: an HTML page (Access denied)" in said
    assert "A model server answers with JSON, so this page comes from something else" in said
    assert "OPENAI_API_KEY" not in said
    assert "Check OPENAI_BASE_URL" in said


def test_an_error_in_json_is_the_servers_own_behind_a_proxy_too(ask):
    with bad_proxy(401, '{"error": {"message": "bad key"}}', "application/json") as proxy:
        said = ask(HTTP_PROXY=proxy.url, OPENAI_API_KEY="sk-1234")["message"]

    assert said.endswith("Check OPENAI_API_KEY.")


def test_an_mcp_server_behind_a_bad_proxy_names_the_proxy():
    async def said(url: str) -> str:
        async with started(McpServerSettings("web", url=url)) as servers:
            return " ".join(servers.said)

    here = "http://127.0.0.1:1/mcp"
    with bad_proxy(403) as proxy, environment(HTTP_PROXY=proxy.url):
        refused = asyncio.run(said(here))
    with environment(ALL_PROXY=CLOSED):
        dead = asyncio.run(said(here))
    with environment(ALL_PROXY="socks://127.0.0.1:9"):
        wrong = asyncio.run(said(here))
    with bad_proxy(403) as site, environment():
        page = asyncio.run(said(f"{site.url}/mcp"))

    assert f"the proxy {proxy.url}, which HTTP_PROXY sets" in refused
    assert "set NO_PROXY=127.0.0.1" in refused
    assert f"the proxy {CLOSED}, which ALL_PROXY sets" in dead
    assert "ALL_PROXY (socks://127.0.0.1:9) cannot be used" in wrong
    assert "it answers HTTP 403 with a page" in page
    assert "headers" not in page


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1, and its key, that nobody vouches for."""
    x509 = pytest.importorskip("cryptography.x509", reason="makes the certificate")
    import datetime as dt
    import ipaddress

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now).not_valid_after(now + dt.timedelta(days=1))
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    authority = x509.BasicConstraints(ca=True, path_length=None)
    made = (
        builder.add_extension(alternative, False)
        .add_extension(authority, True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(pem) + private)
    return path


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[str]:
    """A server over TLS that answers with an error in JSON."""
    with bad_proxy(
        401, '{"error": {"message": "bad key"}}', "application/json", certificate
    ) as site:
        yield site.url.replace("http:", "https:")


def test_a_certificate_that_is_not_trusted_says_what_to_set(ask, encrypted, certificate):
    url = f"{encrypted}/v1"

    plain = ask(OPENAI_BASE_URL=url, REQUESTS_CA_BUNDLE=str(certificate))["message"]
    other = ask(OPENAI_BASE_URL=url, SSL_CERT_FILE=ssl.get_default_verify_paths().openssl_cafile)
    right = ask(OPENAI_BASE_URL=url, SSL_CERT_FILE=str(certificate), OPENAI_API_KEY="sk-1234")

    assert "set SSL_CERT_FILE to a file with its certificate" in plain
    assert "REQUESTS_CA_BUNDLE is set, but not read here" in plain
    assert (
        "is not signed by one of them" in other["message"] or "SSL_CERT_FILE (" in other["message"]
    )
    assert "bad key" in right["message"]


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_the_certificates_that_are_trusted_are_named(name):
    failures = Failures(ProviderSettings("p", "https://h.example/v1"), ())
    failures.route = find_route("https://h.example/v1", {})
    error = OSError(
        "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    )

    with environment(**{name: "/my/certificates"}):
        found = failures.from_connection(error)

    assert f"{name} (/my/certificates) says which certificates are trusted" in str(found)
    assert found.retry is None
    assert describe_trust({name: "/my/certificates"}) in str(found)
