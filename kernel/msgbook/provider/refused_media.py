"""The words with which servers refuse images and documents: as such, one of them, or too many; and the class of a row of `request_quirks`. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import (
    Elements,
    image_keys,
    named_documents,
    named_images,
    names_a_part,
    placed_documents,
    placed_images,
)
from msgbook.text import join_first, one_line, visible

_IMAGE = re.compile(
    r"\bimages?\b|image_url|\bvision\b|multi-?\s?modal|\bmmproj\b|non-text content|图片|图像|圖片|多模态|画像|이미지"
    r"|\bvisual (input|content)s?\b|\bphotos?\b|\bpictures?\b|\bBild(er)?\b|content(\[\])?\.type\b"
    r"|content\b.{0,60}\bstring\b|expected (a )?string",
    re.IGNORECASE,
)
_OF_ONE = r"decod|corrupt|larger|exceed|maximum|policy|safety|过大|损坏|无效"
"""Words about one image or document that the server cannot use, or that is too large for it."""
_ONE_IMAGE = re.compile(
    rf"{_OF_ONE}|"
    r"invalid[ _](image\b|image_(?!url)|base64|mime)|image_parse|\b(in)?valid image|\b(image|picture|photo)s? (is|are) (not |in)?valid"
    r"|image (data|file|format|size|dimension|length|width|height|resolution|aspect)|aspect ratio|\bpixels?\b|unsupported image(?! (input|url|content))"
    r"|download|fetch|too (large|big|many|small|long)|at most (?!0\b)|moderation|violat|mismatch|specified using"
    r"|(could not|couldn't|cannot|can't|unable to|failed to) (process|read|load|open|identify|parse)"
    r"|flagged|beschädigt|ungültig|defekt|zu groß|endommag|trop (grand|volumineu)|dañad|demasiado grande|danneggiat"
    r"|(图片|图像|圖片)(输入)?(格式|大小|尺寸|数据|解析)|过小|下载|违规|审核",
    re.IGNORECASE,
)
"""Words about one image, which the user can change, not about images as such."""
_BROKEN = re.compile(r"failed to (load|decode|process) (an? |the )?(image|picture)", re.IGNORECASE)
"""Words of Ollama and llama.cpp, which answer 500 to an image that they cannot read."""
_A_PICTURE = re.compile(
    r"image|picture|\bphoto|图片|图像|圖片|画像|이미지|imagen|\bBild", re.IGNORECASE
)
_TOO_MANY = re.compile(
    r"too many|at most [1-9]\d* image|\d+ images? (are|is) (allowed|supported)|number of images|images? per"
    r"|image count|limit-mm-per-prompt|(maximum|max|limit)( of)? [1-9]\d* images?\b|more than \d+ images?",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\bimage=(\d{1,4})\b"
    r"|(?:at most|up to|only|more than|max(?:imum)?(?: number| length)?(?: of)?(?: images?| tools?)?(?: allowed)?|limit)"
    r"(?: (?:is|of))?\W{0,3}([1-9]\d{0,3})\b",
    re.IGNORECASE,
)
"""Words about the number of images, or of tools, that a request may hold; the first are vLLM's."""
_CANNOT = re.compile(
    r"support|unknown variant|multi-?\s?modal|\bmmproj\b|missing data|\bno vision|\bwithout vision|\bcannot see\b",
    re.IGNORECASE,
)
_TOOL_MESSAGE = re.compile(r"\brole\W{1,4}tool\b|\btool[ _-]?(message|result|role)", re.IGNORECASE)


def refuses_images(refusal: RefusedError) -> bool:
    """Return whether a server refuses images as such."""
    if not _IMAGE.search(refusal.body) or _ONE_IMAGE.search(refusal.body):
        return False
    return refusal.status < 500 or bool(_CANNOT.search(refusal.body))


def refuses_images_of_tools(refusal: RefusedError) -> bool:
    """Return whether a server refuses images in the results of tools."""
    return refuses_images(refusal) and bool(_TOOL_MESSAGE.search(refusal.body))


