"""Project rules are sent where they first apply; skills are in the system message."""

from __future__ import annotations

from talk import content_reference, notices


def rules_of(message):
    return content_reference(message).get("rules")


def test_rules_are_sent_once_and_again_when_they_change(talk):
    (talk.folder / "AGENTS.md").write_text("Be brief.")
    for prompt in ("One.", "Two."):
        talk.ask(prompt)
    (talk.folder / "AGENTS.md").write_text("Be kind.")
    talk.ask("Three.")

    users = [m for m in talk.sent() if m["role"] == "user"]
    said = [rules_of(m) if "<content_reference>" in m["content"] else None for m in users]
    assert said[0] == [{"name": "AGENTS.md", "content": "Be brief."}]
    assert said[1] is None
    assert said[2] == [{"name": "AGENTS.md", "content": "Be kind."}]


def test_rules_may_use_macros_and_files(talk):
    rules = talk.folder / ".msgbook" / "rules"
    rules.mkdir(parents=True)
    (rules / "style.md").write_text(
        "Write {{LANG}}. See @[guide.txt].\n<!-- @ifdef X -->no<!-- @endif -->"
    )
    (talk.folder / "guide.txt").write_text("Short lines.")

    talk.ask("#define LANG French\nHello.")

    found = content_reference(talk.sent()[-1])
    assert found["rules"][0]["content"].startswith("Write French.")
    assert "no" not in found["rules"][0]["content"].split("txt]")[1]
    assert found["files"] == {"guide.txt": "Short lines."}


def test_a_notebook_may_use_some_rules_alone(talk):
    rules = talk.folder / ".msgbook" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.md").write_text("A")
    (rules / "b.md").write_text("B")
    talk.metadata = {"msgbook": {"rules": ["b.md", "c.md"]}}

    turn = talk.ask("Hello.")

    assert [r["name"] for r in rules_of(talk.sent()[-1])] == ["b.md"]
    assert "c.md" in " ".join(notices(turn))


def test_the_system_message_lists_the_skills_in_use(talk):
    for name in ("plots", "mail"):
        folder = talk.folder / ".agents" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n---\nDo.")
    talk.metadata = {"msgbook": {"skills": ["plots"]}}

    talk.ask("Hello.")

    system = talk.sent()[0]["content"]
    assert ".agents/skills/plots/SKILL.md" in system
    assert "mail" not in system
