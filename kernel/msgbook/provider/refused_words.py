"""The words with which servers refuse tools as such, ids, keys, reasoning and shapes of messages. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgbook.provider.base import Request
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import Elements, all_tools, is_of_template
from msgbook.provider.refused_media import limit_or_half
from msgbook.provider.request_changes import holds_reasoning

NO_STREAM = re.compile(
    r"\binclude_usage\b|\bstream(ing|_options)?\b.{0,40}\b(is|are)? ?(unsupported|not (supported|allowed|available|enabled|implemented|permitted))"
    r"|(unknown|unrecognized|unexpected|unsupported|invalid)\b.{0,40}\bstream(ing|_options)?\b"
    r"|\b(not|n't) support\b.{0,20}\bstream",
    re.IGNORECASE,
)
"""Words about streaming as such, which count with any status of a refusal."""


_TOOLS = r"(tools?|(tool|function)[ _-]?(use|calls?|calling))"
TOOLS_AS_SUCH = re.compile(
    rf"(not|n't) support {_TOOLS}\b|\bthat support tool use"
    rf"|\b{_TOOLS}\b\W{{0,3}}((is|are) )?not (yet )?(supported|enabled|available|implemented)"
    r"|--enable-auto-tool-choice|tools param requires|\b(unsupported|invalid|unknown) tool type\W{1,4}function\b"
    r"|\b(argument|parameter|field|key|property|input)s?\b( supplied)?\W{1,4}tools\b[\"'`]?\W{0,2}$"
    r"|(?<![\w.])(body\W{1,3})?tools[\"'`]?\W{1,3}extra (inputs|fields)"
    r"|(不支持|不能使用|無法使用).{0,8}(工具|函数|函數|function|tools?)|(工具|函数)调用.{0,6}不(支持|可用)"
    r"|(unterstützt|supporte?|soporta|admite|supporta)\b.{0,12}\b(pas|keine|no)?\b.{0,12}\b(werkzeuge|tools|outils|herramientas|strumenti)\b",
    re.IGNORECASE,
)
"""Words about tools as such. If a schema is refused, its author has to change it."""

_TOO_MANY_TOOLS = re.compile(
    r"too many (tools|functions)|\b\d+ (tools|functions)\b.{0,20}\b(supported|allowed|accepted)"
    r"|\b(number|count) of (tools|functions)\b|\b\d+ function[ _]?declarations?\b|\btools[\"'`]?\W{1,4}(array|list) too long"
    r"|(at most|maximum|max|limit|more than|up to)( of)? \d+ (function |custom )?(tools|functions)\b|\btools\b.{0,20}\bexceed"
    r"|(?<![\w.\]])tools\b[^\w\[.]{0,5}[^\[.\d]{0,40}(?<![\w.])(\d+ )?(items|elements|entries)\b",
    re.IGNORECASE,
)

_CALL_ID = re.compile(
    r"\b(tool|function)[ _-]?(call|use)[ _]?ids?\b|\btool_calls\W{1,3}\d+\W{1,3}id\b|\b(tool_use|function)\.id\b|\bcall_ids?\b"
    r"|\btool_(use|result)\b.{0,30}\bids?\b",
    re.IGNORECASE,
)
_SHAPE = re.compile(
    r"too long|(maximum|max) length|length of \d|(match|regular expression) pattern|\bregular expression\b|\bregex\b"
    r"|\b(at most|up to) \d+ char|\bunique\b|\bduplicate|\bmust be a-z|invalid (characters?|format)",
    re.IGNORECASE,
)

_MISSED = re.compile(
    r"\bfollow|\brespon|not found|\bno tool\b|\bpreced|\bmiss|\bwithout\b|\brequired\b|\bcorrespond|\bmatching\b"
    r"|\bdoes not exist\b|\bfound for\b",
    re.IGNORECASE,
)
"""Words about a call or a result that is not there, whatever its id."""

_REFUSED = re.compile(
    r"unsupported|not support|unavailable|incompatible|mutually exclusive|cannot both|can't both|may not be (set|used|enabled)|unrecogni[sz]ed|unknown|unexpected|extra_forbidden|deprecated|instead"
    r"|not (an? )?(permitted|allowed|enabled|accept|available|recogni[sz]ed|configurable|applicable|compatible|valid for|belong|work with)"
    r"|cannot (be (used|combined|applied|provided|enabled|set)|take|use|accept|handle|set)|only\b.{0,60}\b(allowed|supported|set)|不支持"
    r"|\b(expected|(?<!not )(?<!ever )be) (to be )?(null|none|nil|undefined|nothing|absent|omitted|removed|unset|left out|left empty|empty)\b"
    r"|\b(must|should) (not|never) (exist|be (set|sent|specified|provided|present|given|included|used|passed|supplied))\b"
    r"|no longer|obsolete|\b(has been|have been|was|were) (removed|rejected|withdrawn|disabled)|\bplease (remove|omit|drop|unset)\b"
    r"|\bno (such )?(field|param\w*|option|key|argument|property)\b|\b(does|do) not (exist|have|recogni[sz]e|know|understand)\b"
    r"|\bnot (a |an )?(valid|known|supported) (field|param\w*|option|key|argument|property)\b|\bonly (for|with|works?|available|applies)\b|\brequires an?\b.{0,20}\bmodel\b"
    r"|nicht (unterstützt|erlaubt|bekannt|zulässig)|(n'est |n’est )?pas (pris en charge|supporté|autorisé|reconnu)|non (supportat|consentit)|no (es |está )?(compatible|soportad|admitid|permitid)|não (é |e )?(suportad|permitid)"
    r"|无法识别|不允许|不接受|未知|無効|サポートされ(て|ま)|対応していません|使用できません|지원(되지|하지)|не поддерживается",
    re.IGNORECASE,
)
"""Words about a key as such or all its values. The user can change a value that is out of range."""


def refuses_ids(refusal: RefusedError) -> bool:
    """Return whether a server refuses ids of calls; in a language that is not known, too."""
    if not _CALL_ID.search(refusal.body):
        return False
    return bool(_SHAPE.search(refusal.body)) or not _MISSED.search(refusal.body)


def refuses_tools(refusal: RefusedError) -> bool:
    """Return whether a server refuses tools as such."""
    return any(map(TOOLS_AS_SUCH.search, (refusal.body, refusal.words))) or is_of_template(
        refusal.words
    )


def find_most_tools(refusal: RefusedError, request: Request) -> int | None:
    """Return the number of tools that a request may hold; if a server does not say it, half of those held."""
    if not _TOO_MANY_TOOLS.search(refusal.words):
        return None
    return limit_or_half(refusal.words, len(all_tools(request)))


_BY_KEY = (0, 400, 422)
"""Statuses by which servers refuse a key."""


def names_key(names: str) -> Callable[[RefusedError], bool]:
    """Return a function that returns whether a server refuses a request, and names one of these keys."""
    named = re.compile(names, re.IGNORECASE)
    return lambda refusal: refusal.status in _BY_KEY and bool(named.search(refusal.body))


def refuses_key(names: str) -> Callable[[RefusedError], bool]:
    """Return a function that returns whether a server refuses one of these keys as such."""
    is_named = names_key(names)
    return lambda refusal: is_named(refusal) and bool(_REFUSED.search(refusal.body))


_OTHER_OPTIONS = frozenset(
    (
        "tools",
        "stream",
        "stream_options",
        "max_tokens",
        "max_completion_tokens",
        "include",
        "reasoning_summary",
        "cache_control",
    )
)
"""Options with rows of their own, and those without which an answer would be another."""


def find_options(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the options that a refusal names as ones that the server does not take; None for none."""
    if refusal.status not in _BY_KEY or not _REFUSED.search(refusal.body):
        return None
    keys = (key for key in request.options if key not in _OTHER_OPTIONS)
    return frozenset(key for key in keys if _is_named(key, refusal.words)) or None


