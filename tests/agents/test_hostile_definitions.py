"""Definitions that a project or a notebook made up to keep the kernel busy for minutes.

These tests end, or the run times out.
"""

from __future__ import annotations

from msgbook.agents import AgentSources, resolve_agent
from msgbook.agents.agent import name_values, parse_agent
from msgbook.agents.project_files import MOST_FILES, read_project

LONG = f"---\nx: [{'a, ' * 30_000}]\n---\nBody."


def code(source):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}


def test_an_agent_that_many_cells_name_is_read_once():
    names = ["%agent default p"] * 2000

    resolved = resolve_agent(None, list(map(code, names)), AgentSources(project={"p": LONG}))

    assert resolved.agent.system_prompt == "Body."


def test_a_temporary_agent_that_many_cells_name_is_read_once():
    odd = " ".join(f"k{number}=1" for number in range(20_000))
    cells = [f"%agent new p tools=read {odd}", *["%agent default p"] * 2000]

    assert resolve_agent(None, list(map(code, cells)), AgentSources()).agent.tools == ("read",)


def test_agents_are_not_looked_for_in_a_frontmatter_without_end():
    sources = AgentSources("agents:\n  a:\n    tools: [" + "x, " * 5_000_000 + "]\n")

    agent, _, [notice] = resolve_agent(None, [], sources)

    assert agent.name == "assistant"
    assert "not read" in notice


def test_skills_are_read_as_far_as_their_names_go(tmp_path):
    for number in range(2 * MOST_FILES):
        folder = tmp_path / ".agents" / "skills" / f"{number:03}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: s{number}\nx: [{'a, ' * 30_000}]\n---\n")
    (tmp_path / ".agents/skills/000/SKILL.md").write_text("---\nname: n\ndescription: d\n---\n")

    found = read_project(tmp_path, tmp_path)

    assert [skill.name for skill in found.skills] == ["n"]
    assert any(f"first {MOST_FILES}" in notice for notice in found.notices)


def test_a_list_of_names_is_as_long_as_a_person_makes_it():
    agent, [notice] = parse_agent("a", {"rules": [f"*{i}*" for i in range(100_000)]}, "notebook")

    assert agent.rules is None
    assert len(notice) < 300
    assert len(name_values([str(i) for i in range(200)])) == 200
