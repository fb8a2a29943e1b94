"""A sub-agent may never do more than its parent, its own definition and the call allow."""

from __future__ import annotations

import json
import time

import pytest
from scripted_server import Answer as Answered
from scripted_server import call, delta, text
from team import SAID, costing, dispatch, dispatch_result, metadata_in, play, report, turns_in

from msgbook.approval import Answer
from msgbook_format.turn import to_markdown


def description_of_dispatch(team):
    tools = [tool["function"] for tool in team.server.requests[0]["tools"]]
    return next(tool["description"] for tool in tools if tool["name"] == "dispatch_subagents")


def tools_of(request):
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def test_a_sub_agent_has_the_tools_of_its_parent_and_can_report_but_not_dispatch(team):
    team.frontmatter = "agents: {lead: {tools: [dispatch_subagents, read]}}\n"
    team.server.choose = play([dispatch("count"), SAID], {"count": report("3")})
    team.run()

    parent, subagent = team.server.requests[:2]
    assert tools_of(parent) == ["read", "dispatch_subagents"]
    assert tools_of(subagent) == ["read", "task_finish"]
    assert metadata_in(team.files[0])["allowed_tools"] == ["read", "dispatch_subagents"]


def test_a_sub_agents_own_list_of_tools_adds_none_to_its_parents(team):
    team.frontmatter = (
        "agents:\n"
        "  lead: {tools: [dispatch_subagents, read, glob]}\n"
        "  worker: {tools: [read, shell, write, dispatch_subagents]}\n"
    )
    task = {"prompt": "count", "agent_type": "worker"}
    team.server.choose = play([dispatch(task), SAID], {"count": report("3")})
    team.run()

    assert tools_of(team.server.requests[1]) == ["read", "task_finish"]


@pytest.mark.parametrize("lead", [(), ("web_search",)])
def test_a_sub_agent_searches_with_the_server_only_if_its_parent_does(team, lead):
    team.config = (
        f"[agents.lead]\nserver_tools = {list(lead)}\n"
        '[agents.finder]\nserver_tools = ["web_search"]\n'
    )
    task = {"prompt": "count", "agent_type": "finder"}
    team.server.choose = play([dispatch(task), SAID], {"count": report("3")})
    team.run("%%msg agent=lead\nGo.")

    parent, subagent = team.server.requests[:2]
    assert ["web_search_options" in request for request in (parent, subagent)] == [bool(lead)] * 2
    assert metadata_in(team.files[0]).get("allowed_server_tools", []) == list(lead)


def test_an_agent_with_a_list_of_tools_dispatches_only_if_the_list_says_so(team):
    team.frontmatter = "agents: {lead: {tools: [read]}}\n"
    team.server.answers = [SAID]
    team.run()

    assert tools_of(team.server.requests[0]) == ["read"]


@pytest.mark.parametrize(
    "limits", ["[limits]\nsubagent_depth = 0\n", "[limits]\nmax_subagents = 0\n"]
)
def test_limits_of_the_user_switch_sub_agents_off(team, limits):
    team.config = limits
    team.server.answers = [SAID]
    team.run()

    assert "dispatch_subagents" not in tools_of(team.server.requests[0])


def test_with_more_depth_a_sub_agent_starts_others_but_none_of_its_ancestors(team):
    team.config = "[limits]\nsubagent_depth = 2\n"
    team.frontmatter = "agents: {lead: {}, worker: {}, helper: {}}\n"
    again = {"prompt": "the inner task", "agent_type": "lead"}
    inner = {"prompt": "the inner task", "agent_type": "helper"}
    team.server.choose = play(
        [dispatch({"prompt": "the outer task", "agent_type": "worker"}), SAID],
        {"outer": [dispatch(again), dispatch(inner), report("done")], "inner": report("4")},
    )
    turn = team.run()

    assert dispatch_result(turn)["agents"][0]["status"] == "done"
    outer = next(file for file in team.files if "the outer task" in file.read_text("utf-8"))
    refusal, ran = [
        b
        for b in turns_in(outer)[0]["blocks"]
        if b["type"] == "tool_result" and b["id"] == "dispatch"
    ]
    assert "Agent type 'worker' cannot dispatch 'lead'." in refusal["content"]
    assert "4" in ran["content"]
    helper = next(file for file in team.files if file != outer)
    assert metadata_in(helper)["parent"]["agents"] == ["lead", "worker"]
    [row] = ran["agents"]
    assert (outer.parent / row["file"]).resolve() == helper.resolve()
    assert f"]({row['file']})" in to_markdown(turns_in(outer)[0])
    assert f"File: .msgbook/subagents/{helper.name}" in ran["content"]
    innermost = next(r for r in team.server.requests if "inner task" in str(r["messages"][1]))
    assert "dispatch_subagents" not in tools_of(innermost)