def _is_named(key: str, words: str) -> bool:
    """Return whether words name a key. One that could be a plain word has to stand as a key."""
    first, *others = key.split("_")
    spelled = "|".join({re.escape(key), re.escape(first + "".join(map(str.capitalize, others)))})
    whole = rf"(?<![\w-])({spelled})(?![\w-])"
    if "_" in key:
        return bool(re.search(whole, words))
    named = (
        rf"(argument|parameter|field|key|option|property|input|body)s?( supplied)?\W{{1,4}}{whole}"
    )
    quoted = rf"[\"'`](\w+\.)*{whole}[\"'`]"
    alone = rf"(^|: ){whole}(: |\W*$)"
    return bool(re.search(rf"{quoted}|{named}|{alone}", words, re.IGNORECASE))


EFFORT = r"reasoning[ _.-]?(effort|level)|(?<!best[ -])\beffort\b|[\"'`]reasoning[\"'`]|\breasoning(:| (is|must|should|was|param))|\bthinking\b|\bthink value\b"
"""The key over each API, the key that holds it, and the words of Ollama and xAI."""

SUMMARY = r"reasoning[ _.]summar|[\"'`]reasoning[\"'`]|\breasoning(:| (must|should|was))"
NO_REASONING_BACK = re.compile(
    r"encrypted[ _]content\b.{0,200}\b(verif|decrypt|invalid|pars)|invalid_encrypted_content"
    r"|without its required|\brs_\w+\W.{0,40}\bnot found"
    r"|\binput\W{1,3}\d+\W{1,3}id\b"
    r"|\b(input|item)\b.{0,60}[\"'`]reasoning[\"'`]|\b(input|item)[ _]types?\W{1,3}reasoning\b|\breasoning[ _]items?\b.{0,60}\bnot\b",
    re.IGNORECASE,
)
"""Words about reasoning that the server is given back: it comes from another account, is changed, or unknown to it.
Nothing else of an input has an id."""
_NO_THINKING_BACK = re.compile(
    r"\binvalid\b.{0,20}\b(signature|data)\b.{0,20}\bthinking\b|\bthinking\W{1,4}blocks?\b.{0,120}\bcannot be modified",
    re.IGNORECASE,
)
"""Words about thinking that a server of the Messages API is given back."""


