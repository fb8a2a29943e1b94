"""Agents of a file: which one answers, its properties in the request, and its restrictions."""

from __future__ import annotations

import json

import pytest
from scripted_server import Answer, call, error, text
from talk import content_reference, notices

from msgbook.agents import build_system_prompt

TWO = """\
agents:
  writer:
    models: [w-1]
    system_prompt: You write.
    temperature: 0.2
    max_output_tokens: 500
    reasoning_effort: low
    tools: [read]
  critic:
    models: c-1
    system_prompt: You judge.
default_agent: writer
"""


WRITER = build_system_prompt("You write.", [], ["."])


@pytest.fixture
def two(talk):
    talk.metadata = {"msgbook": {"frontmatter": TWO}}
    return talk


def names(request):
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def test_the_default_agent_of_the_frontmatter_answers_with_all_its_properties(two):
    turn = two.ask("Write.")

    request = two.server.requests[-1]
    assert request["messages"][0] == {"role": "system", "content": WRITER}
    assert (request["model"], request["temperature"]) == ("w-1", 0.2)
    assert (request["max_tokens"], request["reasoning_effort"]) == (500, "low")
    assert names(request) == ["read"]
    assert (turn["agent"], turn["model"]) == ("writer", "w-1")


def test_a_cell_names_its_agent_by_a_line_or_its_metadata(two):
    assert two.ask("%%msg agent=critic\nJudge.")["agent"] == "critic"

    turn = two.ask("Judge.", metadata={"msgbook": {"agent": "critic"}})

    assert (turn["agent"], two.server.requests[-1]["model"]) == ("critic", "c-1")
    assert two.sent()[0]["content"].startswith("You judge.\n\n")


def test_answers_of_another_agent_are_sent_under_its_name(two):
    two.ask("Write.", "A poem.")

    two.ask("%%msg agent=critic\nJudge.")

    assert two.sent()[1:3] == [
        {"role": "user", "content": "Write."},
        {"role": "user", "content": "[writer] A poem."},
    ]


def test_a_temporary_agent_answers_below_its_cell_alone(two):
    unknown = two.ask("%%msg agent=quick\nHi.")
    two.add("%agent new quick models=q-1 temperature=1")
    two.add("%agent default quick")

    known = two.ask("Hi.")

    assert unknown["status"] == "error"
    assert "writer" in unknown["blocks"][-1]["message"]
    assert (known["agent"], known["model"]) == ("quick", "q-1")
    assert two.server.requests[-1]["temperature"] == 1
    assert "%agent" not in str(two.sent())


def test_an_unknown_agent_sends_nothing(two):
    turn = two.ask("%%msg agent=nobody\nHi.")

    assert (turn["status"], two.server.requests) == ("error", [])


def test_an_agent_of_the_project_has_the_body_of_its_file_as_prompt(talk):
    folder = talk.folder / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "tester.md").write_text("---\nmodels: t-1\n---\nYou test.\n")

    talk.ask("%%msg agent=tester\nTest.")

    assert talk.sent()[0]["content"].startswith("You test.\n\n")
    assert talk.server.requests[-1]["model"] == "t-1"


