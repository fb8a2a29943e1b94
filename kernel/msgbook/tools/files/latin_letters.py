"""How likely bytes are a text in Latin letters, in each encoding of those that Windows, Unix, DOS and Macs had for them. Pure.

Their texts are mostly ASCII, so the few other characters decide: whether one language has all of them, and whether
they stand where letters stand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

_MARKS = "’“”‘–—…€«»°£©®§·•¿¡„‚ºª\u00a0"
_MARK_SHARE = 1 / 50
_SIGNS = "±µ×²³½¼¾÷¶†‰™"
_SIGN_SHARE = 1 / 300
_WITHIN_WORDS = "’‘·—–…\u00a0"
"""Marks that may stand between two letters."""
_SHARE, _CAPITALS = 0.2, 0.05
"""Part of a text that is letters with accents, and how much of that is capitals."""
_OTHER_LETTER = 1 / 2000
_OTHER = 1e-5
_ASCII = 1 / 64
_SIDE_BY_SIDE = 1 / 30
_MISPLACED = 1e-5
_LOCAL = 1000.0

_WESTERN = {
    "cp1252": 1.0,
    "mac_roman": 1e-3,
    "cp850": 1e-3,
    "cp437": 1e-3,
}
_CENTRAL = {"cp1250": 0.1, "iso8859-2": 0.05, "cp852": 1e-3, "mac_latin2": 1e-4}
_BALTIC = {"cp1257": 0.05, "iso8859-13": 0.01}
_TURKISH = {"cp1254": 0.1, "cp857": 1e-3}

_LANGUAGES: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("éèàêçùîôûâëïœ", _WESTERN),  # French
    ("üäöß", _WESTERN),  # German
    ("óáíéñúü", _WESTERN),  # Spanish
    ("ãçáéíóêâúõàô", _WESTERN),  # Portuguese
    ("èàùòìé", _WESTERN),  # Italian
    ("àéèóíçòúïü", _WESTERN),  # Catalan
    ("äåöé", _WESTERN),  # Swedish, Finnish
    ("åøæéöäü", _WESTERN),  # Danish, Norwegian
    ("áíðéöúæóþý", _WESTERN),  # Icelandic
    ("éïëáèüöäçñóíøåæ", _WESTERN),  # English, Dutch
    ("ąęłóśżćńź", _CENTRAL),  # Polish
    ("íáéěčřžýůúšťňďó", _CENTRAL),  # Czech
    ("áíčéžýšúľťňôďóäŕĺ", _CENTRAL),  # Slovak
    ("áéóőöíüúű", _CENTRAL),  # Hungarian
    ("čšžćđ", _CENTRAL),  # Croatian, Slovene
    ("ăâîşţșț", {**_CENTRAL, "iso8859-16": 0.01}),  # Romanian
    ("ėšųžąįčūę", _BALTIC),  # Lithuanian
    ("āīēšūķņļčžģ", _BALTIC),  # Latvian
    ("äõüöšž", {**_BALTIC, "cp1252": 0.1}),  # Estonian
    ("ışğüçöâîû", _TURKISH),  # Turkish
)

_LETTERS = "".join(letters for letters, _ in _LANGUAGES)
_MISPLACED_PAIR = re.compile(
    rf"(?<=[a-z{_LETTERS}])[^\x00-\x7f{_LETTERS}{_WITHIN_WORDS}](?=[A-Za-z])"
    r"|(?<=[a-z])[ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞŒŠŽŁŚĄĆĘŃŹŻĚČŘŽŮŤŇĎŐŰĽĹŔĂŢŞĞİŽ](?=[a-z])"
    rf"|[®©±³²¹¼½¾÷×](?=[»«ª]?[a-z{_LETTERS}])|(?<!\w)[ðï]"
)
"""A capital or a sign within a word, a sign before one, or a letter that begins none."""


class _Choice(NamedTuple):
    """An encoding for a language."""

    codec: str
    letters: str
    prior: float


def weigh_latin(sample: bytes, local: str | None) -> tuple[float, str]:
    """Return the logarithm of the likelihood of the best encoding, and its name.

    It is chosen by the words that are not ASCII, each once: one that comes again says nothing new.

    Args:
        local: The encoding of the user's system, if it is one for Latin letters.
    """
    words = dict.fromkeys(word for word in sample.split() if not word.isascii())
    choices = list(_choices(local))
    best = _best(b" ".join(words), choices)[1]
    return _best(sample, [best])[0], best.codec


def _choices(local: str | None) -> Iterator[_Choice]:
    for letters, codecs in _LANGUAGES:
        own = {local: _LOCAL} if local else {}
        for codec, prior in {**codecs, **own}.items():
            yield _Choice(codec, letters, prior)


def _best(sample: bytes, choices: list[_Choice]) -> tuple[float, _Choice]:
    texts = {codec: sample.decode(codec, "replace") for codec in {one.codec for one in choices}}
    counts = {codec: Counter(text) for codec, text in texts.items()}
    pairs = {codec: _weight_of_pairs(text) for codec, text in texts.items()}
    weights = [
        _weight(counts[one.codec], one.letters) + pairs[one.codec] + math.log(one.prior)
        for one in choices
    ]
    best = max(range(len(choices)), key=lambda place: weights[place])
    return weights[best], choices[best]


def _weight_of_pairs(text: str) -> float:
    side_by_side = len(re.findall(r"[^\x00-\x7f](?=[^\x00-\x7f])", text))
    misplaced = len(_MISPLACED_PAIR.findall(text))
    return side_by_side * math.log(_SIDE_BY_SIDE) + misplaced * math.log(_MISPLACED)


def _weight(counts: Counter[str], letters: str) -> float:
    shares = _shares(letters)
    weight = 0.0
    for char, count in counts.items():
        if char.isascii():
            often = _ASCII
        elif char in _MARKS:
            often = _MARK_SHARE
        elif char in _SIGNS:
            often = _SIGN_SHARE
        else:
            often = shares.get(char) or (_OTHER_LETTER if char.lower() in _LETTERS else _OTHER)
        weight += count * math.log(often)
    return weight


@cache
def _shares(letters: str) -> Mapping[str, float]:
    total = sum(1 / (rank + 3) for rank in range(len(letters)))
    found = {}
    for rank, char in enumerate(letters):
        share = _SHARE / total / (rank + 3)
        found[char.upper()] = share * _CAPITALS
        found[char] = share
    return found
