"""Keys are found however their letters are spelled: by JSON, by JSON within JSON, in a URL."""

from __future__ import annotations

import base64
import html
import json
import re
import string
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.config import (
    REDACTED,
    Settings,
    find_secrets,
    hide_keys,
    load_settings,
    may_contain,
    redact,
    redact_json,
)
from msgbook.extras.cassettes.exchanges import redact_answer
from msgbook.text import map_texts

KEYS = st.text(string.ascii_letters + string.digits + "-_/+=.", min_size=8, max_size=30)
ODD_KEYS = st.text('xy/"\\%é😀', min_size=6, max_size=12).filter(
    lambda key: not re.search(r'\\["/\\]', key)  # which is an escape itself
)


def spell(letter: str, way: str) -> str:
    """Return a letter as JSON or a URL may write it."""
    units = letter.encode("utf-16-be")
    codes = "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    match way:
        case "u":
            return codes
        case "U":
            return "".join(
                f"\\u{units[at : at + 2].hex().upper()}" for at in range(0, len(units), 2)
            )
        case "x" if ord(letter) < 256:
            return f"\\x{ord(letter):02x}"
        case "/" if letter in '/"\\':
            return f"\\{letter}"
        case "%":
            return "".join(f"%{byte:02X}" for byte in letter.encode())
        case "%25":
            return "".join(f"%25{byte:02x}" for byte in letter.encode())
        case "&#":
            return f"&#{ord(letter)};"
        case "&#x":
            return f"&amp;#x{ord(letter):04X};"
        case "&":
            return html.escape(letter) if letter != "/" else "&sol;"
        case "%26":
            return quote(f"&#{ord(letter)};", safe="")
    return json.dumps(letter, ensure_ascii=False)[1:-1]


WAYS = ("", "u", "U", "x", "/", "%", "%25", "&#", "&#x", "&", "%26")


@st.composite
def spelled(draw, keys=KEYS, ways=WAYS):
    """Return a key, and a text that says the same in another spelling."""
    key = draw(keys)
    text = "".join(spell(letter, draw(st.sampled_from(ways))) for letter in key)
    for _ in range(draw(st.integers(0, 3))):
        text = json.dumps(text)[1:-1]
    return key, text


@given(
    spelled(), st.sampled_from(["", "before ", '{"a": "']), st.sampled_from(["", " after", '"}'])
)
def test_a_key_goes_in_any_spelling_and_nothing_else(pair, before, after):
    key, text = pair

    assert redact(f"{before}{text}{after}", [key]) == f"{before}{REDACTED}{after}"


@given(spelled(ODD_KEYS, ("", "u", "U", "/", "&#", "&#x", "&")))
def test_a_key_with_quotes_backslashes_and_any_letters_goes_too(pair):
    key, text = pair

    left = redact(f"<{text}>", [key]).replace(REDACTED, "")
    assert re.sub(r"\\|u005[cC]|&(amp;)?#(92|x005C);", "", left) == "<>"


@pytest.mark.parametrize(
    "spelling",
    [
        lambda key: json.dumps(key).replace("/", "\\/")[1:-1],  # PHP
        lambda key: "".join(f"\\u{ord(letter):04X}" for letter in key),
        lambda key: json.dumps(json.dumps({"k": json.dumps(key).replace("/", "\\/")})),
        lambda key: "".join(f"&#{ord(letter)};" for letter in key),
        lambda key: "".join(f"&#x{ord(letter):02X}" for letter in key),
        lambda key: "".join(f"&#{ord(letter):05}" for letter in key),
        lambda key: json.dumps(html.escape(key)).replace("&", "\\u0026"),  # Go
        lambda key: quote("".join(f"&#{ord(letter)};" for letter in key)),
        lambda key: quote(key, safe=""),
        lambda key: quote(quote(key, safe=""), safe=""),
        lambda key: re.sub("%..", lambda found: found[0].lower(), quote(key, safe="")),
    ],
)
def test_the_spellings_of_servers_are_known(spelling):
    assert "ab" not in redact(spelling("sk-ab/cd+EF=="), ["sk-ab/cd+EF=="]).replace(REDACTED, "")