def test_an_agent_of_the_configuration_may_have_a_server_of_its_own(talk, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text(
        f'[providers.first]\nbase_url = "{talk.server.url}"\nalternate = true\n'
        f'[providers.second]\nbase_url = "{talk.server.url}"\nkeep_reasoning = true\n'
        '[agents.far]\nprovider = "second"\nmodels = ["f-1"]\n'
    )
    talk.env = {"MSGBOOK_CONFIG": str(config), "MSGBOOK_MODEL": "m"}
    talk.server.answers = [text("One.", reasoning="Thought."), text("Two.")]

    first = talk.ask("%%msg agent=far\nHi.")
    talk.ask("%%msg agent=far\nAgain.")

    assert (first["provider"], first["model"]) == ("second", "f-1")
    assert talk.sent()[2] == {
        "role": "assistant",
        "content": "One.",
        "reasoning_content": "Thought.",
    }


FINDER = '[agents.finder]\nserver_tools = ["web_search"]\n'


def searches(request):
    return "web_search_options" in request


def test_an_agent_of_the_configuration_lets_the_server_search(talk, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text(FINDER)
    talk.env["MSGBOOK_CONFIG"] = str(config)

    turn = talk.ask("%%msg agent=finder\nWhat is new?")
    talk.ask("What is new?")
    off = {"disabled_tools": ["web_*"]}
    talk.metadata = {"msgbook": off}
    talk.ask("%%msg agent=finder\nAnd now?")

    assert [searches(request) for request in talk.server.requests] == [True, False, False]
    assert talk.server.requests[0]["web_search_options"] == {}
    assert notices(turn) == []


def test_no_notebook_and_no_project_lets_the_server_search(talk):
    folder = talk.folder / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "theirs.md").write_text("---\nserver_tools: web_search\n---\nYou search.\n")
    (talk.folder / ".msgbook" / "config.toml").write_text(
        '[agents.assistant]\nserver_tools = ["web_search"]\n'
    )
    talk.metadata = {"msgbook": {"frontmatter": "agents: {a: {server_tools: [web_search]}}\n"}}
    talk.add("%agent new b models=m server_tools=web_search")

    turns = [talk.ask(f"%%msg agent={name}\nHi.") for name in ("a", "b", "theirs", "assistant")]

    assert [searches(request) for request in talk.server.requests] == [False] * 4
    for name, turn in zip(("a", "b", "theirs"), turns, strict=False):
        words = "server_tools is ignored: only [agents.NAME] of your own msgbook.toml can set it."
        assert f"Agent {name}: {words}" in notices(turn)


SWITCHES = {
    "name": "server_tools: [web_search]",
    "one": "server_tools: web_search",
    "tools": "tools: [web_search]",
    "options": "extra: {web_search_options: {}}",
    "responses": "extra: {tools: [{type: web_search}]}",
    "anthropic": "extra: {tools: [{type: web_search_20250305, name: web_search}]}",
    "plugins": "extra: {plugins: [{id: web}]}",
    "mcp": "extra: {mcp_servers: [{type: url, url: 'http://x', name: x}]}",
    "container": "extra: {container: {skills: [{type: anthropic, skill_id: x}]}}",
    "in a free table": "extra: {thinking: {type: disabled, tools: [{type: web_search}]}}",
    "in a message": "extra: {messages: [{role: user, content: x}], system: x}",
}


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)
def test_no_definition_of_others_adds_what_runs_at_the_server(talk, tmp_path, api, switch):
    config = tmp_path / "msgbook.toml"
    config.write_text(f'[providers.openai]\napi = "{api}"\n[agents.assistant]\ntools = []\n')
    talk.env["MSGBOOK_CONFIG"] = str(config)
    folder = talk.folder / ".msgbook" / "agents"
    folder.mkdir(parents=True)
    (folder / "theirs.md").write_text(f"---\n{switch}\n---\nYou search.\n")
    (folder / "assistant.md").write_text(f"---\n{switch}\n---\nYou search.\n")
    switches = [f"agents: {{{name}: {{{switch}, tools: []}}}}\n" for name in ("a", "assistant")]
    asked = [("a", switches[0]), ("assistant", switches[1]), ("theirs", ""), ("assistant", "")]
    if switch.startswith("tools"):
        asked = asked[2:]  # YAML refuses a key that comes twice

    for name, frontmatter in asked:
        talk.metadata = {"msgbook": {"frontmatter": frontmatter}} if frontmatter else {}
        talk.ask(f"%%msg agent={name} server_tools=web_search\nHi.")

    assert len(talk.server.requests) >= len(asked)
    for request in talk.server.requests:
        tools = [tool.get("name") or tool.get("type") for tool in request.get("tools", [])]
        assert not [name for name in tools if name in ("web_search", "web_search_20250305")]
        unknown = {"web_search_options", "plugins", "mcp_servers", "container"}
        assert not request.keys() & unknown
    talk.server.refused.clear()  # a table of thinking with a key that the API does not know


