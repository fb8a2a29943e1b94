"""The comparison of several models as one HTML page, which loads nothing and runs nothing."""

from __future__ import annotations

from html import escape

from msgbook.cli.many.comparison import Comparison, ModelAnswer, Numbers
from msgbook.text import counted
from msgbook_format.exporters import markdown_to_html

_HEAD = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="generator" content="msgbook comparison">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }}
body {{ margin: 1rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
.wide > table > * > tr > * {{ border: 1px solid #8886; padding: .5rem .75rem; text-align: left; vertical-align: top;
  min-width: 18rem; max-width: 40rem; overflow-wrap: anywhere; }}
.wide > table > * > tr > :first-child {{ min-width: 10rem; max-width: 20rem; }}
/* A formula or a table that is wider than its cell would show in the cell of another model. */
.text {{ overflow: auto; }}
.text :is(td, th) {{ border: 1px solid #8886; padding: .2rem .4rem; }}
pre {{ white-space: pre-wrap; background: #8882; padding: .5rem; }}
img {{ max-width: 100%; }}
small {{ opacity: .75; }}
p:first-child {{ margin-top: 0; }}
</style>
</head>
<body>
"""


def is_comparison_page(data: bytes) -> bool:
    """Return whether a file is a page that `comparison_page` has made."""
    return data.startswith(_HEAD.partition("<title>")[0].encode())


def comparison_page(comparison: Comparison) -> str:
    """Return the page: a row for each prompt, a column for each model."""
    title = escape(f"{comparison.file}: {counted(len(comparison.models), 'model')}")
    heads = "".join(
        f'<th scope="col">{escape(one.model)}<br><small>{escape(one.status)} · {_shown(one.numbers)}'
        f"</small></th>"
        for one in comparison.models
    )
    rows = "\n".join(
        f'<tr><th scope="row" dir="auto">{_text(row.prompt)}</th>'
        + "".join(map(_cell, row.answers))
        + "</tr>"
        for row in comparison.prompts
    )
    return (
        f'{_HEAD.format(title=title)}<h1>{title}</h1>\n<div class="wide"><table>\n'
        f"<thead><tr><th></th>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>\n</body>\n</html>\n"
    )


def _cell(answer: ModelAnswer) -> str:
    other = f" · {escape(answer.answered_model)}" if answer.answered_model else ""
    status = "" if answer.status == "done" else f"{escape(answer.status)} · "
    numbers = f"<small>{status}{_shown(answer.numbers)}{other}</small>"
    return f'<td dir="auto">{_text(answer.text)}{numbers}</td>'


def _text(markdown: str) -> str:
    return f'<div class="text">{markdown_to_html(markdown)}</div>'


def _shown(numbers: Numbers) -> str:
    def number(value: float | None, form: str) -> str:
        return "?" if value is None else format(value, form)

    words = [
        f"{number(numbers.input_tokens, ',')} + {number(numbers.output_tokens, ',')} tokens",
        f"{number(numbers.seconds, ',.1f')} s",
    ]
    if numbers.cost is not None:
        words.append(f"cost {numbers.cost:,.4f}")
    return " · ".join(words)