@given(spelled(ways=("", "u", "U", "/", "%", "&#", "&")), st.data())
def test_the_beginning_of_a_key_at_the_end_of_a_text_goes_in_any_spelling(pair, data):
    key, text = pair
    cut = text[: data.draw(st.integers(0, len(text)))]

    shown = redact(f"<{cut}", [key])

    assert shown == f"<{REDACTED}" or len(shown) <= len(cut) + 1
    assert redact(shown, [key]) == shown
    assert len(find_secrets(shown, [key])) == 0


@given(spelled(), st.sampled_from(["content", "arguments", "delta", "anything"]), st.data())
def test_a_key_goes_from_the_events_of_an_answer_in_any_spelling_cut_anywhere(pair, name, data):
    key, text = pair
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    events = [f"event: x\ndata: {json.dumps({'a': [{name: part}]})}\n\n" for part in parts]

    redacted = redact_answer(events, [key])

    kept = "".join(json.loads(event.split("data: ")[1])["a"][0][name] for event in redacted)
    assert kept == REDACTED
    assert all(
        event.startswith("event: x\ndata: ") and event.endswith("\n\n") for event in redacted
    )


@given(spelled(ways=("", "u", "U", "/", "&#", "&")))
def test_the_quick_look_overlooks_no_spelling(pair):
    key, text = pair
    message = {"content": f"see {text}"}
    encoded = json.dumps(message, ensure_ascii=False).encode()

    assert redact_json(message, [key]) != message
    assert may_contain(encoded, [key])


def test_a_text_that_was_not_changed_stays_as_the_server_wrote_it():
    body = ['data: {"a" :  "\\u00e9\\/"}\r\n\r\n', "data: [DONE]\n\n", ": ping\n\n"]

    assert redact_answer(body, ["sk-0123456789"]) == body


def test_a_variable_with_a_key_in_another_spelling_is_hidden_from_children():
    environ = {
        "OPENAI_API_KEY": "sk-ab/cdefgh",
        "CONFIG": '{"key": "sk-ab\\/cdefgh"}',
        "HOME": "/home/me",
    }
    settings = load_settings(dict(environ))

    hide_keys(settings, environ)

    assert environ == {"HOME": "/home/me"}


def test_the_password_of_a_url_goes_as_a_header_has_it_too():
    settings: Settings = load_settings({"OPENAI_BASE_URL": "https://me:pass%2Fword@example.com/v1"})

    shown = redact("Basic bWU6cGFzcy93b3Jk, pass/word", settings.secrets)

    assert shown == f"Basic {REDACTED}, {REDACTED}"


CODERS = {
    "standard": base64.b64encode,
    "of a URL": base64.urlsafe_b64encode,
    "in lines": base64.encodebytes,
    "without its end": lambda data: base64.b64encode(data).rstrip(b"="),
    "twice": lambda data: base64.b64encode(data) + base64.b64encode(data),
}
AROUND = st.text(string.ascii_letters, max_size=90)


@given(KEYS, AROUND, AROUND, st.sampled_from(sorted(CODERS)), st.booleans(), st.booleans())
def test_a_key_goes_in_base64_too(key, before, after, coder, as_json, in_url):
    text = CODERS[coder](f"{before}:{key}:{after}".encode()).decode()
    text = quote(text, safe="") if in_url else text
    text = json.dumps({"data": text}) if as_json else text

    shown = redact(text, [key])

    coded = re.sub(r"\\n|\n|%0A", "", shown).replace("%2F", "/").replace("%2B", "+")
    coded = coded.translate(str.maketrans("-_", "+/"))
    assert REDACTED in shown
    for skipped in range(3):
        part = base64.b64encode(b"x" * skipped + key.encode()).decode()[4:-4]
        assert len(part) < 12 or part not in coded
    assert redact(shown, [key]) == shown


@given(KEYS, st.sampled_from(["", "a", "bc"]))
def test_the_quick_look_overlooks_no_base64(key, before):
    message = {"content": base64.encodebytes(f"{before}{key}".encode()).decode()}
    encoded = json.dumps(message, ensure_ascii=False).encode()

    assert redact_json(message, [key]) != message
    assert may_contain(encoded, [key])


@given(spelled(st.text(string.ascii_letters + "/+", min_size=9).map(lambda k: f"sk-{k}")))
def test_a_key_goes_from_the_names_of_values_too(pair):
    key, text = pair
    value = {text: 1, f"x {text}": {"role": "user", "deeper": [{text: text}]}}

    for redacted in (
        redact_json(value, [key]),
        map_texts(value, lambda one: redact(one, [key])),
    ):
        inner = {"role": "user", "deeper": [{REDACTED: REDACTED}]}
        assert redacted == {REDACTED: 1, f"x {REDACTED}": inner}


def test_names_that_become_alike_stay_two():
    value = {"sk-0123456789": 1, r"sk-01\u00323456789": 2}

    assert redact_json(value, ["sk-0123456789"]) == {REDACTED: 1, f"{REDACTED} 2": 2}


@pytest.mark.parametrize("secret", ["type", "role", "content", "te", "none", "tool"])
def test_a_short_secret_changes_no_name_of_a_request(secret):
    request = {
        "messages": [{"role": "user", "content": "hi", "tool_calls": []}],
        "tools": [{"type": "function", "function": {"parameters": {"properties": {}}}}],
    }

    assert redact_json(request, [secret]).keys() == request.keys()
    assert redact_json(request, [secret])["messages"][0].keys() == request["messages"][0].keys()


def coded(key: str, before: str, way: str) -> str:
    """A text with a key in base64, and what stands there before the letters of the key alone."""
    data = base64.b64encode(f"{before}{key} and more".encode()).decode()
    match way:
        case "url":
            return data.replace("+", "-").replace("/", "_")
        case "%":
            return quote(data, safe="")
        case "json":
            return data.replace("/", "\\/")
        case "lines":
            return "\n".join(data[at : at + 20] for at in range(0, len(data), 20))
        case "json lines":
            return "\\r\\n".join(data[at : at + 17] for at in range(0, len(data), 17))
    return data


@pytest.mark.parametrize("way", ["", "url", "%", "json", "lines", "json lines"])
@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "user"])
@pytest.mark.parametrize("key", ["sk-ab?cd>>EFgh12~~??", "xoxb-1234567890", "ÿÿÿ>>>???ÿÿÿ"])
def test_a_key_in_base64_is_hidden_while_the_text_grows(way, before, key):
    text = f"It is {coded(key, before, way)}"

    for end in range(len(text) + 1):
        shown = redact(text[:end], [key])
        plain = re.sub(r"\\[rn]|[\n\\]", "", unquote(shown))
        assert not any(form[:9] in plain for form in forms_of(key)), shown
        assert redact(shown, [key]) == shown


def forms_of(key: str) -> list[str]:
    """The letters of a key in base64 at each of its three places."""
    data = key.encode()
    forms = [base64.b64encode(b"\0" * n + data).decode()[-(-n * 8 // 6) :] for n in range(3)]
    return forms + [form.replace("+", "-").replace("/", "_") for form in forms]


@pytest.mark.parametrize("way", ["", "url", "json", "lines", "json lines"])
@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_json_with_the_beginning_of_a_key_in_base64_may_hold_one(way, before):
    key = "sk-ab?cd>>EFgh12~~??"
    text = f"It is {coded(key, before, way)}"

    for end in range(len(text)):
        if redact(text[:end], [key]) != text[:end]:
            encoded = json.dumps({"text": text[:end]}, ensure_ascii=False).encode()
            assert may_contain(encoded, [key])


def test_what_only_begins_like_a_key_in_base64_is_shown_once_it_goes_on_otherwise():
    key = "sk-proj-0123456789abcdef"
    begun = base64.b64encode(key[:12].encode()).decode()

    assert redact(f"It is {begun}", [key]) == f"It is {REDACTED}"
    assert redact(f"It is {begun}!", [key]) == f"It is {begun}!"
    assert redact(f"It is {begun[:7]}", [key]) == f"It is {begun[:7]}"
