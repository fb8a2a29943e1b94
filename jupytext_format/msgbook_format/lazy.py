"""Names of a package that are imported when they are first used.

Jupyter's servers, command lines and kernels import packages of the format long before they need
all of them, if ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package.

    Args:
        package: The package's `__name__`.
        modules: For each module below the package, the names that it gives, separated by blanks.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get_attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get_attribute
