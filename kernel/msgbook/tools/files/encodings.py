"""The encoding of a text that is not UTF-8 and does not say what it is in. Pure.

Every encoding in which the bytes can be read is weighed: how likely is the text, character by character, in the
languages that use it? Libraries for this want a page of text; names, log lines and subtitles are shorter.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

_SAMPLE = 20_000
"""Bytes that are weighed."""
_PLAUSIBLE = 3e-5
"""A character that is rarer says nothing for a language; half of the text has to be better."""
_ASCII = 1 / 64
"""Share of an ASCII character in a text, which is the same in all of these encodings. Encodings are compared by such
shares, so only their ratios count."""
_RARE = 1e-7
"""Share of a character that no text has: one of them makes an encoding unlikely."""
_PUNCTUATION_SHARE = 1 / 60
"""Share of each mark below."""
_MARKS_FOUND = "　、。「」『』（）《》〈〉【】，．：；？！“”‘’·…—～－％"
_LOCAL = 1000.0
"""How much likelier the encoding of the user's own system is."""
_TOUCHING = r"[A-Za-z](?=[^\x00-\x7f])|[^\x00-\x7f](?=[A-Za-z])"
_LETTER_TOUCHES = re.compile(_TOUCHING)
_WRONG_KANA = re.compile(
    _TOUCHING
    + r"|[^きしちにひみりぎじびぴ](?=[ゃゅょ])|[^キシチニヒミリギジビピテデフウヴ](?=[ャュョ])"
)

_WIDER = {"gb2312": "gb18030", "gbk": "gb18030"}
_WORD = re.compile(r"[^\x00-\x7f]{4}")

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
    "完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运编码测试文"
    "件您吗呢吧啊请谢喜欢爱早晚快买卖钱号收费价单户备注册温湿登录密输错误网站系统软数据"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員"
    "解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件"
    "計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象"
    "完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運編碼測試檔"
    "案您嗎呢吧啊請謝喜歡愛早晚快買賣錢號收費價單戶備註冊溫濕登錄密輸錯誤網站系統軟體數據"
)
_HIRAGANA = "のにはたいをとるがしでてなかすられさっくもれりこだあまんけうそきおよめつせどわえちばびやみべほごゆろへげずじぶひふねむぐざぎぜぞぬづぼぱぽぴぷぺ"
_SMALL_KANA = "ょゃゅぁぃぇぉ"
_KATAKANA = "ーンスルトリアイラクドシジレタフテコロマプグバメデムサチウカキニオダネケビパツボナセミハベソエホヒゲポッャュョモペザガゴワヤピズブヘヨユゾァィェォヴノ"
_KANJI = (
    "日一人年大十本中出国会三二事生五行月時分間上者手東四自今高市部学前場子後社入民業員新合立通定対小発下用"
    "地政動体全田明目内金方見長現代回京表意力気性理作化言題度海成実保水名書文字読物話来何開車校山食先電思私"
    "男女知使知試験確認判処説語章正設変更画面検索追加削除報情世界元公法相関経最不平和主関数教主戦機当都道府"
    "県区町村店屋口番号問答質以外安心近取引受持待仕始終切替送信着急速道路料無有必要可能結果原因注意愛好花太郎佐藤鈴木高橋中村温湿値"
)
_HANGUL = (
    "이다는의에을가고로하지은를리기도한서시사어인해그나자니대들라일있수것과정아구부스주전보만제상요여오게으면했"
    "장원동공성유비진신문조안소관경었위선마까적화국원우트계년중무실용내세치개학미영발습식물교회생산행방모연"
    "바방업입재금였거되없러같음말명단통역분당두너야호간강출표품양반임달할하된될며려저히민김박최녕세갑감합독"
    "글열험인코딩확읽히올바르않좋친녁침데터파름번호텍테스트"
)


@dataclass(frozen=True, slots=True)
class _Language:
    """How often the characters of a language stand in its texts."""

    codecs: tuple[tuple[str, ...], ...]
    """Its encodings; of each the narrow form first, then wider ones of the same name."""
    frequent: tuple[tuple[str, float], ...]
    """Characters by their frequency, and the part of a text that they are together."""
    rest: Callable[[str], float]
    """Returns how often another character stands there."""
    seldom_pairs: re.Pattern[str] = _LETTER_TOUCHES
    """Pairs of characters that seldom stand together, such as a Latin letter right beside another one."""
    pair: float = 1 / 8
    """How likely such a pair is."""
    has_words: bool = False
    """Whether it is written in letters. A few of them alone are more likely accents."""
    often: Mapping[str, float] = field(default_factory=dict)
    """How common its encodings are among files that do not say theirs, 1 for those that are not named."""