def refuses_thinking_back(refusal: RefusedError) -> bool:
    """Return whether a server of the Messages API does not take its thinking back."""
    return bool(_NO_THINKING_BACK.search(refusal.words))


_MOST_OUTPUT = re.compile(r"\bmax_tokens\W{1,3}\d+ > (\d{1,9}), which is the maximum")
"""Words of Anthropic about a limit of the answer above that of the model."""


def find_most_output(refusal: RefusedError, request: Request) -> int | None:
    """Return the greatest limit of an answer that a server takes; None if its words do not tell."""
    found = _MOST_OUTPUT.search(refusal.words)
    return int(found[1]) or None if found else None


_REASONING_FIELD = re.compile(
    r"\b(reasoning[_ ](?:content|details|text))\b|\bmessages?\b.{0,80}[\"'`.](reasoning)\b"
    r"|[\"'`](reasoning)[\"'`].{0,80}\b(?:assistant|messages?|back)\b|\bsignature\W{1,4}in\W{1,4}(thinking)\b",
    re.IGNORECASE,
)
"""Fields of a message of the chat API that hold reasoning."""
_WANTED = re.compile(
    r"\bmust(?! not\b| be removed)|\bmissing\b|\brequire|\bpass(ed)? back\b|\bpreserve|\black|\bhas to be\b"
    r"|\bexpected\b|\bmandatory\b",
    re.IGNORECASE,
)


_MIXED_STRICT = re.compile(
    r"\b(mixed|same|different|differing|consistent|inconsistent|all)\b.{0,60}\bstrict\b|\bstrict\b.{0,60}\b(mixed|same|consistent|inconsistent|all)\b",
    re.IGNORECASE,
)


def refuses_mixed_strict(refusal: RefusedError) -> bool:
    """Return whether a server wants one value of `strict` for all tools (Cerebras)."""
    return refusal.status in _BY_KEY and bool(_MIXED_STRICT.search(refusal.words))


