"""Both lines of the openai package that pyproject.toml allows are the ones that are tested."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import openai
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent.parent


def test_the_imported_sdk_is_one_that_is_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = next(r for r in map(Requirement, project["dependencies"]) if r.name == "openai")

    assert openai.__version__ in allowed.specifier
    assert metadata.version("openai") == openai.__version__


def test_the_oldest_one_that_is_allowed_is_the_one_that_make_installs():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = next(r for r in map(Requirement, project["dependencies"]) if r.name == "openai")
    oldest = min(Version(s.version) for s in allowed.specifier)

    pinned = f"openai=={oldest}.0" if len(oldest.release) == 2 else f"openai=={oldest}"
    assert pinned in (ROOT / "Makefile").read_text()