def _in_rows(
    codec: str, first: int, last: int, often: float, seldom: float
) -> Callable[[str], float]:
    """Return the frequency of ideographs by their rows: every East Asian standard has the common ones first."""

    @cache
    def frequency(char: str) -> float:
        try:
            code = char.encode(codec)
        except UnicodeEncodeError:
            return _RARE
        if len(code) != 2 or not ("\u3400" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"):
            return _RARE
        return often if first <= code[0] <= last else seldom

    return frequency


def _never(char: str) -> float:
    return 1e-5 if char.isalpha() else _RARE


def _alphabet(small: str, *codecs: str) -> _Language:
    capitals = "".join(dict.fromkeys(small.upper())) if small.upper() != small else ""
    parts = ((small, 0.9), (capitals, 0.06)) if capitals else ((small, 0.95),)
    seldom = dict.fromkeys(codecs, 1e-3)
    return _Language(
        tuple((codec,) for codec in codecs), parts, _never, _LETTER_TOUCHES, 1e-4, True, seldom
    )


_LANGUAGES = (
    _Language((("gb18030",),), ((_SIMPLIFIED, 0.66),), _in_rows("gb2312", 0xB0, 0xD7, 9e-5, 3e-6)),
    _Language(
        (("big5", "cp950", "big5hkscs"),),
        ((_TRADITIONAL, 0.66),),
        _in_rows("big5", 0xA4, 0xC6, 6e-5, 1e-6),
    ),
    _Language(
        (("shift_jis", "cp932"), ("euc_jp",)),
        ((_HIRAGANA, 0.5), (_SMALL_KANA, 0.01), (_KATAKANA, 0.14), (_KANJI, 0.2)),
        _in_rows("euc_jp", 0xB0, 0xCF, 4e-5, 1e-6),
        _WRONG_KANA,
        often={"euc_jp": 0.03},
    ),
    _Language(
        (("euc_kr", "cp949"),), ((_HANGUL, 0.8),), _in_rows("euc_kr", 0xB0, 0xC8, 4e-5, 1e-6)
    ),
    _alphabet(
        "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєў",
        "cp1251",
        "koi8-r",
        "koi8-u",
        "cp866",
        "iso8859-5",
        "mac_cyrillic",
    ),
    _alphabet("αοιετνσηρπκμλςυόάίδήέωγύχθφβώξζψ", "cp1253", "iso8859-7"),
    _alphabet("יהולאמתרבשנכדעםחפקגטןצסזךףץ", "cp1255"),
    _alphabet("านรอกเงม่ยลว้ีัสทตดปิบคหุแ์จชพไขใ็ะูำโึถศซผธฟฐณษภญืๆฎฏฉฆฌฝฮ", "cp874"),
    _alphabet("اليمنرتبوهدعسفكقحجشطصخذغءىةأثضظزئإآؤ", "cp1256"),
)


def guess(data: bytes, local: str | None = None) -> str:
    """Return the encoding in which some bytes are most likely text.

    Args:
        data: Not UTF-8, not binary.
        local: The encoding of the user's system, by its name in Python.
    """
    start = re.search(rb"[\x80-\xff]", data)
    begin = max(data.rfind(b"\n", 0, start.start()) + 1, 0) if start else 0
    sample = data[begin : begin + _SAMPLE]
    if len(data) > begin + _SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample[: _last_ascii(sample) + 1] or sample
    known = {name for language in _LANGUAGES for codecs in language.codecs for name in codecs}
    is_western = local is not None and local not in known and local not in _WIDER
    found = [weigh_latin(sample, local if is_western else None)]
    for language in _LANGUAGES:
        for spellings in language.codecs:
            codec = next((name for name in spellings if _fits(data, name)), None)
            if codec is None:
                continue
            is_local = local is not None and _WIDER.get(local, local) in spellings
            weight = _weight(_text(sample, codec), language, is_local=is_local)
            if weight is not None:
                prior = _LOCAL if is_local else language.often.get(codec, 1)
                found.append((weight + math.log(prior), codec))
    return max(found, key=lambda one: one[0])[1]


def _fits(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _text(sample: bytes, codec: str) -> str:
    return sample.decode(codec, "ignore")  # the sample may end within a character


def _last_ascii(sample: bytes) -> int:
    return max((found.start() for found in re.finditer(rb"[\x00-\x2f]", sample)), default=-1)


def _weight(text: str, language: _Language, *, is_local: bool) -> float | None:
    """Return the logarithm of a text's likelihood in a language; None if it is not in that language."""
    likely = _frequencies(language)
    counts = Counter(text)
    if language.has_words and not _WORD.search(text):
        return None
    weight = 0.0
    plausible = others = 0
    for char, count in counts.items():
        if char.isascii():
            weight += count * math.log(_ASCII)
            continue
        often = likely.get(char) or language.rest(char)
        weight += count * math.log(often)
        if char not in _MARKS_FOUND:
            others += count
            plausible += count if often >= _PLAUSIBLE else 0
    if others and plausible * 2 <= others and not is_local:
        return None
    return weight + len(language.seldom_pairs.findall(text)) * math.log(language.pair)


@cache
def _frequencies_of(frequent: tuple[tuple[str, float], ...]) -> Mapping[str, float]:
    found = dict.fromkeys(_MARKS_FOUND, _PUNCTUATION_SHARE)
    for characters, part in frequent:
        ranked = list(dict.fromkeys(characters))
        total = sum(1 / (rank + 6) for rank in range(len(ranked)))
        for rank, char in enumerate(ranked):
            found.setdefault(char, part / total / (rank + 6))
    return found


def _frequencies(language: _Language) -> Mapping[str, float]:
    return _frequencies_of(language.frequent)


# Latin letters, in each encoding of those that Windows, Unix, DOS and Macs had for them. Their texts are mostly ASCII, so
# the few other characters decide: whether one language has all of them, and whether they stand where letters stand.


_MARKS = "’“”‘–—…€«»°£©®§·•¿¡„‚ºª\u00a0"
_MARK_SHARE = 1 / 50
"""Share of each of these marks in prose."""
_SIGNS = "±µ×²³½¼¾÷¶†‰™"
_SIGN_SHARE = 1 / 300
"""Share of each of these signs, which are rarer than marks."""
_WITHIN_WORDS = "’‘·—–…\u00a0"
"""Marks that may stand between two letters."""
_SHARE, _CAPITALS = 0.2, 0.05
"""Part of a text that is letters with accents, and how much of that is capitals."""
_OTHER_LETTER = 1 / 2000
"""Share of a letter of another language, as in names."""
_OTHER = 1e-5
"""Share of a character that no language here has: a few of them outweigh any letters."""
_SIDE_BY_SIDE = 1 / 30
"""How much less likely two such characters are side by side: letters with accents mostly stand alone."""
_MISPLACED = 1e-5
"""How much less likely a character is where it does not belong, such as a sign within a word."""

_WESTERN = {
    "cp1252": 1.0,
    "mac_roman": 1e-3,
    "cp850": 1e-3,
    "cp437": 1e-3,
}
_CENTRAL = {"cp1250": 0.1, "iso8859-2": 0.05, "cp852": 1e-3, "mac_latin2": 1e-4}
_BALTIC = {"cp1257": 0.05, "iso8859-13": 0.01}
_TURKISH = {"cp1254": 0.1, "cp857": 1e-3}

_LATIN_LANGUAGES: tuple[tuple[str, Mapping[str, float]], ...] = (
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

_LETTERS = "".join(letters for letters, _ in _LATIN_LANGUAGES)
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
    for letters, codecs in _LATIN_LANGUAGES:
        own = {local: _LOCAL} if local else {}
        for codec, prior in {**codecs, **own}.items():
            yield _Choice(codec, letters, prior)


def _best(sample: bytes, choices: list[_Choice]) -> tuple[float, _Choice]:
    texts = {codec: sample.decode(codec, "replace") for codec in {one.codec for one in choices}}
    counts = {codec: Counter(text) for codec, text in texts.items()}
    pairs = {codec: _weight_of_pairs(text) for codec, text in texts.items()}
    weights = [
        _latin_weight(counts[one.codec], one.letters) + pairs[one.codec] + math.log(one.prior)
        for one in choices
    ]
    best = max(range(len(choices)), key=lambda place: weights[place])
    return weights[best], choices[best]


def _weight_of_pairs(text: str) -> float:
    side_by_side = len(re.findall(r"[^\x00-\x7f](?=[^\x00-\x7f])", text))
    misplaced = len(_MISPLACED_PAIR.findall(text))
    return side_by_side * math.log(_SIDE_BY_SIDE) + misplaced * math.log(_MISPLACED)


def _latin_weight(counts: Counter[str], letters: str) -> float:
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
