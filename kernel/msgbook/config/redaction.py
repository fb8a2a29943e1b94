"""Removal of secrets from the environment and from everything that is shown or sent."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, MutableMapping, Sequence
from functools import lru_cache
from html.entities import html5
from typing import Any
from urllib.parse import unquote_to_bytes

from msgbook.config.environment import key_variables
from msgbook.config.settings import Settings
from msgbook.text import changed_key
from msgbook_format.html_references import unescape

_STRUCTURE = {"role", "type"}
"""Keys of a request whose values are fixed by the API."""


def hide_keys(settings: Settings, environ: MutableMapping[str, str] | None = None) -> None:
    """Remove the keys from the environment, so that no child process and no `!env` finds them.

    This includes URLs with a password, and other variables with a key. Variables that the file names go even if
    the settings could not be read.
    """
    env = os.environ if environ is None else environ
    named, secrets = {*key_variables(env), *settings.key_variables}, settings.secrets
    for variable, value in [*env.items()]:
        if variable in named or _holds(value, secrets):
            del env[variable]


def _holds(value: str, secrets: tuple[str, ...]) -> bool:
    """Return whether a value contains a secret. A short one counts only as the complete value or in a URL."""
    if value in secrets:
        return True
    counted = secrets if "://" in value else tuple(s for s in secrets if len(s) >= _BEGINNING)
    return bool(find_secrets(value, counted))


_BEGINNING = 8
"""Characters of a secret that are redacted at the end of a text, where the rest may follow; fewer of a short
secret."""


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` without the secrets, however they are spelled, and without the beginning of one at its end.

    Redacting again changes nothing.

    Args:
        secrets: The secrets, longest first.
    """
    secrets = tuple(secrets)
    if not secrets:
        return text
    spans = find_secrets(text, secrets)
    if spans:
        text = replace_spans(text, spans)
    if not text.endswith(REDACTED):
        start = find_beginning(text, [(secret, _beginning(secret)) for secret in secrets])
        if start is not None:
            text = text[:start] + REDACTED
    return text


def may_contain(encoded: bytes, secrets: Iterable[str]) -> bool:
    """Return whether `redact_json` could change a value, given its JSON without escaped letters.

    This check takes a tenth of the time of redacting, and nearly nothing contains a secret.
    """
    known = tuple(secrets)
    return _may_contain_any(encoded, _beginnings(known), known)


@lru_cache(8)
def _beginnings(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_beginning, secrets))


def _beginning(secret: str) -> str:
    return secret[: min(_BEGINNING, max(3, len(secret) - 3))]


def redact_json(value: Any, secrets: Iterable[str]) -> Any:
    """Return a part of a request without the secrets. What names its structure stays, keys and values."""
    match value:
        case str():
            return redact(value, secrets)
        case list():
            return [redact_json(entry, secrets) for entry in value]
        case dict():
            return _redact_object(value, secrets)
    return value