def knows_random_seed(refusal: RefusedError) -> bool:
    """Return whether a server refuses `seed` in the words of Mistral, whose key is `random_seed`."""
    is_theirs = "random_seed" in refusal.body or "extra_forbidden" in refusal.body
    return is_theirs and refuses_key(r"(?<!random_)\bseed\b")(refusal)


def _reasoning_field(refusal: RefusedError) -> str:
    """Return the field with reasoning that a refusal names; empty for none."""
    found = _REASONING_FIELD.search(refusal.words) if refusal.status in _BY_KEY else None
    return next(filter(None, found.groups())).lower().replace(" ", "_") if found else ""


def wants_reasoning(refusal: RefusedError, request: Request) -> Elements | None:
    """Return the field if the server wants the reasoning of earlier answers back, and says so in any language."""
    field, words = _reasoning_field(refusal), refusal.words
    if not field or _REFUSED.search(words):
        return None
    is_wanted = _WANTED.search(words) or not any(map(holds_reasoning, request.messages))
    return frozenset({field}) if is_wanted else None


def refuses_reasoning(refusal: RefusedError) -> bool:
    """Return whether a server takes no reasoning back."""
    words = refusal.words
    is_wanted = _WANTED.search(words) and not _REFUSED.search(words)
    return bool(_reasoning_field(refusal)) and not is_wanted


def refuses_unverified(refusal: RefusedError) -> bool:
    """Return whether a server shows no summaries to an organization that is not verified."""
    return "verified" in refusal.body and "summar" in refusal.body


_ALTERNATE = re.compile(
    r"\broles?\b.{0,40}\balternat|\balternat\w+.{0,60}\broles?\b|\bconsecutive\b.{0,60}\b(messages?|roles?|user)\b"
    r"|same role\b.{0,40}\b(row|consecutive)|\bmessages?\b.{0,60}\balternat|\balternat\w*\b.{0,40}\bmessages?\b",
    re.IGNORECASE,
)


def wants_alternation(refusal: RefusedError) -> bool:
    """Return whether a server wants user and assistant messages to alternate."""
    return bool(_ALTERNATE.search(refusal.words))


_REPEATED_NAME = re.compile(
    r"\b(tool|function)s?\b.{0,60}\bunique\b|\bunique\b.{0,40}\b(tool|function)s?\b"
    r"|\b(duplicate|repeated|redefinition|redefined)\w*\b.{0,40}\b(tool|function)s?\b"
    r"|\b(tool|function)s?\b.{0,80}\b(duplicate|already (defined|declared|exists|registered)|more than once|defined twice)"
    r"|(工具|函数).{0,12}(重复|唯一)|重复.{0,8}(工具|函数)",
    re.IGNORECASE,
)
"""Words about two tools of one name."""


def refuses_repeated_names(refusal: RefusedError) -> bool:
    """Return whether a server refuses tools because two have one name, and not calls because two have one id."""
    words = refusal.words
    return bool(_REPEATED_NAME.search(words)) and not _CALL_ID.search(words)


_LOST_CALL = re.compile(
    r"\b(tool|function)\w*[ _-]?ids?\b.{0,80}\b(not found|not exist|unknown|no match|not match)"
    r"|\bunexpected\W{1,3}tool[ _-]?(call|use)[ _-]?id|\btool_(use|result)\b.{0,60}\b(without|correspond|immediately after)\b"
    r"|\b(not the same|different) number of (function|tool) (calls|responses)|\bfunction response parts? is equal\b"
    r"|\bresult does not follow\b|\bonly supports? single tool-calls\b|\bfunction call turn comes immediately after|\b(unknown|unmatched|orphan\w*) (tool|function)[ _-](call|result|response)",
    re.IGNORECASE,
)
"""Words about a result whose call a server does not find. Every request has both: it has lost one, or counts them
in a way of its own. OpenAI's words for a request that lacks one do not count."""