def test_a_sub_agent_reads_freely_only_what_the_call_allows(team):
    for name in ("data", "other"):
        (team.folder / name).mkdir()
        (team.folder / name / "a.txt").write_text(f"words of {name}")
    team.approval = "ask"
    asked = []

    async def ask(question):
        asked.append(question.approval_request.path)
        return Answer("no" if question.asker else "once")

    reads = [call("read", {"path": f"{name}/a.txt"}) for name in ("data", "other")]
    task = {"prompt": "look", "allowed_uris": ["data"]}
    team.server.choose = play([dispatch(task), SAID], {"look": [*reads, report("ok")]})
    team.run(ask=ask)

    sent = json.dumps(team.server.requests)
    assert "words of data" in sent
    assert "words of other" not in sent
    assert asked[1:] == [str((team.folder / "other" / "a.txt").resolve())]
    assert metadata_in(team.files[0])["allowed_uris"] == ["data"]


def test_the_folder_of_a_notebook_below_the_project_bounds_its_sub_agents(team):
    folder = team.folder / "notebooks"
    folder.mkdir()
    team.server.choose = play([dispatch("count"), SAID], {"count": report("3")})
    turn = team.run(notebook=folder)

    assert metadata_in(team.files[0])["allowed_uris"] == ["notebooks"]
    assert description_of_dispatch(team).endswith(
        "They work in `..`: paths in a prompt start there, those in allowed_uris where yours do."
    )
    [row] = dispatch_result(turn)["agents"]
    assert (folder / row["file"]).resolve() == team.files[0].resolve()


def test_questions_name_the_sub_agent_and_its_call(team):
    team.approval = "ask"
    asked = []

    async def ask(question):
        asked.append((question.asker, question.call["id"], question.call["name"]))
        return Answer("once")

    team.server.choose = play(
        [dispatch("say hello"), SAID],
        {"say hello": [call("shell", {"command": "echo hello"}, "c9"), report("said")]},
    )
    [row] = team.result(ask=ask)["agents"]

    assert asked == [
        ((), "dispatch", "dispatch_subagents"),
        (("say hello",), f"{row['uuid']}/c9", "shell"),
    ]


def test_the_approval_of_a_call_shows_prompts_agents_and_folders(team):
    (team.folder / "data").mkdir()
    team.approval = "ask"
    team.frontmatter = "agents: {lead: {}, worker: {models: big, tools: [read, write]}}\n"
    shown = []

    async def ask(question):
        shown.append(question.approval_request)
        return Answer("no")

    task = {"prompt": "count\nthe pears", "agent_type": "worker", "allowed_uris": ["data"]}
    team.server.choose = play([dispatch(task, "say hello", broadcast="Fruit."), SAID])
    team.run(ask=ask)

    assert not team.files
    assert "They work in" not in description_of_dispatch(team) + shown[0].preview
    assert shown[0].reason == "it starts 2 sub-agents"
    for words in (
        "Fruit.",
        "Agent worker",
        "may read data; tools that need approval: write; its task:",
        "   count\n   the pears",
        "; may read this folder; tools that need approval: write, edit, mkdir, shell; its task:",
    ):
        assert words in shown[0].preview


def test_the_approval_of_a_call_shows_the_folder_if_it_is_another(team):
    folder = team.folder / "notebooks" / "new"
    folder.mkdir(parents=True)
    team.approval = "ask"
    shown = []

    async def ask(question):
        shown.append(question.approval_request.preview)
        return Answer("no")

    team.server.choose = play([dispatch("count"), SAID])
    team.run(ask=ask, notebook=folder)

    assert shown[0].startswith(
        "They work in the project's folder, which is `../..` from this notebook: paths in a task start there.\n\n1. Agent"
    )


def test_no_name_forges_a_line_of_the_approval(team):
    team.approval = "ask"
    name = "bad; may read nothing; task:\n   rest\n2. Agent good"
    team.frontmatter = json.dumps({"agents": {"lead": {}, name: {"models": "m\n3. Agent x"}}})
    shown = []

    async def ask(question):
        shown.append(question.approval_request.preview)
        return Answer("no")

    team.server.choose = play([dispatch({"prompt": "count", "agent_type": name}), SAID])
    team.run(ask=ask)

    assert len(shown[0].splitlines()) == 2


def test_without_anybody_to_ask_calls_are_denied_and_never_waited_for(team):
    team.approval = "ask"

    async def ask(question):
        return Answer("once") if not question.asker else None

    team.server.choose = play(
        [dispatch("say hello"), SAID],
        {"say hello": [call("shell", {"command": "echo hello"}), report("could not")]},
    )
    result = team.result(ask=ask)

    assert "could not" in result["content"]
    [turn] = turns_in(team.files[0])
    assert [b.get("approval") for b in turn["blocks"] if b.get("name") == "shell"] == ["denied"]