SEARCHING = [
    "openai/gpt-5.2:online",
    "x:free:Online",
    "chatgpt-4o-latest:online/linkup-deep",
    "openrouter/fusion",
    "sonar-pro",
    "openrouter/perplexity/sonar-reasoning",
    "llama-3.1-sonar-large-128k-online",
    "gpt-4o-mini-search-preview-2025-03-11",
    "gpt-5-search-api",
    "openai/o4-mini-deep-research",
    "groq/compound",
    "compound-beta-mini",
    "qwen3-4b:disable_thinking=true&enable_web_search=auto",
    "jina-deepsearch-v1",
]


def name_model(talk, place: str, model: str) -> str:
    """Let a place of a notebook or its project name a model; the message to ask."""
    quoted = json.dumps(model)
    frontmatter = f"agents: {{a: {{models: [m, {quoted}]}}}}\n"
    if place == "frontmatter":
        talk.metadata = {"msgbook": {"frontmatter": frontmatter}}
    elif place == "metadata":
        talk.metadata = {"msgbook": {"model": model}}
    elif place == "project":
        folder = talk.folder / ".msgbook" / "agents"
        folder.mkdir(parents=True)
        (folder / "theirs.md").write_text(f"---\nmodels: [m, {quoted}]\n---\n")
        return "%%msg agent=theirs\nHi."
    elif place == "temporary":
        talk.add(f"%agent new t models={quoted}")
        return "%%msg agent=t\nHi."
    elif place == "cell":
        talk.add(f"%model {model}")
    elif place == "message":
        return f"%%msg model={quoted}\nHi."
    return "Hi."


PLACES = ("frontmatter", "metadata", "project", "temporary", "cell", "message")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("model", SEARCHING)
def test_no_notebook_and_no_project_names_a_model_that_searches(talk, place, model):
    turn = talk.ask(name_model(talk, place, model))

    assert talk.server.requests == []
    said = message_of(turn)
    assert f"The model {model}, set by " in said
    assert "searches the web by itself" in said
    assert "[agents.NAME]" in said


@pytest.mark.parametrize(
    "model",
    [
        "gpt-4o:online_x",
        "sonar_pro",
        "perplexity_sonar",
        "openrouter/fusion_v2",
        "gpt-5-search-api_eu",
        "o4-mini-deep-research_2025",
        "groq/compound_mini",
        "my_jina-deepsearch_v1",
    ],
)
def test_its_name_ends_before_an_underscore_as_well(talk, model):
    turn = talk.ask(f"%%msg model={model}\nHi.")

    assert talk.server.requests == []
    assert "searches the web by itself" in message_of(turn)


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_searches_answers_where_the_users_configuration_names_it(
    talk, tmp_path, place
):
    config = tmp_path / "msgbook.toml"
    config.write_text('[agents.finder]\nmodels = ["perplexity/sonar", "x:online"]\n')
    talk.env["MSGBOOK_CONFIG"] = str(config)

    turn = talk.ask(name_model(talk, place, "x:online"))

    assert (turn["status"], len(talk.server.requests)) == ("done", 1)


@pytest.mark.parametrize("where", ["variable", "file"])
def test_the_users_own_model_may_search(talk, tmp_path, where):
    config = tmp_path / "msgbook.toml"
    config.write_text('model = "sonar"\n' if where == "file" else "")
    talk.env = {"OPENAI_BASE_URL": talk.server.url, "MSGBOOK_CONFIG": str(config)}
    if where == "variable":
        talk.env["MSGBOOK_MODEL"] = "sonar"

    assert talk.ask("Hi.")["model"] == "sonar"
    assert talk.ask("%%msg model=sonar\nHi.")["status"] == "done"


@pytest.mark.parametrize(
    "model",
    [
        "gpt-5.2",
        "online",
        "deepseek:free",
        "sonarqube-7b",
        "sonar2-7b",
        "x:onlines",
        "tongyi-deepresearch-30b-a3b",
    ],
)
def test_other_models_may_be_named_by_anyone(talk, model):
    assert talk.ask(f"%%msg model={model}\nHi.")["model"] == model


