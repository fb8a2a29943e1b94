"""Ten notebooks of the kinds that people publish, as the sources of their cells."""

from __future__ import annotations

NOTEBOOKS: dict[str, tuple[str, ...]] = {
    "a table": (
        "import pandas as pd\n\npd.set_option('display.max_rows', 8)",
        "frame = pd.DataFrame({'city': list('abcabc'), 'year': [1, 1, 1, 2, 2, 2], 'rain': range(6)})\nframe",
        "frame.describe()",
        "frame.pivot_table(index='city', columns='year', values='rain')",
        "frame.groupby('city')['rain'].agg(['mean', 'max']).style.highlight_max().to_latex()",
        "frame.loc[frame.rain > 10]",
        "frame['nothing']",
        "frame.info()",
    ),
    "plots": (
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nimport numpy as np",
        "x = np.linspace(0, 6, 50)\nplt.plot(x, np.sin(x))\nplt.title('A sine')\nplt.show()",
        (
            "fig, axes = plt.subplots(1, 2, figsize=(5, 2))\naxes[0].bar(range(3), [3, 1, 2])\n"
            "axes[1].hist([1, 2, 2, 3], bins=3);"
        ),
        "%config InlineBackend.figure_formats = ['svg']\nplt.rcParams['svg.hashsalt'] = 'same'",
        "fig",
        "plt.gcf().get_axes()",
    ),
    "symbols": (
        "from sympy import *\ninit_printing()\nx, y = symbols('x y')",
        "expand((x + y) ** 3)",
        "Integral(sqrt(1 / x), x)",
        "Eq(Integral(sqrt(1 / x), x), integrate(sqrt(1 / x), x))",
        "solve(x**2 - 2, x)",
        "Matrix([[1, x], [y, 2]])",
        "factor(x**2 - y**2), diff(sin(x) * exp(x), x)",
    ),
    "awaited cells": (
        "import asyncio",
        "async def double(n):\n    await asyncio.sleep(0)\n    return 2 * n",
        "await double(4)",
        "await asyncio.gather(*(double(n) for n in range(5)))",
        "async for_not_allowed",
        "async with asyncio.timeout(10):\n    print(await double(1))",
        "task = asyncio.create_task(double(21))\nawait task",
        "asyncio.run(double(1))",
        "[await double(n) for n in range(3)]",
    ),
    "widgets": (
        "import ipywidgets as widgets\nfrom IPython.display import display",
        "slider = widgets.IntSlider(value=3, max=9)\nslider",
        "label = widgets.Label()\nwidgets.jslink((slider, 'value'), (label, 'value'))\nlabel",
        "seen = []\nslider.observe(lambda change: seen.append(change['new']), 'value')\nslider.value = 7\nseen",
        "out = widgets.Output()\nwith out:\n    print('captured')\n    1 / 0\nout",
        "@widgets.interact(n=(0, 3))\ndef square(n=2):\n    return n * n",
        "widgets.VBox([slider, widgets.Button(description='Press')])",
        "slider.close()",
    ),
    "errors": (
        "def outer(n):\n    return inner(n)\n\ndef inner(n):\n    return 1 / n",
        "outer(0)",
        "raise ValueError('with a note') from KeyError('cause')",
        "def (",
        "undefined_name",
        "import no_such_module",
        "assert 1 == 2, 'one is not two'",
        "%no_such_magic",
        "%%no_such_magic\nx",
        "%xmode Minimal\nouter(0)",
        "import warnings\nwarnings.warn('careful')",
        "import sys\nprint('to stderr', file=sys.stderr)\nsys.exit(2)",
        "'still here'",
    ),
    "rich displays": (
        (
            "from IPython.display import (HTML, JSON, Code, Javascript, Latex, Markdown, Math, SVG, clear_output,\n"
            "    display, update_display)"
        ),
        "HTML('<b>bold</b>')",
        "display(Markdown('*a*'), Math('x^2'), Latex('$y$'), JSON({'a': [1]}), Code('x = 1', language='python'))",
        'SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\')',
        (
            "class Both:\n    def _repr_html_(self): return '<i>both</i>'\n    def _repr_markdown_(self): return '*both*'\n"
            "    def __repr__(self): return 'both'\nBoth()"
        ),
        (
            "class Bundle:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
            "        return {'application/x-own+json': {'a': 1}, 'text/plain': 'own'}\nBundle()"
        ),
        "shown = display('first', display_id='same')\nupdate_display('second', display_id='same')",
        "for n in range(3):\n    clear_output(wait=True)\n    print(n)",
        "Javascript('1')",
        "print('a', end='')\nprint('b')\nprint('\\x1b[31mred\\x1b[0m')",
        "1; 2\n3;",
        "_, __, Out[2], In[2]",
    ),
    "magics": (
        "%%capture kept\nprint('hidden')",
        "kept.stdout",
        "%%bash\necho from bash; echo to stderr >&2",
        "lines = !printf 'a\\nb\\n'\nlines",
        "!echo $HOME_IS_NOT_SET",
        "%env SOME_VARIABLE=5",
        "import os\nos.environ['SOME_VARIABLE']",
        "%%writefile made.py\nvalue = 12",
        "import made\nmade.value",
        "%pycat made.py",
        "%%html\n<b>html</b>",
        "%%latex\n$x$",
        "%precision 3\n3.14159",
        "%%python\nprint('another process')",
        "%alias_magic w whos\nn = 1",
        "%%time?",
        "%macro again 2\nagain",
        (
            "from IPython.core.magic import register_line_cell_magic\n\n@register_line_cell_magic\n"
            "def shout(line, cell=None):\n    return (cell or line).upper()"
        ),
        "%shout quiet",
        "%%shout\nquiet",
    ),
    "functions and classes": (
        "from dataclasses import dataclass, field\nfrom functools import cache\nfrom collections import Counter",
        (
            "@dataclass(order=True)\nclass Point:\n    x: int = 0\n    y: int = 0\n    tags: list = field(default_factory=list)\n"
            "Point(1, 2)"
        ),
        "sorted([Point(2), Point(1, 5), Point(1, 3)])",
        "@cache\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n[fib(n) for n in range(12)]",
        "Counter('mississippi').most_common()",
        "Point?",
        "fib.cache_info()",
        "match Point(1, 2):\n    case Point(x=1, y=y):\n        print('y is', y)",
        "def gen():\n    yield from range(3)\nlist(gen())",
        "{'nested': {'a': list(range(40)), 'b': 'x' * 50}, 'set': {1}}",
        "x: int = 'typed'\nx",
        "print(__name__, __doc__ is not None, '__file__' in globals())",
    ),
    "threads and processes": (
        "import threading, subprocess, sys",
        "done = []\nthread = threading.Thread(target=lambda: done.append(1))\nthread.start(); thread.join()\ndone",
        "subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout",
        (
            "import json, pathlib\npathlib.Path('data.json').write_text(json.dumps({'a': [1, 2]}))\n"
            "json.loads(pathlib.Path('data.json').read_text())"
        ),
        "sys.stdout.write('written\\n')",
        "import logging\nlogging.warning('logged')",
        "try:\n    input('Who? ')\nexcept Exception as error:\n    print(type(error).__name__)",
        "import random\nrandom.seed(1)\n[random.randint(0, 9) for _ in range(5)]",
        "import gc, os\nos.path.basename(os.getcwd()) != ''",
        "[name for name in dir() if not name.startswith('_')]",
    ),
}
