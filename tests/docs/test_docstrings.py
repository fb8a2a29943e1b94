"""Docstrings of functions begin as a native writer begins them: with what the function does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path.relative_to(ROOT)
    for folder in ("kernel", "jupytext_format")
    for path in (ROOT / folder).rglob("*.py")
)
QUESTIONS = {"what", "whether", "which", "how", "where", "when", "who", "whose", "why"}
NOUNS = {
    "a",
    "an",
    "the",
    "these",
    "those",
    "this",
    "that",
    "all",
    "one",
    "each",
    "every",
    "as",
    "if",
}
BASE_FORMS_IN_S = {
    "pass",
    "process",
    "guess",
    "access",
    "address",
    "express",
    "compress",
    "suppress",
}
ATTRIBUTES = {"property", "cached_property", "setter"}


def first_words(path):
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        names = {
            part.id if isinstance(part, ast.Name) else getattr(part, "attr", "")
            for part in getattr(node, "decorator_list", [])
        }
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        line = getattr(node, "lineno", 1)
        yield line, is_function and not names & ATTRIBUTES, text.split()[0].strip("`.,:").lower()


@pytest.mark.parametrize("path", SOURCES, ids=str)
def test_the_first_word_says_what_a_function_does(path):
    odd = []
    for line, is_function, word in first_words(path):
        third_person = word.endswith("s") and word not in BASE_FORMS_IN_S
        if word in QUESTIONS or (is_function and (word in NOUNS or third_person)):
            odd.append(f"{path}:{line}: {word!r}")

    assert odd == []