def test_an_agent_of_the_notebook_has_nothing_of_the_users_agent_of_that_name(talk, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text(FINDER)
    talk.env["MSGBOOK_CONFIG"] = str(config)
    talk.metadata = {"msgbook": {"frontmatter": "agents: {finder: {temperature: 1}}\n"}}

    talk.ask("%%msg agent=finder\nHi.")

    assert not searches(talk.server.requests[0])


def test_a_server_that_cannot_search_answers_without_and_the_turn_says_so(talk, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text(FINDER)
    talk.env["MSGBOOK_CONFIG"] = str(config)
    refusal = "Unrecognized request argument supplied: web_search_options"
    talk.server.answers = [error(400, refusal), text("From memory.")]

    turn = talk.ask("%%msg agent=finder\nWhat is new?")

    assert [searches(request) for request in talk.server.requests] == [True, False]
    assert turn["status"] == "done"
    [words] = notices(turn)
    assert "web_search_options" in words


@pytest.mark.parametrize("name", ["theirs", "of-project", "temporary", "mine"])
def test_a_file_that_chooses_another_provider_is_a_notice(talk, tmp_path, name):
    config = tmp_path / "msgbook.toml"
    config.write_text(
        f'[providers.first]\nbase_url = "{talk.server.url}"\n'
        f'[providers.second]\nbase_url = "{talk.server.url}"\n'
        '[agents.mine]\nprovider = "second"\nmodels = ["f-1"]\n'
    )
    talk.env = {"MSGBOOK_CONFIG": str(config), "MSGBOOK_MODEL": "m"}
    theirs = f"default_agent: {name}\nagents:\n  theirs: {{provider: second, models: f-1}}\n"
    talk.metadata = {"msgbook": {"frontmatter": theirs}}
    agents = talk.folder / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "of-project.md").write_text("---\nprovider: second\nmodels: f-1\n---\n")
    talk.add("%agent new temporary provider=second models=f-1")

    turn = talk.ask("Hi.")

    told = [words for words in notices(turn) if "answers through your provider second" in words]
    assert turn["provider"] == "second"
    assert len(told) == (name != "mine")
    assert all("not through first" in words for words in told)


def test_a_server_that_wants_roles_to_alternate_gets_neighbours_as_one(talk, tmp_path):
    config = tmp_path / "msgbook.toml"
    config.write_text(f'[providers.first]\nbase_url = "{talk.server.url}"\nalternate = true\n')
    talk.env = {"MSGBOOK_CONFIG": str(config), "MSGBOOK_MODEL": "m"}
    talk.add("A note.", "markdown")

    talk.ask("And a prompt.")

    assert talk.sent()[1:] == [{"role": "user", "content": "A note.\n\nAnd a prompt."}]


def test_a_file_cannot_lend_an_agent_what_the_user_has_not(talk):
    talk.metadata = {
        "msgbook": {
            "frontmatter": "agents:\n  a:\n    provider: theirs\n    max_steps: 500\n"
            "    mcp_servers: [x]\n    tools: [read, launch]\n    allowed_uris: [/etc]\n"
        }
    }

    turn = talk.ask("Hi.")

    assert turn["status"] == "done"
    said = " ".join(notices(turn))
    for refused in ("theirs", "max_steps", "'x'", "launch", "/etc"):
        assert refused in said
    assert names(talk.server.requests[-1]) == ["read"]


def test_an_agent_reads_without_approval_only_inside_its_allowed_uris(talk):
    (talk.folder / "docs").mkdir()
    (talk.folder / "docs" / "a.txt").write_text("open")
    (talk.folder / "b.txt").write_text("closed")
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a:\n    allowed_uris: [docs]\n"}}
    talk.server.answers = [
        call("read", {"path": "docs/a.txt"}),
        call("read", {"path": "b.txt"}),
        text("Done."),
    ]

    turn = talk.ask("See @[docs/a.txt] and @[b.txt].")

    results = [b["status"] for b in turn["blocks"] if b["type"] == "tool_result"]
    assert results == ["success", "denied"]
    user = next(m for m in talk.sent() if m["role"] == "user")
    assert content_reference(user)["files"] == {"docs/a.txt": "open"}


@pytest.mark.parametrize(("uris", "found"), [(["docs"], {"docs/a.txt"}), ([], set()), (7, set())])
def test_the_metadata_of_the_notebook_narrows_every_agent(talk, uris, found):
    (talk.folder / "docs").mkdir()
    (talk.folder / "docs" / "a.txt").write_text("open")
    (talk.folder / "b.txt").write_text("closed")
    talk.metadata = {"msgbook": {"agent_metadata": {"allowed_uris": uris}}}

    turn = talk.ask("See @[docs/a.txt] and @[b.txt].")

    assert {file["key"] for file in turn["context"].get("files", ())} == found


@pytest.mark.parametrize("uris", [["."], ["./"], ["docs/.."], ["docs", "."]])
def test_the_own_folder_among_allowed_uris_restricts_nothing(talk, uris):
    talk.ask("Hi.")
    talk.metadata = {"msgbook": {"agent_metadata": {"uuid": "u", "allowed_uris": uris}}}
    talk.rerun(0)
    before, after = talk.server.requests
    assert after == before


def test_wrong_properties_are_named_and_the_others_count(talk):
    talk.metadata = {
        "msgbook": {"frontmatter": "agents:\n  a:\n    temperature: hot\n    models: [x-1]\n"}
    }

    turn = talk.ask("Hi.")

    assert turn["model"] == "x-1"
    assert "temperature" in " ".join(notices(turn))


def test_an_agent_is_told_what_it_reads_without_approval_by_names_below_the_notebook(talk):
    (talk.folder / "docs").mkdir()
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a:\n    allowed_uris: [docs/]\n"}}

    talk.ask("Hi.")
    talk.ask("Again.")

    first, second = (talk.sent(number)[0]["content"] for number in (0, 1))
    assert first == second
    assert 'without approval: "docs". Everything else' in first
    assert str(talk.folder) not in first


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("{}", 'without approval: "."'),
        ("{allowed_uris: [docs/in, docs, docs]}", 'without approval: "docs".'),
        ("{allowed_uris: [b, .env, a]}", 'without approval: "a", "b".'),
        ("{allowed_uris: [/etc]}", "any file needs the user's approval"),
        ("{tools: [grep]}", 'without approval: "."'),
    ],
)
def test_folders_are_told_in_one_spelling(talk, agent, told):
    talk.metadata = {"msgbook": {"frontmatter": f"agents:\n  a: {agent}\n"}}

    talk.ask("Hi.")

    assert told in talk.sent()[0]["content"]


