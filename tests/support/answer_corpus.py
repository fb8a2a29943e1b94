r"""Answers as models write them: the rows of a table, alone and several in one text.

    python tests/support/answer_corpus.py

writes `tests/format/turn/fixtures/answers.json`, which the tests of the page read as well. Each row has
what the reader must find in it, so that the outlines in the file are not merely what was once made.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

FILE = Path(__file__).parents[1] / "format" / "turn" / "fixtures" / "answers.json"


class Piece(NamedTuple):
    """A part of an answer."""

    text: str
    found: dict[str, int]
    """How many the reader finds: `$` and `$$` formulas, tables, items, code, links and so on."""


def _pieces() -> list[Piece]:
    rows: list[Piece] = []

    def add(text: str, **found: int) -> None:
        names = {
            "f": "<$>",
            "d": "<$$>",
            "table": "<table>",
            "row": "<tr>",
            "li": "<li>",
            "pre": "<pre>",
        }
        names |= {
            "a": "<a ",
            "code": "<code>",
            "br": "<br>",
            "task": "<o>",
            "done": "<x>",
            "sup": "<sup>",
        }
        names |= {"sub": "<sub>", "kbd": "<kbd>", "details": "<details>", "quote": "<blockquote>"}
        names |= {
            "strong": "<strong>",
            "em": "<em>",
            "strike": "<del>",
            "ol": "<ol>",
            "hr": "<hr>",
            "img": "<img>",
        }
        names |= {"h2": "<h2>", "h3": "<h3>"}
        rows.append(Piece(text, {names[name]: count for name, count in found.items()}))

    # Formulas within a line.
    for tex in (
        "x",
        "a^2 + b^2 = c^2",
        r"\alpha",
        r"\frac{a}{b}",
        r"\sqrt{2}",
        r"x_{i,j}",
        r"\{1, 2\}",
        r"O(n \log n)",
        r"f\colon A \to B",
        r"\text{if } x > 0",
        r"|x| < 1",
        r"\|v\|_2",
        r"p(y \mid x)",
        r"n!",
        r"\mathbb{R}^n",
        "a < b",
    ):
        add(f"We know that ${tex}$ holds.", f=1)
        add(f"So \\({tex}\\), and \\( {tex} \\) again.", f=2)
    # Formulas of their own.
    for tex in (
        r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
        r"\sum_{k=1}^{n} k = \frac{n(n+1)}{2}",
        r"\begin{aligned} a &= b + c \\ &= d \end{aligned}",
        r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}",
        r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
        r"E = mc^2 \tag{1}",
        r"\boxed{x = 42}",
        r"\operatorname*{arg\,max}_\theta \mathcal{L}(\theta)",
    ):
        add(f"Then\n\n$$\n{tex}\n$$\n\nfollows.", d=1)
        add(f"Then\n\\[\n{tex}\n\\]\nfollows.", d=1)
        add(f"In a line \\[ {tex} \\] it stands alone.", d=1)
        add(f"In a line $${tex}$$ it stands alone.", d=1)
    for name in ("aligned", "gathered", "align", "align*", "equation", "gather"):
        add(f"\\begin{{{name}}}\na = b \\\\\nc = d\n\\end{{{name}}}", d=1)
    add("The sum\n\\[\na\n+ b\n- c\n= d\n\\]\nis\n\\( x\n+ y \\) at last.", d=1, f=1)
    add("It is \\( a\n= b \\) here.\n\n- one\n- two", f=1, li=2)
    add("1. First \\(x\\):\n   \\[\n   y = x\n   \\]\n2. Second $z$", d=1, f=2, li=2)
    add("> As he said,\n> $$\n> e = 1\n> + 2\n> $$", d=1, quote=1)
    add("**Note $x$** and *that $y$* and ~~$z$~~", f=3, strong=1, em=1, strike=1)
    add('The $n$th term, the $x$-axis ($y$), "$z$", $a$, $b$.', f=6)
    # Money and other dollars.
    for text in (
        "It is $5 to $10 per month.",
        "Apples cost $2, pears $3.",
        "costs $5 and $10 ok",
        "A $20 bill and $1,000.50 more.",
        "US$5, C$6 and A$7",
        "between $3-$4 or $5/$6",
        "set $HOME and $PATH",
        "$ 5 and 6 $",
        "It is \\$5 and \\$6.",
        "You pay 5 $ or 6 $.",
        "$1M–$2M in sales",
        "**$5** or **$10**",
        "Only $5.",
        "from $0.02/1K to $0.06/1K tokens",
        "see $HOME/$USER, $HOME:$PATH and ${A}/${B}",
        "共$5元和$6元",
        'cp "$dir"/"$file" $HOME$USER',
    ):
        add(text, f=0, d=0)
    add("price=$5; cost=$x$", f=1)
    add("共$5元和$x$元", f=1)
    add("花了$3，是$x$的，$\\text{速度}v$快", f=2)
    add("It is $`a_1`$ of $`b`$, not $`c`$5 or `$x`.", f=2, code=2)
    add("Then\n\n$$\na = b\n\n+ c\n$$\n\nfollows.", d=1)
    add("\\begin{align}\na &= b \\\\\n\nc &= d\n\\end{align}", d=1)
    add("\\[\na\n\n= b\n\\]", d=1)
    add("- one\n\n  $$\n  a\n\n  b\n  $$", li=1, d=1)
    add("$$\nno formula\n\n- an item\n\n$$", d=0, li=1)
    add("```math\na = b\n\n+ c\n```", d=1, pre=0)
    add("```math\n```", pre=1)
    add("1. Step\n   ```math\n   x\n   ```", li=1, d=1)
    add("- Tea: $3\n- Coffee: $4\n- Cake: $5", li=3, f=0)
    add("1. $5\n2. $6", li=2, f=0)
    add("Costs $5 where $x$ is 1 and \\(y\\) is $6.", f=2)
    add("Use `$x$` or `\\(y\\)` for a formula, `$$z$$` alone.", f=0, d=0, code=3)
    add("```latex\n$x$ \\(y\\) \\[z\\]\n```", pre=1, f=0, d=0)
    add("    $x$ and \\(y\\)", pre=1, f=0)
    # Tables.
    add("| a | b |\n| --- | ---: |\n| 1 | 2 |", table=1, row=2)
    add(
        "| left | middle | right |\n|:---|:---:|---:|\n| `a` | **b** | c |\n| d | e | $5 |",
        table=1,
        row=3,
        f=0,
    )
    add("| $5 | $6 |\n| --- | --- |\n| $7 | $8 |", table=1, row=2, f=0)
    add("a | b\n--- | ---\n1 | 2", table=1, row=2)
    add("|$a|$b|\n|---|---|\n|5$|6$|\n|$P(A|B)$|$|x|$|", table=1, row=3, f=2)
    add(
        "| norm | value |\n| --- | --- |\n| $|x|$ | $\\|x\\|_2$ |\n| \\(|y|\\) | $P(A|B)$ |",
        table=1,
        row=3,
        f=4,
    )
    add(
        "| operator | meaning |\n| --- | --- |\n| `x|y` | or |\n| `x \\| y` | or |\n| a \\| b | pipe |",
        table=1,
        row=4,
        code=2,
    )
    add("| `a|b` | c |\n|---|---|\n| d | e |", table=1, row=2, code=1)
    add(
        "| a | b |\n| - | - |\n| x<br>y | H<sub>2</sub>O<br/>m<sup>2</sup> |",
        table=1,
        br=2,
        sub=1,
        sup=1,
    )
    add(
        "| name | link |\n| --- | --- |\n| [x](https://example.org/x) | https://example.org/y |",
        table=1,
        a=2,
    )
    add("Words before\n| a | b |\n|---|---|\n| 1 | 2 |\n\nand after", table=1)
    add("| only one |\n| --- |\n| x |", table=1, row=2)
    add("- item\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |", table=1, li=1)
    # Lists.
    add("- a\n  - b\n    - c\n- d", li=4)
    add("1. a\n   - b\n   - c\n2. d\n\n   More of d.", li=4, ol=1)
    add("3. three\n4. four", li=2, ol=1)
    add("* star\n* star", li=2)
    add("- [ ] to do $x$\n- [x] **done**\n- [X] `done`\n- [y] neither", li=4, task=1, done=2, f=1)
    add("1. [ ] first\n2. [x] second", li=2, task=1, done=1)
    add("- loose\n\n- list", li=2)
    add("Words, then\n- an item\n- another", li=2)
    add(
        "1. Install:\n   ```bash\n   pip install x\n   ```\n2. Run:\n\n       x --help\n",
        li=2,
        pre=2,
    )
    add("- code\n  ```python\n  def f(x):\n\n      return x\n  ```\n- end", li=2, pre=1)
    add("> - quoted\n> - list", quote=1, li=2)
    # Code.
    add('```python\nprint("$5 <b> | x")\n```', pre=1)
    add("```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n```", pre=1)
    add("```mermaid\ngraph TD\n  A[Start] --> B{Is it?}\n```", pre=1)
    add("````markdown\n```python\nx\n```\n````", pre=1)
    add("~~~\nno language\n~~~", pre=1)
    add("```unheard-of\nx < y && z\n```", pre=1)
    add("```c++\nstd::vector<int> v;\n```", pre=1)
    add('```json {"a": 1}\n{}\n```', pre=1)
    add("Use ``a ` b`` and `List<String>`.", code=2)
    add("```\nopen to the end", pre=1)
    # Other scripts.
    add("根据公式 $E=mc^2$，能量为 \\(E\\)。价格是 $5 到 $10。", f=2)
    add("**注意：** 请看 [文档](https://example.org/文档)。", strong=1, a=1)
    add("| 名称 | 价格 |\n| --- | ---: |\n| 茶 | $3 |", table=1, f=0)
    add("مرحبا $x$ والسعر $5 و $6.", f=1)
    add("- שלום\n- עולם `x`", li=2, code=1)
    add("これは~~古い~~新しい *語* です。", strike=1, em=1)
    add("한국어 \\(x\\) 텍스트 🙂 👩‍👩‍👧", f=1)
    # Emphasis beside punctuation, in scripts without blanks between words.
    add("这是**“重点”**的内容，**注意：**请看**（附注）**。", strong=3)
    add("- **《书名》：**好书\n- **C++**语言和**100%**的", li=2, strong=3)
    add("変数**`x`**と**$y$**と*「語」*を使う。", strong=2, em=1, code=1, f=1)
    add("**한국어(Korean)**는 ~~“옛말”~~이다.", strong=1, strike=1)
    add("的**[文档](https://example.org/)**与**𠮷。**字，5 * 3 * 2 和 **未完", strong=2, em=0, a=1)
    add("| 列 |\n| --- |\n| **值（元）**为$5 |", table=1, strong=1, f=0)
    # Bits of HTML.
    add(
        "H<sub>2</sub>O and x<sup>2</sup>, press <kbd>Ctrl</kbd>+<kbd>C</kbd>.<br>Next line",
        sub=1,
        sup=1,
        kbd=2,
        br=1,
    )
    add("An open <sub> and a lone </sup> are text.", sub=0, sup=0)
    add("**<sub>x** y</sub>", sub=0)
    add("Use a <div> or List<String> or <think>.", code=0)
    add("<script>alert(1)</script> <img src=x onerror=alert(1)>", img=0)
    add("<sub onclick=\"x\">a</sub> <br class=x> <kbd style='x'>b</kbd>", sub=0, kbd=0, br=0)
    add("<details>\n<summary>More</summary>\n\n- a **b** $x$\n\n</details>", details=1, li=1, f=1)
    add("<details><summary>Answer</summary>\n\n42\n\n</details>\n\nafter", details=1)
    add("<details open>\n<summary class='x'>More</summary>\n\ntext\n\n</details>", details=1)
    add('<details open=""><summary><b>Answer</b></summary>\n\n42\n\n</details>', details=1)
    add("<details>\n\nnever closed", details=0)
    add("closed never opened\n\n</details>", details=0)
    add("<!-- a comment --> after", br=0)
    add("a<b and c>d & e&lt;f &copy; 5 < 6", sub=0)
    # Footnotes and links.
    add("A claim[^1].\n\n[^1]: Its source.\n[^2]: Nobody refers to *this*.", sup=1, ol=1, em=1)
    add("[^x]: Alone, with a [link](https://example.org/).", a=1, sup=0)
    add(
        "见https://example.org/a，好。看 https://example.org/b。后（https://example.org/c）、https://example.org/文档！",
        a=4,
    )
    add("A claim[^1] and another[^b].\n\n[^1]: The *source*.\n[^b]: Two words.", sup=2, ol=1, li=2)
    add("No note [^9] for this, x^[2].", sup=0)
    add("See https://example.org/a_b?c=d, http://localhost:8888/lab and www.example.org/x.", a=3)
    add("Write to me@example.org, or run script.py in README.md.", a=1)
    add("<https://example.org> and <me@example.org>", a=2)
    add('[text](https://example.org "title"), [ref][r], [r].\n\n[r]: https://example.org/r', a=3)
    add("[bad](javascript:alert(1)) [worse](data:text/html,x) [rel](notes/a.md#b)", a=1)
    add("![remote](https://example.org/p.png) ![file](p.png)", a=2, img=0)
    add("![dot](data:image/png;base64,iVBORw0KGgo=)", img=1)
    add("![x](data:image/svg+xml;base64,PHN2Zz4=)", img=0)
    # The rest.
    add("## Heading $x$ for $5", h2=1, f=1)
    add("### 1. `code` **bold**", h3=1, code=1, strong=1)
    add("Title\n-----\n\ntext\n\n---\n\nmore", h2=1, hr=1)
    add("> quote\n>\n> > deeper $x$", quote=2, f=1)
    add("line one  \nline two\\\nline three", br=2)
    add("*a* **b** ***c*** ~~d~~ _e_ __f__ snake_case_word 2*3*4", strike=1)
    add("\\*not emphasis\\* and \\[1\\](not a link) \\# x", em=0, d=0)
    add("Array a[0](x) and \\\\(y\\\\) and \\\\[z\\\\]", f=1, d=1)
    add("#define x\n#1 thing", h2=0)
    add("50% of $x$ & 3 ~ 4 ~ 5", f=1, strike=0)
    add("\\(\\) and $$$$ and \\[ \\] and $ $ are empty.", f=0, d=0)
    add("\\( never closed\n\nand \\[ neither", f=0, d=0)
    add("- \\( open\n- in two items \\)", li=2, f=0)
    return rows


PIECES = _pieces()
TOGETHER = 140
"""Number of answers that hold several rows."""


def texts() -> list[tuple[str, list[Piece]]]:
    """Return the answers, each with the rows that it consists of."""
    answers = [(piece.text, [piece]) for piece in PIECES]
    chosen = random.Random(1)  # the same answers each time
    plain = [
        p
        for p in PIECES
        if "never" not in p.text and "open to the end" not in p.text and "[^" not in p.text
    ]
    for _ in range(TOGETHER):
        rows = chosen.sample(plain, chosen.randint(2, 5))
        # A list takes an item or a block that is indented into it.
        text = "\n\nAnd so on.\n\n".join(row.text for row in rows)
        answers.append((text, rows))
    answers += [(piece.text, [piece]) for piece in _whole_answers()]
    return answers


def _whole_answers() -> list[Piece]:
    """Return answers of several parts, as they came."""
    return [
        Piece("Water costs $1,000 per m$^3$ and we need 10$^{-3}$ of it.", {"<$>": 2}),
        Piece("We sell H$_2$O at $5 a kg$^{-1}$; CO$_2$ is $3.", {"<$>": 3}),
        Piece("Set $MY_HOME$OTHER, but H$_2$SO$_4$.", {"<$>": 2}),
        Piece("It broke off:\n\n```python\ndef g():\n    return 1", {"<pre>": 1, "~~~": 0}),
        Piece(
            "1. For \\( x > 0 \\):\n   \\[\n   f'(x) = 1\n   \\]\n2. At zero\n   $$\\lim_{h \\to 0} h$$\n"
            "   there is $5 left.\n\n   | x | $P(A|B)$ |\n   |---|--:|\n   | `a\\|b` | $3 |",
            {"<li>": 2, "<$>": 2, "<$$>": 2, "<table>": 1, "<code>": 1},
        ),
        Piece(
            "- item\n  > quote with `code`\n  >\n  > ```js\n  > const a = `${b}`;\n  > ```\n- last: "
            "**[link](https://example.org)**",
            {"<li>": 2, "<blockquote>": 1, "<pre>": 1, "<a ": 1, "<strong>": 1},
        ),
        Piece(
            "| a[^1] | b |\n|---|---|\n| 1 | **２**[^2] |\n\n[^1]: first\n[^2]: $5\n    more",
            {"<table>": 1, "<sup>": 2, "<strong>": 1, "<$>": 0},
        ),
        Piece(
            'هذا نص مع **كلمة** و $x+y=z$ و `print("مرحبا")`.\n\n1. أولاً\n2. ثانياً $5',
            {"<strong>": 1, "<$>": 1, "<code>": 1, "<li>": 2},
        ),
    ]


def counted(rows: list[Piece]) -> dict[str, int]:
    """Return the least number of each thing that a reader finds in an answer."""
    least: dict[str, int] = {}
    for row in rows:
        for mark, count in row.found.items():
            least[mark] = least.get(mark, 0) + count
    return least


def read_answers() -> list[dict[str, Any]]:
    """Return the answers of the file: `text` and `outline`."""
    answers: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return answers


def main() -> None:
    """Write the file."""
    from outline import outline

    from msgbook_format.exporters import markdown_to_html

    made = [{"text": text, "outline": outline(markdown_to_html(text))} for text, _ in texts()]
    FILE.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
