"""Metadata of a notebook as AgentMetadata (seed 001), and back.

`metadata.msgbook.agent_metadata` are the AgentMetadata, with all keys. Their macros are in force as
`metadata.msgbook.macros`. Other metadata of the notebook are in the key `msgbook` of the
AgentMetadata. What of a file could name other files or another kernel is not taken over.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.metadata import as_dict, msgbook_metadata
from msgbook_format.syntax import KERNELSPEC, LANGUAGE_INFO

_NAME = re.compile(r"[A-Za-z_]\w*")
_OURS = "msgbook"
_AGENT = "agent_metadata"
_CONTEXT = "agent_context"
"""Key of `metadata.msgbook`: unknown keys beside `metadata` and `context`."""

_NOT_SAVED = frozenset(
    ("kernelspec", "language_info", "jupytext", "jupytext_formats", "nbrmd_formats", "msgbook")
)

_Json = dict[str, Any]


def notebook_metadata(context: _Json) -> _Json:
    """Return the metadata of the notebook of an AgentContext."""
    agent = deepcopy(context["metadata"])
    kept = agent.get(_OURS)
    others: _Json = {}
    ours: _Json = {}
    if _is_kept(kept):
        del agent[_OURS]
        others = kept.get("metadata", {})
        ours = dict(kept.get("msgbook", {}))
    ours[_AGENT] = agent
    macros = _macros_of(agent)
    if macros:
        ours["macros"] = macros
    beside = {key: value for key, value in context.items() if key not in ("metadata", "context")}
    if beside:
        ours[_CONTEXT] = deepcopy(beside)
    known = {"kernelspec": dict(KERNELSPEC), "language_info": dict(LANGUAGE_INFO)}
    return {**others, **known, "msgbook": ours}


def context_metadata(metadata: _Json, default: _Json) -> tuple[_Json, _Json]:
    """Return the AgentMetadata of a notebook, and what stands beside them in its AgentContext.

    Args:
        default: AgentMetadata of a notebook that has none.
    """
    ours = dict(msgbook_metadata({"metadata": metadata}))
    ours.pop("text", None)
    beside = as_dict(ours.pop(_CONTEXT, None))
    given = ours.pop(_AGENT, None)
    agent = deepcopy(given if isinstance(given, dict) else default)
    macros = ours.pop("macros", {})
    if isinstance(macros, dict) and not jsontext.is_same(macros, _macros_of(agent)):
        _set_macros(agent, macros)
    kept = {
        key: value
        for key, value in (
            ("metadata", {k: v for k, v in metadata.items() if k not in _NOT_SAVED}),
            ("msgbook", ours),
        )
        if value
    }
    if kept:
        agent[_OURS] = deepcopy(kept)
    return agent, {k: v for k, v in beside.items() if k not in ("metadata", "context")}


def _is_kept(value: Any) -> bool:
    if not isinstance(value, dict) or not value or not value.keys() <= {"metadata", "msgbook"}:
        return False
    reserved = {_AGENT, _CONTEXT, "macros", "text"}
    parts_are_objects = all(isinstance(part, dict) and part for part in value.values())
    if not parts_are_objects:
        return False
    names = value.get("metadata", {}).keys() & _NOT_SAVED
    return not names and not reserved & value.get("msgbook", {}).keys()


def _macros_of(agent: _Json) -> dict[str, str]:
    """Return the macros of AgentMetadata: `macroContext`, then `contextItems` of the type `macro`."""
    pairs = list(as_dict(agent.get("macroContext")).items())
    pairs += [(item.get("key"), item.get("content")) for item in _items(agent) if _is_macro(item)]
    return {
        name: value
        for name, value in pairs
        if isinstance(name, str) and _NAME.fullmatch(name) and isinstance(value, str)
    }


def _set_macros(agent: _Json, macros: _Json) -> None:
    """Write changed macros where AgentMetadata have them, in place; new ones as `contextItems`."""
    old = _macros_of(agent)
    gone = old.keys() - macros.keys()
    changed = {name: v for name, v in macros.items() if not jsontext.is_same(old.get(name), v)}
    found = as_dict(agent.get("macroContext"))
    for name in gone & found.keys():
        del found[name]
    for name in changed.keys() & found.keys():
        found[name] = changed[name]
    new = changed.keys() - found.keys()
    items = [item for item in _items(agent) if not (_is_macro(item) and item.get("key") in gone)]
    for item in items:
        if _is_macro(item) and item.get("key") in changed:
            item["content"] = changed[item["key"]]
            new = new - {item["key"]}
    items += [
        {"type": "macro", "key": name, "content": value}
        for name, value in changed.items()
        if name in new
    ]
    if items or isinstance(agent.get("contextItems"), list):
        agent["contextItems"] = items


def _items(agent: _Json) -> list[Any]:
    found = agent.get("contextItems")
    return found if isinstance(found, list) else []


def _is_macro(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") == "macro"
