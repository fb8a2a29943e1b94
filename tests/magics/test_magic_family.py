"""msgbook's own line magics, as one family."""

from __future__ import annotations

import inspect

from command import with_settings
from scripted_server import text

from msgbook.cli.run import run_file
from msgbook.kernel.assist.complete import next_words
from msgbook.magics import find_function
from msgbook.magics.overview import HELP
from msgbook.notebook.magics_table import LINE_MAGICS, OWN_MAGICS


def test_what_is_taken_for_a_magic_is_one_that_runs_and_help_names_it():
    assert len(OWN_MAGICS) == len(LINE_MAGICS)
    assert all(inspect.iscoroutinefunction(find_function(magic)) for magic in LINE_MAGICS)
    assert all(f"\n{magic.name}" in HELP for magic in LINE_MAGICS)


def test_a_form_of_a_magic_is_completed_word_by_word_and_fits_what_it_takes():
    for magic in LINE_MAGICS:
        for form in magic.forms:
            words = form.written.removesuffix(" ...").split()
            assert all(words[n] in next_words(words[:n]) for n in range(1, len(words)))
            assert magic.most_words is None or len(words) - 1 <= magic.most_words


def test_the_word_before_dots_is_completed_again():
    assert next_words(["%macros", "-d", "A", "B"]) == ["MACRO"]
    assert next_words(["%display", "text"]) == next_words(["%time"]) == []


def test_a_run_without_a_kernel_follows_agents_and_names_no_magic_as_code(server, tmp_path, capsys):
    server.answers = [text("Yes.")]
    path = tmp_path / "chat.msg.md"
    cells = [
        "%agent new fast models=small temperature=0",
        "%agent default fast",
        "%rules",
        "%prune",
    ]
    blocks = [
        f"# %% [^c{n}]\n\n[^c{n}]: [code]\n\n```ipython\n{c}\n```\n" for n, c in enumerate(cells)
    ]
    path.write_text("\n".join([*blocks, "# %% [^q]\n\nHi\n"]))

    assert with_settings(server, run_file, path) == 0

    [request] = server.requests
    assert (request["model"], request["temperature"]) == ("small", 0)
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert "not run" not in capsys.readouterr().err