def find_images(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the images that a server refuses, while it takes others."""
    words = refusal.words
    if _TOO_MANY.search(words) or (refusal.status >= 500 and not _BROKEN.search(words)):
        return None
    is_of_all = bool(_CANNOT.search(words))
    is_of_one = _ONE_IMAGE.search(words) or (names_a_part(refusal) and not is_of_all)
    if _A_PICTURE.search(words) and is_of_one:
        return named_images(refusal, request)
    return None if is_of_all else placed_images(refusal, request)


def find_most_images(refusal: RefusedError, request: Request) -> int | None:
    """Return the number of images that a request may hold, as a server says it; if it does not, half of those held."""
    words = refusal.words
    if not (_A_PICTURE.search(words) and _TOO_MANY.search(words)):
        return None
    return limit_or_half(words, len(image_keys(request)))


def limit_or_half(words: str, held: int) -> int:
    """Return the number that words state as a limit; if they state none, half of what a request holds."""
    found = _LIMIT.search(words)
    stated = int(found[1] or found[2]) if found else 0
    return stated or max(1, held // 2)


EVERY_DOCUMENT: Elements = frozenset({"PDFs"})
"""All documents, since a server takes none."""

_DOCUMENT = re.compile(
    r"\binput_file\b|file_(data|id)\b|\bdocuments?\b|\bpdfs?\b|[\"'`]file[\"'`]"
    r"|\bfile (input|content|part|upload|attachment)s?\b|文档|^\W*invalid message format\W*$|have a [\"'`]type[\"'`] field",
    re.IGNORECASE,
)
_FILE = re.compile(r"\bfiles?\b|\battachments?\b|文件|附件", re.IGNORECASE)
"""Words that may also be about an image."""
_PART = re.compile(r"[\"'`](input_)?file[\"'`]|\bfile_data\b")
"""The type of the part, which a server may quote outside of its message."""
_NO_DOCUMENTS = re.compile(
    r"unknown variant|part type|^\W*invalid message format\W*$|have a [\"'`]type[\"'`] field|content[ _]types?\b|supported values are|no endpoints|input should be|expected one of"
    r"|(not|n't) (support|accept|take|allow) (pdf|file|document|attachment)s?( (input|content|upload|attachment)s?)?"
    r"\W*($|[.,;:]|\b(for|by|in|yet)\b)",
    re.IGNORECASE,
)
"""Words about documents as such."""
_TEXT_ALONE = re.compile(
    r"content(\[\])?\.type|\bcontent\b.{0,60}\bstring\b|non-text content", re.IGNORECASE
)
"""Words about all that is not text."""
_ONE_DOCUMENT = re.compile(
    rf"{_OF_ONE}|"
    r"too (large|big|many|long)|at most|limit|more than|damaged|password|encrypt"
    r"|\bpages?\b|\bpars|empty|mime|base64|malformed|\binvalid (?!(value|type)\b)|\bnot (a )?valid\b|\bfail|\bunable\b"
    r"|could not|couldn't|cannot|can't|过多|加密|超过|解析",
    re.IGNORECASE,
)
"""Words about one document, which the user can change."""
_NOT_TAKEN = re.compile(
    r"support|unknown|unrecognized|unexpected|invalid|not (permitted|allowed|accept|available|enabled)|\bstring\b"
    r"|expected|不支持",
    re.IGNORECASE,
)


def find_documents(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the documents that a server refuses: all, the one that it names, or those of the last message."""
    words = refusal.words
    if _TEXT_ALONE.search(words) and not _A_PICTURE.search(words):
        return EVERY_DOCUMENT
    is_of_all = bool(_NO_DOCUMENTS.search(words))
    if refusal.status >= 500 and not is_of_all:
        return None
    if not _names_documents(refusal):
        placed = placed_documents(refusal, request)
        return EVERY_DOCUMENT if placed and is_of_all else placed
    if not is_of_all and _ONE_DOCUMENT.search(words):
        return named_documents(refusal, request)
    if is_of_all or _NOT_TAKEN.search(words):
        return EVERY_DOCUMENT
    return placed_documents(refusal, request)


def _names_documents(refusal: RefusedError) -> bool:
    words = refusal.words
    if _DOCUMENT.search(words) or _PART.search(refusal.body):
        return True
    return bool(_FILE.search(words)) and not _A_PICTURE.search(words)


_VAGUE = re.compile(
    r"\W*((the )?(model returned the following errors|server|request|client)\b\W*(contains?|specified|had|has)?( an?)?\W*)?"
    r"((bad|invalid|malformed|unprocessable|illegal|incorrect|wrong)[ _-](request|argument|input|param(eter)?|entity|body)s?"
    r"([ _](error|body|payload))?|internal([ _]server)?[ _]error|param(eter)?s? (incorrect|error|invalid)|(unknown )?error"
    r"|provider returned error|something went wrong|请求错误|参数错误|参数有误)\W*",
    re.IGNORECASE,
)
_ENGINE = re.compile(r"\bEngineCore\b|\bAsyncEngine|engine (has )?died", re.IGNORECASE)
"""Words of vLLM, whose cause is in its log."""


def is_vague(refusal: RefusedError) -> bool:
    """Return whether a server's words do not tell what it refuses."""
    if refusal.kind is not None or refusal.status not in (0, 400, 422, 500):
        return False
    words = refusal.said
    return not words or bool(_VAGUE.fullmatch(words) or _ENGINE.search(words))


# A row of the table of `request_quirks`: something that a server may refuse, and the way around it. Pure.


_NAMED = 8
"""Most elements that a notice names; the rest are counted."""

ALL: Elements = frozenset()
"""All elements of a row's kind, since a refusal names none of them."""


T = TypeVar("T")
"""What a refusal says: the elements that are refused, or the number of them that a request may hold."""


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """Something that a server may refuse in a request, and the way around it."""

    find: Callable[[RefusedError, Request], T | None]
    """Returns which elements of a request the server's words refuse, or how many it takes; None for none."""
    concerns: Callable[[Request, T], bool]
    """Returns whether a request contains them."""
    change: Callable[[Request, T], Request]
    """Returns a copy of the request without them."""
    notice: str
    """Notice for the user; `{model}` and `{elements}` stand for names. Empty where the user asked for nothing that
    is left out."""
    remedy: str = ""
    """The setting that helps for good, for the notice and for the error if nothing else helps. `{provider}` and
    `{elements}` stand for names. Empty for none."""
    widen: Callable[[Request, T], T] | None = None
    """Returns more elements, after a server has refused several one by one."""
    names: Callable[[Any], list[str]] = sorted
    """Returns what stands for `{elements}`."""
    lasts: bool = True
    """Whether later requests are sent in the same way. False for what depends on the length of one."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A row, and the elements that a server refused."""

    row: Row[Any]
    elements: Any = ALL

    def concerns(self, request: Request) -> bool:
        """Return whether a request contains what is refused."""
        return self.row.concerns(request, self.elements)

    def change(self, request: Request) -> Request:
        """Return a copy of the request without it."""
        return self.row.change(request, self.elements)

    def notice(self, model: str, provider: str) -> str:
        """Return the notice with its remedy; empty for none."""
        words = f"{self.row.notice} {self.row.remedy}".strip() if self.row.notice else ""
        return self._filled(words, model, provider)

    def remedy(self, model: str, provider: str) -> str:
        """Return the setting that helps for good; empty for none."""
        return self._filled(self.row.remedy, model, provider)

    def _filled(self, words: str, model: str, provider: str) -> str:
        listed = join_first(
            [visible(one_line(e, 100)) for e in self.row.names(self.elements)], _NAMED
        )
        names = {"model": model, "provider": provider, "elements": listed or "NAME"}
        return words.format(**{key: visible(one_line(name, 400)) for key, name in names.items()})


def whole(
    concerns: Callable[[Request], bool],
    is_refused: Callable[[RefusedError], bool],
    change: Callable[[Request], Request],
    notice: str,
    remedy: str = "",
) -> Row[Elements]:
    """Return a row for something that has no elements, or of which all are refused."""
    return Row(
        lambda refusal, _request: ALL if is_refused(refusal) else None,
        lambda request, _all: concerns(request),
        lambda request, _all: change(request),
        notice,
        remedy,
    )
