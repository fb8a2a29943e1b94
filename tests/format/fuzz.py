"""The long run: generated notebooks, and as many damaged texts, through the laws of the format.

    python -m format.fuzz 5000              # seeds 0 to 4999, in two processes
    python -m format.fuzz 1 --start 1234    # one seed again

The seed of each failure is printed with its error.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

from msgbook_format import reads, writes

from . import generate, generated_texts, laws

TOO_LONG = 120
"""Seconds for one seed, after which the run prints where it hangs and ends."""

_HERE = Path(__file__).parent
_CHUNK = 250


def sources() -> dict[str, str]:
    """The texts that get damaged, by name: the fixtures, the conformance suite and foreign files."""
    folders = ("fixtures/*.md", "conformance/[0-9]*.md", "corpus/seed004/*.md")
    paths = sorted(path for folder in folders for path in _HERE.glob(folder))
    return {path.name: path.read_bytes().decode() for path in paths}


def check_notebook(seed: int) -> None:
    """The laws of notebooks, and that an answer added to one is one hunk."""
    random = Random(f"notebook {seed}")
    nb = generate.notebook(random)
    laws.assert_notebook_laws(nb)
    check_answer(random, writes(nb))
    check_edit(random, writes(nb))


def check_text(seed: int, texts: list[str]) -> None:
    """The laws of texts, for a damaged one."""
    random = Random(f"text {seed}")
    kind = random.randint(0, 3)
    if kind == 0:
        text = generated_texts.text(random)
    else:
        whole = random.choice(texts) if kind == 1 else writes(generate.notebook(random))
        text = generated_texts.damage(random, whole, texts)
    laws.assert_text_laws(text)
    laws.assert_content_survives(text)
    check_answer(random, text)
    check_edit(random, text)


def check_answer(random: Random, text: str) -> None:
    """Law 2: a prompt of `text` is answered, and no other line changes.

    Where the last line has no end, it gets one with what follows, and that is a change.
    """
    nb = reads(text)
    places = laws.unanswered(nb)
    if places and text.endswith("\n"):
        laws.answer(nb, random.choice(places), generate.turn_output(random))
        laws.assert_one_insertion(text, writes(nb))
    places = laws.answered(nb)
    if places and text.endswith("\n"):
        longer = reads(text)
        laws.add_output(longer, random.choice(places), generate.turn_output(random))
        laws.assert_one_insertion(text, writes(longer))


def check_edit(random: Random, text: str) -> None:
    """One cell of `text` gets another source, and no line but of its body changes."""
    nb = reads(text)
    places = laws.editable(nb, text)
    if places and text.endswith("\n"):
        place = random.choice(places)
        laws.edit_source(nb, place)
        laws.assert_only_body_changes(text, writes(nb), nb, place)


def run(seeds: range) -> tuple[list[str], tuple[float, str]]:
    """Failures of these seeds, and what took longest."""
    failures: list[str] = []
    slowest = (0.0, "")
    texts = list(sources().values())
    for seed in seeds:
        for name, check in (
            ("notebook", partial(check_notebook, seed)),
            ("text", partial(check_text, seed, texts)),
        ):
            faulthandler.dump_traceback_later(TOO_LONG, exit=True)
            start = time.perf_counter()
            try:
                check()
            except Exception:  # a broken law and a bug are failures alike
                failures.append(f"{name} of seed {seed}\n{traceback.format_exc(limit=-4)}")
            slowest = max(slowest, (time.perf_counter() - start, f"{name} of seed {seed}"))
    faulthandler.cancel_dump_traceback_later()
    return failures, slowest


def chunks(start: int, count: int) -> Iterator[range]:
    for first in range(start, start + count, _CHUNK):
        yield range(first, min(first + _CHUNK, start + count))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m format.fuzz")
    parser.add_argument("count", type=int, help="how many notebooks, and how many texts")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    begin = time.monotonic()
    failures: list[str] = []
    slowest = (0.0, "")
    reads("")
    with ProcessPoolExecutor(options.processes) as pool:
        for found, slow in pool.map(run, chunks(options.start, options.count)):
            slowest = max(slowest, slow)
            failures += found
            for failure in found:
                print(failure, flush=True)
    seconds = time.monotonic() - begin
    print(
        f"{options.count} notebooks and {options.count} texts from seed {options.start}: "
        f"{len(failures)} failures in {seconds:.0f} s, slowest {slowest[0]:.2f} s ({slowest[1]})"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
