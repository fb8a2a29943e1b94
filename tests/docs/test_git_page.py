"""docs/git.md: its commands do what it says, and its hook is the one of the repository."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_the_hook_of_the_page_is_that_of_the_repository(fences):
    (configuration,) = fences
    (hook,) = yaml.safe_load(configuration.body)["repos"][0]["hooks"]
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    assert hook == {key: ours[key] for key in hook}