@pytest.mark.parametrize("agent", ["{tools: []}", "{tools: [shell, write]}"])
def test_an_agent_that_cannot_read_is_told_no_folders(talk, agent):
    talk.metadata = {"msgbook": {"frontmatter": f"agents:\n  a: {agent}\n"}}

    talk.ask("Hi.")

    assert "approval" not in talk.sent()[0]["content"]


def test_no_folder_is_told_where_the_notebook_lies_in_the_home_directory_itself(talk, monkeypatch):
    monkeypatch.setenv("HOME", str(talk.folder))

    talk.ask("Hi.")

    assert "any file needs the user's approval" in talk.sent()[0]["content"]


@pytest.mark.parametrize(("parent", "told"), [("4f1c", True), (None, False), (["x"], False)])
def test_a_sub_agent_is_told_that_it_is_one(talk, parent, told):
    talk.metadata = {"msgbook": {"agent_metadata": {"parent_agent_id": parent}}}

    talk.ask("Hi.")

    assert ("You are a sub-agent" in talk.sent()[0]["content"]) is told


def unknown(model: str) -> Answer:
    return error(404, f"The model `{model}` does not exist.")


def test_the_next_model_answers_where_the_server_does_not_know_the_one_before(talk):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a: {models: [x-1, x-2, x-3]}\n"}}
    talk.server.answers = [
        unknown("x-1"),
        unknown("x-2"),
        call("read", {"path": "a.txt"}),
        text("Done."),
    ]

    turn = talk.ask("Hi.")

    asked = [request["model"] for request in talk.server.requests]
    assert (turn["status"], turn["model"]) == ("done", "x-3")
    assert asked == ["x-1", "x-2", "x-3", "x-3"]
    assert len({str(request["messages"]) for request in talk.server.requests[:3]}) == 1
    assert [words.partition(".")[0] for words in notices(turn)] == [
        "The server does not know the model x-1; x-2 is asked instead",
        "The server does not know the model x-2; x-3 is asked instead",
    ]


