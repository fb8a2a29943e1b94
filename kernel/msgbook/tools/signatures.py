"""The signature of a function of any author, with types that a model can pass."""

from __future__ import annotations

import inspect
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

from msgbook.errors import ToolError


def typed_signature(name: str, function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature with resolved annotations.

    Raises:
        ToolError: A model cannot provide a parameter, or not by name.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise ToolError(f"{name} has no readable signature. Write a function around it.") from None
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ToolError(
                f"{name} has the parameter {parameter}, but a model passes arguments by name."
            )
        annotation = parameter.annotation
        if annotation is not parameter.empty:
            annotation = resolve_annotation(f"{name}({parameter.name})", annotation, scope)
        parameters.append(parameter.replace(annotation=annotation))
    return inspect.Signature(parameters)


def resolve_annotation(where: str, annotation: Any, scope: dict[str, Any]) -> Any:
    """Return an annotation as a type, also if it was written as a string."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        found = typing.get_type_hints(holder, scope, scope, include_extras=True)["it"]
    except Exception as error:
        raise ToolError(
            f"{where}: the annotation {annotation!r} cannot be evaluated: {error}"
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TypeAdapter(found).json_schema()
    except PydanticUserError:
        word = getattr(found, "__name__", str(found))
        raise ToolError(
            f"{where}: a model cannot pass a {word}. It can pass text, numbers, lists, dicts, "
            "dataclasses and pydantic models."
        ) from None
    return found
