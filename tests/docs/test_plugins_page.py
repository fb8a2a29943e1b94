"""docs/plugins.md: its example is the package that the tests install, and its names exist."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

from fences import Fence

from msgbook.config import load_settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
EXAMPLE = ROOT / "tests" / "plugins" / "example"


def test_the_example_is_the_package_that_is_tested(fences: list[Fence]) -> None:
    """`tests/plugins` installs and uses it."""
    names = ["pyproject.toml", "src/msgbook_example/tools.py", "src/msgbook_example/parrot.py"]

    assert [fence.body for fence in fences] == [(EXAMPLE / n).read_text("utf-8") for n in names]


def test_the_settings_of_the_page_are_understood(fences: list[Fence], tmp_path: Path) -> None:
    file = tmp_path / "msgbook.toml"
    file.write_text("\n".join(fence.body for fence in fences))

    settings = load_settings({"MSGBOOK_CONFIG": str(file)})

    assert settings.warnings == ()
    assert settings.plugins_off == ("weather-one:weather", "some-package")
    assert settings.providers["bird"].plugin in _entry_points("providers")


def test_each_name_that_a_plug_in_can_rely_on_exists() -> None:
    section = PAGE.partition("## What a plug-in can rely on\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(msgbook\.\w+)` \| (.*) \|$", section, re.MULTILINE)
    named = [(module, name) for module, cell in rows for name in re.findall(r"`(\w+)`", cell)]

    assert len(named) > 12
    assert [n for m, n in named if not hasattr(importlib.import_module(m), n)] == []


def test_what_the_example_imports_is_what_a_plug_in_can_rely_on() -> None:
    section = PAGE.partition("## What a plug-in can rely on\n")[2].partition("\n## ")[0]
    events = set(re.findall(r"^class (\w+)", _source("msgbook.events"), re.MULTILINE))
    sources = [path.read_text("utf-8") for path in EXAMPLE.rglob("*.py")]
    imports = [
        i for text in sources for i in re.findall(r"^from (msgbook\.\w+) import (.+)$", text, re.M)
    ]

    assert imports
    for module, names in imports:
        relied = re.search(rf"^\| `{re.escape(module)}` \| (.*) \|$", section, re.MULTILINE)
        assert relied
        for name in names.split(", "):
            assert f"`{name}`" in relied[1] or name in events or name == "StreamEvent"


def _entry_points(kind: str) -> dict[str, str]:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, str] = project["entry-points"][f"msgbook.{kind}"]
    return found


def _source(module: str) -> str:
    return Path(str(importlib.import_module(module).__file__)).read_text("utf-8")