def test_a_summary_is_made_by_the_model_that_the_server_knows(talk):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a: {models: [x-1, x-2]}\n"}}
    talk.add("A long note.", "markdown", metadata={"msgbook": {"history": "summary"}})
    talk.server.answers = [unknown("x-1"), text("Short."), text("Done.")]

    turn = talk.ask("Hi.")

    asked = [request["model"] for request in talk.server.requests]
    assert (turn["status"], turn["model"], asked) == ("done", "x-2", ["x-1", "x-2", "x-2"])
    assert sum("does not know the model x-1" in words for words in notices(turn)) == 1


def test_a_model_that_a_cell_names_has_no_alternatives(talk):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a: {models: [x-1, x-2]}\n"}}
    talk.server.answers = [unknown("y")]

    turn = talk.ask("%%msg model=y\nHi.")

    assert (turn["status"], turn["model"], len(talk.server.requests)) == ("error", "y", 1)


def test_an_error_about_several_models_lists_all(talk):
    talk.metadata = {"msgbook": {"frontmatter": "agents:\n  a: {models: [x-1, x-2]}\n"}}
    talk.server.answers = [unknown("x-1"), unknown("x-2")]

    turn = talk.ask("Hi.")

    assert "knows none of the models x-1, x-2." in turn["blocks"][-1]["message"]


def message_of(turn):
    assert turn["status"] == "error"
    return turn["blocks"][-1]["message"]


def test_an_error_about_a_model_names_what_sets_it(talk, tmp_path):
    """It is a cell, its line or metadata, an agent and where that is defined, or a setting."""
    talk.server.answers = [unknown("x")]
    agents = talk.folder / ".msgbook" / "agents"
    agents.mkdir(parents=True)
    (agents / "of-project.md").write_text("---\nmodels: x\n---\n")
    config = tmp_path / "msgbook.toml"
    server = f'[providers.first]\nbase_url = "{talk.server.url}"\n'
    config.write_text(f'model = "x"\n{server}[agents.mine]\nmodels = ["x"]\n')
    talk.env = {"MSGBOOK_CONFIG": str(config)}
    talk.metadata = {
        "msgbook": {"frontmatter": "title: T\nagents:\n  plain: {}\n  a: {models: x}\n"}
    }

    for source, place in [
        ("%%msg model=x\nHi.", "the %%msg line of this cell"),
        ("%%msg agent=a\nHi.", "the agent a in the frontmatter of chat.msg.md, line 5"),
        ("%%msg agent=of-project\nHi.", ".msgbook/agents/of-project.md"),
        ("%%msg agent=mine\nHi.", "the agent mine in msgbook.toml"),
        ("Hi.", "model of msgbook.toml"),
    ]:
        assert f"'x', set by {place};" in message_of(talk.ask(source))
    by_metadata = talk.ask("Hi.", metadata={"msgbook": {"model": "x"}})
    assert "'x', set by model= of this cell;" in message_of(by_metadata)
    made = talk.add("%agent new x")
    assert f"cell {len(talk.cells)} [{made['id']}] (%agent new x);" in message_of(
        talk.ask("%%msg agent=x\nHi.")
    )
    chosen = talk.add("%model x")
    assert f"cell {len(talk.cells)} [{chosen['id']}] (%model x);" in message_of(talk.ask("Hi."))
    talk.cells = []
    talk.env = {"OPENAI_BASE_URL": talk.server.url, "MSGBOOK_MODEL": "x"}
    assert "'x', set by MSGBOOK_MODEL;" in message_of(talk.ask("Hi."))
    talk.env = {"OPENAI_BASE_URL": talk.server.url}
    assert "'scripted', set by the server, which lists no other;" in message_of(talk.ask("Hi."))