def misses_call(refusal: RefusedError) -> bool:
    """Return whether a server does not find a call or a result that the request holds."""
    return refusal.status in (0, 400, 404, 422, 500) and bool(_LOST_CALL.search(refusal.words))


SIGNATURE = re.compile(r"thought[ _-]?signature", re.IGNORECASE)
SYSTEM = re.compile(
    r"\bsystem[ _-]?(role|messages?|prompts?|instructions?)?\b.{0,30}\b(not|n't) (be )?(supported|allowed|accepted|enabled)"
    r"|(not|n't) (support|accept|allow) (the |a )?[\"'`]?system\b|\bdeveloper instruction is not"
    r"|\brole\W{1,4}system\b.{0,20}\b(not (supported|allowed|accepted)|cannot be used)"
    r"|(unexpected|unknown|unsupported|invalid) (message )?role\W{1,4}system\b|only user.{0,30} roles? (are|is) ",
    re.IGNORECASE,
)
"""The words of templates of Gemma and Mistral, and of Gemini for Gemma."""
TOOL_ROLE = re.compile(
    r"(unexpected|unknown|unsupported|invalid) (message )?role\W{1,4}(tool|function)\b"
    r"|\brole\W{1,4}(tool|function)\b.{0,20}\b(not (supported|allowed|accepted)|cannot be used)"
    r"|\b(tool|function)[\"'`]? role\b.{0,30}(not|n't) (supported|allowed)|only user and assistant roles"
    r"|expected [\"'`]?thinking\b",
    re.IGNORECASE,
)
"""Words about messages with calls and results. Servers of Anthropic's expect reasoning with a signature there."""
_WANTS_TOOLS = re.compile(
    r"\btool_?Config\b.{0,40}\bmust\b|[\"'`]?\btools=?[\"'`]? (param|field|argument)|\bmust define tools\b"
    r"|\btools\b.{0,40}\b(must|should|need\w*|has to|have to)\b.{0,20}\b(defined|provided|specified|be set)",
    re.IGNORECASE,
)
"""Words of Bedrock, Anthropic and LiteLLM about calls in a request that offers no tools."""


def misses_tools(refusal: RefusedError) -> bool:
    """Return whether a server takes no calls without the tools that they call."""
    return refusal.status in _BY_KEY and bool(_WANTS_TOOLS.search(refusal.words))


_AFTER_RESULT = re.compile(
    r"\brole\b.{0,4}\buser\b.{0,20}\bafter\b.{0,10}\b(role\b.{0,4})?tool\b", re.IGNORECASE
)


def wants_answers_to_results(refusal: RefusedError) -> bool:
    """Return whether a server takes no message of the user right after a result (Mistral)."""
    return bool(_AFTER_RESULT.search(refusal.words))


_USER_FIRST = re.compile(
    r"\bfirst message\b.{0,60}\buser\b|\b(conversation|messages)\b.{0,30}\b(start|begin)s? with\b.{0,20}\buser\b"
    r"|\balternat\w*\b.{0,20}user/assistant",
    re.IGNORECASE,
)


def wants_user_first(refusal: RefusedError) -> bool:
    """Return whether a server wants the conversation to begin with a message of the user."""
    return bool(_USER_FIRST.search(refusal.words))


_EMPTY = re.compile(
    r"non-?empty (content|text|string)|\bcontents?\b.{0,60}\b(got null|null|none|nil|empty|blank)\b"
    r"|\b(null|none|empty)\b.{0,20}\bcontents?\b|\bnon-?(whitespace|blank)\b"
    r"|\b(messages?|contents?|texts?|inputs?|prompts?)\b.{0,60}\b(not|n't|never) be (empty|blank|null)\b"
    r"|\bmust have a text param|\bat least one parts? field|(内容|消息|输入|content|messages?).{0,16}(不能|不可|不得)?为空",
    re.IGNORECASE,
)


def refuses_empty(refusal: RefusedError) -> bool:
    """Return whether a server refuses messages without content."""
    return refusal.status in _BY_KEY and bool(_EMPTY.search(refusal.words))
