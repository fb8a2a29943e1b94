"""What Anthropic asks of one block of a message."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any

from messages_refused import require, require_keys
from messages_sealed import is_sealed, signature_of
from messages_tools import TOOL_NAME

Block = dict[str, Any]

_IMAGES = {
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
"""Types of images, and how their bytes begin."""
_MOST_IMAGE = 5 * 2**20
_SERVER_NAMES = """web_search web_fetch code_execution bash_code_execution text_editor_code_execution
tool_search_tool_regex tool_search_tool_bm25"""
_OF_RESULTS = ("text", "image", "document", "search_result")
_OF_USER = (*_OF_RESULTS, "tool_result")


def check_block(where: str, block: Any, role: str, model: str) -> None:
    """Raise `RefusedError` if a block may not stand in a message of a role, or is wrong by itself.

    Args:
        model: The one that is asked; nobody else's thinking is taken.
    """
    require(isinstance(block, dict), f"{where}: Input should be a valid dictionary")
    kind = block.get("type")
    require(isinstance(kind, str), f"{where}.type: Field required")
    words = (
        f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags"
    )
    if kind.endswith("_tool_result"):
        require(kind.removesuffix("_tool_result") in _SERVER_NAMES.split(), words)
    else:
        require(kind in _CHECKS, words)
    belongs = kind == "text" or (role == "user") == (kind in _OF_USER)
    other = "user" if kind in _OF_USER else "assistant"
    require(belongs, f"{where}: `{kind}` blocks can only be in `{other}` messages")
    _CHECKS.get(kind, _check_server_result)(f"{where}.{kind}", block, model)


def _check_text(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type text", "cache_control citations")
    require(isinstance(block["text"], str), f"{where}.text: Input should be a valid string")
    if not block["text"]:
        words = "cache_control cannot be set for empty text blocks"
        require("cache_control" not in block, f"{where}: {words}")
    require(block["text"], "messages: text content blocks must be non-empty")
    words = "messages: text content blocks must contain non-whitespace text"
    require(block["text"].strip(), words)
    for number, citation in enumerate(block.get("citations") or ()):
        kind = citation.get("type", "")
        keys = _CITATIONS.get(kind)
        require(keys, f"{where}.citations.{number}: Input tag '{kind}'")
        require_keys(f"{where}.citations.{number}", citation, f"type cited_text {keys}", "title")


_CITATIONS = {
    "char_location": "document_index document_title start_char_index end_char_index",
    "page_location": "document_index document_title start_page_number end_page_number",
    "content_block_location": "document_index document_title start_block_index end_block_index",
    "web_search_result_location": "encrypted_index title url",
    "search_result_location": "search_result_index source start_block_index end_block_index title",
}
"""Keys of a citation beside its type and text. `file_id`, which answers have, is none of them."""


def _check_image(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type source", "cache_control transformations")
    source = block["source"]
    if source.get("type") == "url":
        require_keys(f"{where}.source.url", source, "type url")
        words = f"{where}.source.url.url: Only HTTP and HTTPS URLs are supported"
        require(source["url"].startswith(("http://", "https://")), words)
        return
    data = _data(f"{where}.source", source)
    kind = source["media_type"]
    named = [f"'{name}'" for name in _IMAGES]
    words = f"Input should be {', '.join(named[:-1])} or {named[-1]}"
    require(kind in _IMAGES, f"{where}.source.base64.media_type: {words}")
    words = f"image exceeds 5 MB maximum: {len(source['data'])} bytes > {_MOST_IMAGE} bytes"
    require(len(source["data"]) <= _MOST_IMAGE, f"{where}.source.base64: {words}")
    for name, begin in _IMAGES.items():
        words = (
            f"The image was specified using the {kind} media type, but the image appears to be a"
        )
        require(name == kind or not data.startswith(begin), f"{where}: {words} {name} image")


def _data(where: str, source: dict[str, Any]) -> bytes:
    require(source.get("type") == "base64", f"{where}: Input tag does not match any expected tag")
    require_keys(f"{where}.base64", source, "type media_type data")
    try:
        found = base64.b64decode(source["data"], validate=True)
    except (TypeError, ValueError, binascii.Error):
        found = b""
    require(found, f"{where}.base64.data: Invalid base64 data")
    return found


def _check_document(where: str, block: Block, model: str) -> None:
    require_keys(where, block, "type source", "cache_control citations context title")
    require(block.get("title") != "", f"{where}.title: String should have at least 1 character")
    source = block["source"]
    kind = source.get("type")
    if kind == "text":
        require_keys(f"{where}.source.text", source, "type media_type data")
        require(source["media_type"] == "text/plain", f"{where}.source.text.media_type")
        require(source["data"].strip(), f"{where}.source.text.data: must be non-empty")
    elif kind == "content":
        for number, part in enumerate(source["content"]):
            check_block(f"{where}.source.content.{number}", part, "user", model)
    elif kind != "url":
        _data(f"{where}.source", source)
        words = f"{where}.source.base64.media_type: Input should be 'application/pdf'"
        require(source["media_type"] == "application/pdf", words)


def _check_search_result(where: str, block: Block, model: str) -> None:
    require_keys(where, block, "type source title content", "cache_control citations")
    for number, part in enumerate(block["content"]):
        check_block(f"{where}.content.{number}", part, "user", model)


def _check_result(where: str, block: Block, model: str) -> None:
    require_keys(where, block, "type tool_use_id", "cache_control content is_error toolset_name")
    _check_id(f"{where}.tool_use_id", block["tool_use_id"])
    require(type(block.get("is_error", False)) is bool, f"{where}.is_error: should be a boolean")
    content = block.get("content", "")
    if isinstance(content, str):
        return
    require(isinstance(content, list), f"{where}.content: Input should be a valid list")
    for number, part in enumerate(content):
        words = f"{where}.content.{number}: Input tag does not match any of the expected tags"
        require(part.get("type") in _OF_RESULTS, words)
        check_block(f"{where}.content.{number}", part, "user", model)
    is_text = all(part["type"] == "text" for part in content)
    words = f"{where}: all content must be type `text` if `is_error` is true"
    require(is_text or not block.get("is_error"), words)


def _check_id(where: str, call_id: Any) -> None:
    words = f"{where}: String should match pattern '^[a-zA-Z0-9_-]+$'"
    require(isinstance(call_id, str) and re.fullmatch("[a-zA-Z0-9_-]+", call_id), words)


def _check_call(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type id name input", "cache_control caller toolset_name")
    _check_id(f"{where}.id", block["id"])
    words = f"{where}.name: String should match pattern '^{TOOL_NAME}$'"
    require(isinstance(block["name"], str) and re.fullmatch(TOOL_NAME, block["name"]), words)
    words = f"{where}.input: Input should be a valid dictionary"
    require(isinstance(block["input"], dict), words)


def _check_server_call(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type id name input", "cache_control caller")
    words = f"{where}.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"
    require(re.fullmatch("srvtoolu_[a-zA-Z0-9_]+", str(block["id"])), words)
    words = f"{where}.name: Input should be one of {_SERVER_NAMES.split()}"
    require(block["name"] in _SERVER_NAMES.split(), words)
    words = f"{where}.input: Input should be a valid dictionary"
    require(isinstance(block["input"], dict), words)


def _check_server_result(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type tool_use_id content", "cache_control caller")
    content = block["content"]
    for number, found in enumerate(content if isinstance(content, list) else ()):
        keys = "type url title encrypted_content"
        require_keys(f"{where}.content.{number}", found, keys, "page_age")
        words = f"{where}.content.{number}: Invalid `encrypted_content` in `search_result` block"
        require(is_sealed("", found["encrypted_content"]), words)


def _check_thinking(where: str, block: Block, model: str) -> None:
    require_keys(where, block, "type thinking signature")
    for key in ("thinking", "signature"):
        require(isinstance(block[key], str), f"{where}.{key}: Input should be a valid string")
    is_whole = block["signature"] == signature_of(model, block["thinking"])
    words = "Invalid `signature` in `thinking` block"
    require(is_whole, f"{where.removesuffix('.thinking')}: {words}")


def _check_redacted(where: str, block: Block, model: str) -> None:
    require_keys(where, block, "type data")
    is_whole = isinstance(block["data"], str) and is_sealed(model, block["data"])
    words = "Invalid `data` in `redacted_thinking` block"
    require(is_whole, f"{where.removesuffix('.redacted_thinking')}: {words}")


def _check_upload(where: str, block: Block, _model: str) -> None:
    require_keys(where, block, "type file_id", "cache_control")


_CHECKS: dict[str, Callable[[str, Block, str], None]] = {
    "text": _check_text,
    "image": _check_image,
    "document": _check_document,
    "search_result": _check_search_result,
    "tool_result": _check_result,
    "tool_use": _check_call,
    "server_tool_use": _check_server_call,
    "thinking": _check_thinking,
    "redacted_thinking": _check_redacted,
    "container_upload": _check_upload,
}