def test_tokens_of_sub_agents_come_out_of_the_parents_budget(team):
    team.config = "[limits]\ntoken_budget = 30\nsubagents_at_once = 1\n"
    look = costing(call("glob", {"pattern": "*"}), 25)
    team.server.choose = play(
        [costing(dispatch("task one", "task two"), 10), SAID],
        {"one": [look, text("x")], "two": report("2")},
    )
    turn = team.run()

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    statuses = [row["status"] for row in dispatch_result(turn)["agents"]]
    assert statuses[-1] == "incomplete"
    assert "shared with the agent that started this one" in json.dumps(
        [turns_in(file) for file in team.files]
    )


def test_what_sub_agents_cost_comes_out_of_the_parents_budget(team):
    team.config = (
        "[limits]\nmax_cost = 30\nsubagents_at_once = 1\n"
        "[providers.openai.prices]\nm = { input = 1000000, output = 0 }\n"
    )
    look = costing(call("glob", {"pattern": "*"}), 25)
    team.server.choose = play(
        [costing(dispatch("task one", "task two"), 10), SAID],
        {"one": [look, text("x")], "two": report("2")},
    )
    turn = team.run()

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    said = json.dumps([turns_in(file) for file in team.files])
    assert "max_cost of 30 is used up (35.0000)" in said
    assert "shared with the agent that started this one" in said


def test_a_sub_agent_of_unknown_price_is_not_asked_within_a_budget_of_money(team):
    team.config = (
        "[limits]\nmax_cost = 30\n[providers.openai.prices]\nm = { input = 0, output = 0 }\n"
        '[agents.other]\nmodels = "unheard-of"\n'
    )
    task = {"prompt": "count", "agent_type": "other"}
    team.server.choose = play([dispatch(task), SAID], {"count": report("3")})
    turn = team.run()

    assert turn["status"] == "done"
    assert {request["model"] for request in team.server.requests} == {"m"}
    assert "the price of unheard-of is not known" in dispatch_result(turn)["content"]


def test_a_sub_agent_that_never_answers_ends_with_the_parents_time(team):
    held = Answered([delta(content="Working on it. ")], hold=1)
    for seconds in (1, 10, 60):  # The time in which a machine gets so far.
        team.config = f"[limits]\ntime_budget = {seconds}\nsubagents_at_once = 1\n"
        team.server.reset()
        team.server.choose = play([dispatch("task one", "task two"), SAID], {"task": held})
        turn = team.run()
        if "Working on it." in json.dumps(turn):
            break

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    result = dispatch_result(turn)
    assert [row["status"] for row in result["agents"]] == ["incomplete", "incomplete"]
    assert "Working on it." in result["content"]
    assert len(team.server.requests) == 2  # The second one had no time left for a request.


def test_the_parents_clock_stands_while_a_sub_agents_reader_is_asked(team):
    team.approval = "ask"
    team.config = "[limits]\ntime_budget = 300\n"
    thought = [0.0]
    team.clock = lambda: time.monotonic() + thought[0]

    async def ask(question):
        thought[0] += 3000 * bool(question.asker)
        return Answer("once")

    team.server.choose = play(
        [dispatch("say hello"), SAID],
        {"say hello": [call("shell", {"command": "echo hello"}), report("said")]},
    )
    turn = team.run(ask=ask)

    assert thought[0] >= 3000
    assert turn["status"] == "done"
    assert [row["status"] for row in dispatch_result(turn)["agents"]] == ["done"]


@pytest.mark.parametrize("below", [".", "notebooks"])
def test_what_a_sub_agent_has_read_and_changed_its_parent_has_not_seen(team, below):
    folder = team.folder / below
    folder.mkdir(exist_ok=True)
    file = team.folder / "a.txt"
    file.write_text("one")
    path = file.relative_to(team.folder) if below == "." else f"../{file.name}"

    def edit(path, old, new):
        return call("edit", {"path": str(path), "old": old, "new": new}, "edit")

    read = call("read", {"path": str(path)})
    subagent = [call("read", {"path": "a.txt"}), edit("a.txt", "one", "two"), report("done")]
    team.server.choose = play(
        [read, dispatch("change it"), edit(path, "two", "three"), SAID], {"change it": subagent}
    )
    turn = team.run(notebook=folder)

    [result] = [b for b in turn["blocks"] if b["type"] == "tool_result" and b["id"] == "edit"]
    assert "has changed since you read it; read it again." in result["content"]
    assert file.read_text() == "two"
