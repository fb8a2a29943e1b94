"""What a release consists of: one version, files that work where there is no Node.js, workflows that are well-formed."""

from __future__ import annotations

import json
import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import msgbook

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAY_WRITE = {
    "docs": {"deploy": {"pages", "id-token"}},
    "release": {"publish": {"id-token"}, "github-release": {"contents"}},
}
"""The jobs with rights to write, by their workflows."""
CHECKS = runpy.run_path(str(ROOT / "scripts" / "check_dist.py"))


def test_the_package_the_extension_and_the_citation_have_one_version():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extension = json.loads((ROOT / "labextension" / "package.json").read_text("utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert "version" in pyproject["project"]["dynamic"]
    assert pyproject["tool"]["hatch"]["version"]["path"] == "kernel/msgbook/__init__.py"
    assert extension["version"] == citation["version"] == msgbook.__version__


def test_the_package_and_the_extension_name_one_address():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    extension = json.loads((ROOT / "labextension" / "package.json").read_text("utf-8"))

    assert extension["homepage"] == urls["Homepage"]
    assert extension["repository"]["url"] == f"{urls['Source']}.git"
    assert extension["bugs"]["url"] == urls["Issues"]


def test_the_changelog_tells_of_this_version_below_what_is_unreleased():
    page = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    versions = re.findall(r"^## \[(.+?)\]", page, re.MULTILINE)

    assert headings[:2] == [
        "[Unreleased]",
        f"[{msgbook.__version__}] - {citation['date-released']}",
    ]
    assert versions == re.findall(r"^\[(.+?)\]: https://", page, re.MULTILINE)


def test_a_demo_that_does_not_run_is_told_with_its_command_and_its_words(tmp_path: Path):
    (tmp_path / "msgbook.py").write_text("raise SystemExit('no such kernel')")

    with pytest.raises(Exception, match=r"--version` exited with 1:\nno such kernel"):
        CHECKS["try_demo"](Path(sys.executable), tmp_path, {"PYTHONPATH": str(tmp_path)})


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_little_and_runs_pinned_actions(workflow: Path):
    text = workflow.read_text("utf-8")
    table = yaml.safe_load(text)
    running = [job for job in table["jobs"].values() if "steps" in job]
    used = [step["uses"] for job in running for step in job["steps"] if "uses" in step]
    granted = {
        name: {what for what, right in job["permissions"].items() if right == "write"}
        for name, job in table["jobs"].items()
    }

    assert table["permissions"] == {}
    assert all("timeout-minutes" in job for job in running)
    assert {name: rights for name, rights in granted.items() if rights} == MAY_WRITE.get(
        workflow.stem, {}
    )
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []
    # Dependabot reads the version behind the commit, and writes both.
    assert len(re.findall(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+", text)) == len(used)


def test_the_workflows_test_each_python_that_the_package_names():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    named = re.findall(r":: Python :: (3\.\d+)", "\n".join(pyproject["project"]["classifiers"]))
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))["jobs"]

    assert jobs["linux"]["strategy"]["matrix"]["python"] == named
    assert jobs["elsewhere"]["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]


def test_nothing_is_published_before_all_tests_pass():
    tests = yaml.safe_load((ROOT / ".github/workflows/all-tests.yml").read_text("utf-8"))
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]

    assert "workflow_call" in tests[True]  # YAML takes the key `on` for a truth value
    assert jobs["tests"]["uses"] == "./.github/workflows/all-tests.yml"
    assert set(jobs["publish"]["needs"]) == {"tests", "build"}
    assert jobs["github-release"]["needs"] == "publish"


def test_every_command_of_make_that_a_workflow_runs_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS)
    named = set(re.findall(r"run: make (\S+)", text))

    assert {"lint", "test", "docs", "dist"} <= named
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []
