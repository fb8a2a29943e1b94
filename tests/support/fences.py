"""The fences of README and manual, and for each the test that runs it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
PAGES = {path.name: path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
SHELLS = ("sh", "bash", "console")
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(\w*)[^\n`]*\n(.*?)^ *\2$", re.MULTILINE | re.DOTALL)

_TYPED = "integration/docs/test_typed_commands.py::test_each_command_of_the_page_runs"
_LAB = "integration/docs/test_typed_commands.py::test_the_kernels_of_jupyterlab_get_the_server_and_the_model"
_LINES = "integration/docs/test_typed_commands.py"
_START = "compat/test_readme_start.py::test_the_commands_of_the_readme_work_in_a_clean_clone"
_PIP = f"{_LINES}::test_pip_finds_msgbook"
_FOLLOWED = "test_every_command_runs_and_prints_what_the_page_shows"
_SETTINGS = "docs/test_settings_of_pages.py"
_HOW_TOS = "docs/test_how_tos.py"
_MAGIC = "integration/docs/test_how_tos.py::test_the_magic_and_its_row_are_what_the_table_takes"
_TOOL = "integration/docs/test_how_tos.py::test_the_tool_answers_a_call_as_its_test_says"
_OUTPUT = "docs/test_command_output.py"
_PLUGIN = "docs/test_plugins_page.py"
_EXAMPLE = f"{_PLUGIN}::test_the_example_is_the_package_that_is_tested"
_CHATS = f"integration/docs/test_many_chats_page.py::{_FOLLOWED}_and_compares_the_models"
_JUPYTEXT = "docs/test_jupytext_page.py"

RUN_BY: dict[str, dict[str, str | tuple[str, ...]]] = {
    "README.md": {
        "sh": (_START, _LAB),
        "markdown": "docs/test_docs.py::test_the_readme_shows_a_message_file_as_the_writer_writes_it",
    },
    "agent-files.md": {"sh": _TYPED},
    "agents.md": {
        "yaml": (
            f"{_SETTINGS}::test_the_frontmatter_defines_two_agents_and_who_answers",
            f"{_SETTINGS}::test_further_keys_are_sent_as_an_agent_of_a_file_sets_them",
        )
    },
    "architecture.md": {
        "mermaid": (
            "not run: a drawing for readers",
            "docs/test_named_paths.py::test_the_diagram_of_imports_is_current",
        )
    },
    "clients.md": {
        "sh": (*(_TYPED,) * 4, "not run: nbmake and nbval are no dependencies", *(_TYPED,) * 2),
        "python": (
            "compat/test_clients.py::test_papermill_writes_nothing_but_the_notebook_into_a_pipe",
            "docs/test_clients_page.py::test_the_configuration_of_sphinx_names_a_reader_of_message_files",
        ),
        "json": "integration/docs/test_clients_page.py::test_nbdime_is_told_to_leave_out_what_a_run_adds",
    },
    "commands.md": {
        "console": (
            *(f"{_OUTPUT}::test_what_is_asked_is_answered_and_exported",) * 2,
            f"{_OUTPUT}::test_the_preview_looks_as_the_page_shows_it",
            f"{_OUTPUT}::test_the_agents_look_as_the_page_shows_them",
            "integration/docs/test_command_output.py::test_the_doctor_says_what_the_page_shows",
            f"{_OUTPUT}::test_the_finding_looks_as_the_page_shows_it",
        ),
        "markdown": "format/checks/test_check.py::test_an_example_of_the_documentation_is_found_and_nothing_else",
    },
    "configuration.md": {
        "toml": (
            f"{_SETTINGS}::test_a_file_configures_two_servers_prices_an_agent_and_a_limit",
            f"{_SETTINGS}::test_a_rule_approves_a_command_in_its_folder_alone",
            f"{_SETTINGS}::test_a_project_lowers_a_limit",
        )
    },
    "contributing.md": {
        "python": (_TOOL, _TOOL, _MAGIC, _MAGIC, _MAGIC),
        "sh": "integration/docs/test_how_tos.py::test_a_server_shows_each_piece_of_its_answer_to_curl",
    },
    "exporting.md": dict.fromkeys(
        ("console", "sh"), f"integration/docs/test_exporting_page.py::{_FOLLOWED}"
    ),
    "first-team.md": {
        **dict.fromkeys(
            ("console", "markdown"), f"integration/docs/test_team_how_to.py::{_FOLLOWED}"
        ),
        "toml": "docs/test_team_how_to.py::test_the_rule_of_the_page_is_understood",
    },
    "format.md": {
        "markdown": "format/test_docs.py::test_an_example_is_what_the_writer_writes",
        "": "not run: a grammar for readers",
    },
    "git.md": {
        **dict.fromkeys(("console", "markdown"), f"integration/docs/test_git_page.py::{_FOLLOWED}"),
        "yaml": "docs/test_git_page.py::test_the_hook_of_the_page_is_that_of_the_repository",
    },
    "installing.md": {"sh": _START},
    "jupyterhub.md": {
        "sh": (
            "not run: needs Docker, and make dist minutes; tests/integration/test_dockerfile.py checks the rest",
            "compat/everywhere/test_servers.py::test_a_chat_whose_kernel_runs_behind_a_gateway",
            f"{_LINES}::test_the_specification_for_enterprise_gateway_names_the_python_that_has_msgbook",
            "compat/everywhere/test_enterprise_gateway.py::test_a_kernel_behind_enterprise_gateway_gets_the_settings_and_answers",
        ),
        "python": "compat/everywhere/test_hub.py::test_a_chat_on_a_users_server_behind_jupyterhub_which_is_started_anew",
    },
    "jupytext.md": {
        "sh": _TYPED,
        "toml": f"{_JUPYTEXT}::test_a_project_pairs_its_chats",
        "python": "integration/docs/test_jupytext_page.py::test_python_registers_the_format_where_it_was_switched_off",
    },
    "many-chats.md": {
        "sh": (
            *(_CHATS,) * 2,
            "integration/cli/test_run_dask.py::test_the_command_of_the_manual_answers_on_the_cluster",
        ),
        "console": _CHATS,
        "toml": f"{_SETTINGS}::test_a_provider_keeps_to_the_limits_of_its_server",
        "text": "docs/test_many_chats_page.py::test_the_bar_is_the_one_of_a_run",
    },
    "mcp.md": {
        "bash": _PIP,
        "toml": (
            "integration/docs/test_mcp_how_to.py::test_the_doctor_starts_the_server",
            "docs/test_mcp_page.py::test_a_server_is_a_program_or_a_url",
            "integration/docs/test_mcp_how_to.py::test_a_reference_calls_the_tool_by_the_rule_and_sends_the_result",
        ),
        "markdown": "integration/docs/test_mcp_how_to.py::test_a_reference_calls_the_tool_by_the_rule_and_sends_the_result",
    },
    "moving.md": {
        "console": "docs/test_moving.py::test_the_first_command_prints_what_the_page_shows",
        "sh": "docs/test_moving.py::test_every_command_works",
    },
    "plugins.md": {
        "toml": (_EXAMPLE, *(f"{_PLUGIN}::test_the_settings_of_the_page_are_understood",) * 2),
        "sh": "integration/docs/test_plugins_page.py::test_the_package_is_installed_as_the_page_says_and_the_doctor_lists_it",
        "python": _EXAMPLE,
    },
    "references.md": {
        "markdown": "docs/test_references_page.py::test_the_macro_and_the_condition_decide_what_is_sent"
    },
    "servers.md": {
        "sh": _LAB,
        "toml": (
            f"{_SETTINGS}::test_a_complete_file_names_a_server_and_its_model",
            f"{_SETTINGS}::test_an_agent_of_the_users_own_file_may_search_at_the_server",
            f"{_SETTINGS}::test_a_provider_is_asked_over_anthropics_api",
            f"{_SETTINGS}::test_a_provider_is_asked_over_the_responses_api",
            f"{_SETTINGS}::test_the_server_of_the_environment_is_asked_over_the_responses_api",
        ),
    },
    "terminal.md": {"sh": _TYPED},
    "testing-chats.md": dict.fromkeys(
        ("console", "markdown"), f"integration/docs/test_testing_chats_page.py::{_FOLLOWED}"
    ),
    "tools.md": {
        "python": "integration/docs/test_tools_page.py::test_the_model_calls_the_function"
    },
    "python-notebooks.md": {
        "python": "not run: reads a file of the reader's",
        "text": "not run: a message about the cell above it",
        "sh": "not run: needs a second environment with a release",
    },
    "translations.md": {"sh": "not run: downloads what make installs for ui-tests"},
    "tutorial.md": {
        "sh": "integration/cli/test_demo.py::test_it_opens_jupyterlab_on_the_notebook_from_any_folder",
        "text": (
            "docs/test_tutorial.py::test_the_message_of_the_notebook_is_the_one_of_the_demo",
            *("docs/test_tutorial.py::test_the_demo_model_answers_what_is_typed_in_jupyterlab",)
            * 3,
        ),
        "console": f"integration/docs/test_tutorial.py::{_FOLLOWED}",
    },
}
"""By page and language: the test that runs the fences, or one for each of them in their order."""

LEFT_OUT = {
    "jupyter console": "waits for somebody who types: tests/compat/test_clients.py is such a client",
    "vllm serve": "needs a graphics card",
    "python -m venv": "downloads what make installs for tests/compat/everywhere",
    "playwright install": "downloads a browser",
}
"""Parts of lines that no test types, with the reason; the others of their fence are typed."""


class Fence(NamedTuple):
    """A fence of a page, without the indentation that it may have."""

    page: str
    line: int
    language: str
    above: str
    """The paragraph above it."""
    body: str

    @property
    def commands(self) -> list[str]:
        """Those of a shell, without `LEFT_OUT`; a line that goes on in the next one is one with it."""
        lines = self.body.replace("\\\n", " ").splitlines()
        return [line for line in lines if not any(part in line for part in LEFT_OUT)]

    @property
    def script(self) -> str:
        """The commands, for a shell."""
        return "\n".join(self.commands)


def read_fences(page: str, text: str | None = None) -> list[Fence]:
    """Return the fences of a page, or of a text of it, in their order."""
    text = PAGES[page].read_text("utf-8") if text is None else text
    found = []
    for match in _FENCE.finditer(text):
        indent, _, language, body = match.groups()
        above = text[: match.start()]
        paragraph = above.rstrip().rpartition("\n\n")[2]
        body = re.sub(f"^{indent}", "", body, flags=re.MULTILINE)
        found.append(Fence(page, above.count("\n") + 1, language, paragraph, body))
    return found


def table() -> list[tuple[Fence, str]]:
    """Return all fences, each with what `RUN_BY` has for it; without an entry it is empty."""
    rows = []
    for page in PAGES:
        left = {
            language: iter(tests) if isinstance(tests, tuple) else None
            for language, tests in RUN_BY.get(page, {}).items()
        }
        for fence in read_fences(page):
            tests = RUN_BY.get(page, {}).get(fence.language, "")
            one = left.get(fence.language)
            rows.append((fence, next(one, "") if one else str(tests)))
    return rows


def fences_of(test: str) -> list[Fence]:
    """Return the fences that a test runs, given its file below `tests/` and its name."""
    found = [fence for fence, by in table() if by == test]
    assert found, f"{test} is not in RUN_BY"
    return found


@pytest.fixture
def fences(request: pytest.FixtureRequest) -> list[Fence]:
    """The fences that the table gives to this test, in the order of their pages."""
    path = request.node.path.relative_to(TESTS).as_posix()
    return fences_of(f"{path}::{request.node.originalname}")