def _redact_object(value: dict[str, Any], secrets: Iterable[str]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    known = tuple(secrets)

    def hide(key: str) -> str:
        return replace_spans(key, find_secrets(key, known))

    for key, entry in value.items():
        name = changed_key(key, hide, changed)
        changed[name] = entry if key in _STRUCTURE else redact_json(entry, secrets)
    return changed


# Secrets in a text, however JSON, a URL, HTML or base64 spells their letters. Pure.
#
# PHP writes `sk-ab\/cd`, others `\u0073k-ab`, a URL `sk-ab%2Fcd`, HTML `sk-ab&#47;cd`, and JSON within JSON doubles
# each backslash. So text and secrets are compared as they are read, not as they are written. Base64 is compared as
# it is written: a header `Basic` has a key among other letters, a file has line breaks in it.


REDACTED = "[redacted]"

_LOW, _HIGH = "u[dD][89abAB][0-9a-fA-F]{2}", "u[dD][c-fC-F][0-9a-fA-F]{2}"
# A run of backslashes is taken as one, and only from its start: that takes linear time.
_BACKSLASHES = r"(?<!\\)\\++"
_PERCENT = "%(?:25){0,3}"
_AMPERSAND = rf"(?:&|{_PERCENT}26|{_BACKSLASHES}(?:u00|x)26)"
_ENTITY = rf"(?:[#]|{_PERCENT}23)(?:[xX][0-9a-fA-F]{{1,8}}(?![0-9a-fA-F])|[0-9]{{1,9}}(?![0-9]))"
_SEMICOLON = f"(?:;|{_PERCENT}3[bB])"
_ESCAPES = (
    rf"{_BACKSLASHES}(?P<pair>{_LOW}\\++{_HIGH})|{_BACKSLASHES}[ux](?P<code>(?<=u)[0-9a-fA-F]{{4}}|(?<=x)[0-9a-fA-F]{{2}})"
    rf"|(?P<bytes>{_PERCENT}[2-7][0-9a-fA-F]|(?:{_PERCENT}[89a-fA-F][0-9a-fA-F])++)"
)
_CUT = re.compile(
    r"(?:(?<!\\)\\++(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?|%(?:25){0,3}[0-9a-fA-F]?"
    r"|&(?:amp;){0,3}(?:#(?:[xX][0-9a-fA-F]{0,6}|[0-9]{0,7})|[a-zA-Z]{1,8})?)\Z"
)
"""What may be the beginning of an escape."""
_LONGEST = 24
"""Characters that one of a secret may take: both halves of a pair, twice within JSON."""


def find_secrets(text: str, secrets: Sequence[str]) -> list[tuple[int, int]]:
    """Return start and end of each secret in a text, in order. None overlap."""
    known = tuple(secrets)
    if not known:
        return []
    spans = []
    if any(form in text for form in _forms(known)):
        spans = _matches(_expression(_forms(known)), text)
    escapes = _escapes(known)
    if _may_escape(text) and escapes.search(text):
        plain, read = _plain(text, known), _as_read(known)
        if any(secret in plain for secret in read):
            places = _places(text, escapes)
            spans += [
                (places[start][0], places[end - 1][1])
                for start, end in _matches(_expression(read), plain)
            ]
    return _joined(spans + _base64_spans(text, known))


def replace_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text with `[redacted]` in place of parts, which are in order."""
    kept, at = [], 0
    for start, end in spans:
        kept += [text[at:start], REDACTED]
        at = end
    return "".join([*kept, text[at:]])


def find_beginning(text: str, beginnings: Sequence[tuple[str, str]]) -> int | None:
    """Return where the beginning of a secret at the end of a text starts; None if there is none.

    Args:
        beginnings: Each secret, and the part of it that counts at the end of a text, where the rest may follow.
    """
    secrets = tuple(secret for secret, _ in beginnings)
    for secret, beginning in beginnings:
        start = text.rfind(beginning, max(0, len(text) - len(secret)))
        if start >= 0 and secret.startswith(text[start:]):
            return start
    spelled, coded = _spelled_beginning(text, beginnings, secrets), _coded_beginning(text, secrets)
    return min((start for start in (spelled, coded) if start is not None), default=None)


def _spelled_beginning(
    text: str, beginnings: Sequence[tuple[str, str]], secrets: tuple[str, ...]
) -> int | None:
    first = max(0, len(text) - _LONGEST * max(map(len, secrets)))
    window = text[first:]
    escapes = _escapes(secrets)
    if not (escapes.search(window) or _CUT.search(window)):
        return None
    window = _CUT.sub("", window)
    plain = _plain(window, secrets)
    for secret, beginning in beginnings:
        read, first_letters = _plain(secret, secrets), _plain(beginning, secrets)
        start = plain.rfind(first_letters, max(0, len(plain) - len(read)))
        if 2 * len(first_letters) < len(beginning):
            continue
        if start >= 0 and read.startswith(plain[start:]):
            return first + _places(window, escapes)[start][0]
    return None


def _may_contain_any(encoded: bytes, beginnings: Sequence[str], secrets: Sequence[str]) -> bool:
    """Return whether JSON whose letters are not escaped may hold one of the secrets, or of their beginnings."""
    known = tuple(beginnings)
    if any(form in encoded for form in _encoded(known)):
        return True
    pieces = _base64_pieces(tuple(secrets))[1]
    if any(piece in encoded for piece in pieces):
        return True
    if pieces and (b"%2" in encoded or b"\\/" in encoded):
        written = _base64_plain(encoded.decode("utf-8", "replace")).encode()
        if any(piece in written for piece in pieces):
            return True
    signs = (b"\\", b"%", b"&")
    if not any(sign in encoded for sign in signs) or not _encoded_escapes(known).search(encoded):
        return False
    plain = _plain(encoded.decode("utf-8", "replace"), known)
    return any(read in plain for read in _as_read(known))


_LEAST_BASE64 = 8
"""Letters of base64 that are surely those of a secret; fewer are found in many texts."""
_BREAK = r"(?:\\*[rn]|[\r\n]|%0[aAdD]){0,4}"
"""What stands in base64 where a line ends, as it is or within JSON."""
_AT_MOST = r"[A-Za-z0-9+/_-]?"


def _base64_spans(text: str, secrets: tuple[str, ...]) -> list[tuple[int, int]]:
    windows, expression = _base64_forms(secrets)
    if not any(window in text for window in windows):
        is_escaped = windows and ("%2" in text or "\\/" in text or "\\+" in text)
        written = _base64_plain(text) if is_escaped else ""
        if not any(window in written for window in windows):
            return []
    return [found.span() for found in expression.finditer(text)]


def _coded_beginning(text: str, secrets: tuple[str, ...]) -> int | None:
    """Return where the beginning of a secret in base64 at the end of a text starts; None if there is none."""
    forms = _base64_letters(secrets)
    if not forms:
        return None
    first = max(0, len(text) - _SPELLED * max(map(len, forms)))
    window = text[first:]
    is_escaped = "\\" in window or "%2" in window
    if not (is_escaped or any(piece in window for piece in _base64_pieces(secrets)[0])):
        return None
    signs = [*_BASE64_SIGNS.finditer(window)]
    plain = _BASE64_SIGNS.sub(lambda found: _base64_sign(found[0]), window)
    starts = []
    for form in forms:
        start = plain.rfind(form[:_LEAST_BASE64], max(0, len(plain) - len(form)))
        if start >= 0 and form.startswith(plain[start:]):
            starts.append(start)
    if not starts:
        return None
    at, start = 0, min(starts)
    for sign in signs:
        if sign.start() - at > start:
            break
        at += len(sign[0]) - len(_base64_sign(sign[0]))
    return first + start + at


_SPELLED = 4
"""Characters that a letter in base64 may take, with the breaks of lines."""
_BASE64_SIGNS = re.compile(r"\\+[rn]|[\r\n]|%0[aAdD]|\\+(?=[+/]|\Z)|%2[bBfF]|%(?:[02]?)\Z")


_BASE64_ESCAPES = re.compile(r"\\+(?=[+/])|%2[bBfF]")


def _base64_plain(text: str) -> str:
    return _BASE64_ESCAPES.sub(lambda found: _base64_sign(found[0]), text)


def _base64_sign(written: str) -> str:
    # Nothing for the end of a line, or for half of an escape.
    return {"%2b": "+", "%2f": "/"}.get(written.lower(), "")


@lru_cache(16)
def _base64_pieces(secrets: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    """Return what a text has one of if it may have a secret in base64, or the beginning of one; and as bytes."""
    half = _LEAST_BASE64 // 2
    forms = _base64_letters(secrets)
    pieces = [piece for form in forms for piece in (form[:half], form[half:_LEAST_BASE64])]
    texts = tuple(dict.fromkeys(pieces))
    return texts, tuple(text.encode() for text in texts)


@lru_cache(16)
def _base64_forms(secrets: tuple[str, ...]) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Return what a text with a secret in base64 surely has a piece of, and what matches it.

    What a secret is in base64 depends on the number of bytes before it, of which three are to be told apart. Its
    first and last letters tell of its neighbours too.
    """
    windows, patterns = [], []
    for form in _base64_letters(secrets):
        half = min(len(form) // 2, _LEAST_BASE64)
        windows += [form[:half], form[half : 2 * half]]  # a line may end within one of them
        letters = _BREAK.join(_spelled_base64(letter) for letter in form)
        patterns.append(f"{_AT_MOST}{letters}{_BREAK}{_AT_MOST}(?:=|%3[dD]){{0,2}}")
    return tuple(dict.fromkeys(windows)), re.compile("|".join(patterns) or r"(?!)")


@lru_cache(16)
def _base64_letters(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters that tell of nothing but a secret, by its place and for both alphabets."""
    forms: dict[str, None] = {}
    for secret in secrets:
        data = secret.encode("utf-8", "replace")
        for before in range(3):
            coded = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
            whole = coded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
            if len(whole) >= _LEAST_BASE64:
                forms |= dict.fromkeys((whole, whole.translate(_URLSAFE)))
    return tuple(forms)


_URLSAFE = str.maketrans("+/", "-_")


def _spelled_base64(letter: str) -> str:
    return (
        rf"(?:\\*{re.escape(letter)}|%{ord(letter):02x}|%{ord(letter):02X})"
        if letter in "+/"
        else letter
    )


def _may_escape(text: str) -> bool:
    # To search for an escape takes much longer, and few texts have any.
    return "\\" in text or "%" in text or "&" in text


def _matches(expression: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in expression.finditer(text) if found[0] != REDACTED]


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@lru_cache(16)
def _forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the secrets as they are and as JSON writes them, longest first: no half of an escape may stay."""
    forms = [
        form
        for secret in secrets
        for form in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    ]
    return tuple(sorted(dict.fromkeys(forms), key=len, reverse=True))


@lru_cache(32)
def _expression(secrets: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, (REDACTED, *secrets))))


@lru_cache(16)
def _escapes(secrets: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_escapes_for(secrets))


@lru_cache(16)
def _encoded_escapes(secrets: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile(_escapes_for(secrets).encode())


def _escapes_for(secrets: tuple[str, ...]) -> str:
    """Return what matches an escape.

    Quotes, backslashes and HTML's names count only where a secret has one: most texts have many.
    """
    names = "|".join(_entities("".join(secrets)))
    named = rf"|(?:amp;)*(?P<named>{names}){_SEMICOLON}" if names else ""
    entity = rf"{_AMPERSAND}(?:(?:amp;)*+(?P<entity>{_ENTITY}){_SEMICOLON}?{named})"
    letters = "".join(letter for letter in "/\"'" if any(letter in secret for secret in secrets))
    signs = rf"|{_BACKSLASHES}(?P<sign>[{letters}])" if letters else ""
    # What backslashes are left says nothing: `\\\u0025` is `\%`, and read twice it is `%`.
    run = r"|(?<!\\)(?P<run>\\++)" if any("\\" in secret for secret in secrets) else ""
    return f"{entity}|{_ESCAPES}{signs}{run}"


def _entities(letters: str) -> list[str]:
    """Return HTML's names of signs that are among letters."""
    signs = {letter for letter in letters if not letter.isalnum()}
    return sorted(name[:-1] for name, sign in html5.items() if name.endswith(";") and sign in signs)


@lru_cache(16)
def _as_read(secrets: tuple[str, ...]) -> tuple[str, ...]:
    read = {_plain(one, secrets): one for one in secrets}
    # Of nothing but escapes, little would be left, and be found everywhere.
    kept = [short for short, one in read.items() if 2 * len(short) >= len(one)]
    return tuple(sorted(kept, key=len, reverse=True))


@lru_cache(16)
def _encoded(secrets: tuple[str, ...]) -> tuple[bytes, ...]:
    texts = (json.dumps(secret, ensure_ascii=False) for secret in secrets)
    return tuple(text[1:-1].encode("utf-8", "replace") for text in texts)


def _plain(text: str, secrets: tuple[str, ...]) -> str:
    return _escapes(secrets).sub(_letters, text)


def _letters(found: re.Match[str]) -> str:
    if found["pair"]:
        low, high = (int(half[1:5], 16) for half in re.findall("u.{4}", found["pair"]))
        return chr(0x10000 + ((low & 0x3FF) << 10 | high & 0x3FF))
    if found["bytes"]:
        written = re.sub("%(?:25)+", "%", found["bytes"])
        return unquote_to_bytes(written).decode("utf-8", "replace")
    groups = found.groupdict()
    letter = groups.get("sign") or ""
    if found["code"]:
        letter = chr(int(found["code"], 16))
    elif found["entity"]:
        number = re.sub("^%(?:25)*23", "#", found["entity"])
        letter = unescape(f"&{number};")
    elif groups.get("named"):
        letter = html5[f"{groups['named']};"]
    return "" if letter == "\\" and "run" in groups else letter


def _places(text: str, escapes: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where each letter of a text with its escapes read stands in it."""
    places: list[tuple[int, int]] = []
    at = 0
    for found in escapes.finditer(text):
        places += [(place, place + 1) for place in range(at, found.start())]
        places += [found.span()] * len(_letters(found))
        at = found.end()
    return [*places, *((place, place + 1) for place in range(at, len(text)))]
