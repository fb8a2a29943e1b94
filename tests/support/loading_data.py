"""Data of each rich type that makes a page load something, and a server that hears who connects."""

from __future__ import annotations

import socket
import threading
from typing import Any

from playwright.sync_api import Page

MARK = "leaked"
"""Part of each address that nothing may load."""

VEGA = "application/vnd.vega.v5+json"
LITE = "application/vnd.vegalite.v5+json"


class Listener:
    """A server of 127.0.0.1 that says nothing, and notes each connection, with or without a request."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"http://{self.host}/{MARK}"
        self._heard: list[str] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def heard(self, page: Page) -> list[str]:
        """What has come until now; a request of the page itself comes last, and is left out."""
        page.evaluate(
            "url => { fetch(url, {mode: 'no-cors'}).catch(() => null); }",
            f"http://{self.host}/the-end",
        )
        with self._changed:
            assert self._changed.wait_for(lambda: any("the-end" in one for one in self._heard), 30)
            return [one for one in self._heard if "the-end" not in one]

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(1)
            try:
                said = connection.recv(200).decode("latin-1").split("\r\n")[0]
            except OSError:
                said = ""
        with self._changed:
            self._heard.append(said or "an empty connection")
            self._changed.notify_all()


def _addresses(host: str) -> list[Any]:
    """Ways in which a chart can write an address, of another server and of Jupyter's own."""
    whole = f"http://{host}/{MARK}"
    return [
        whole,
        f"//{host}/{MARK}",
        f"http:{host}/{MARK}",
        f"http:\\\\{host}\\{MARK}",
        f"/files/{MARK}.csv",
        f"files/{MARK}.csv",
        f"{MARK}.csv",
        f"../api/contents/{MARK}?content=1",
        {"signal": f"'http:/' + '/{host}/' + '{MARK}'"},
        {"signal": f"'/fi' + 'les/{MARK}.csv'"},
        {"signal": f"'/api/contents/' + lower('{MARK.upper()}')"},
        {"signal": "made"},
    ]


def _vega(host: str) -> list[dict[str, Any]]:
    whole = f"http://{host}/{MARK}"
    made = {"name": "made", "init": f"join(['http:', '', '{host}', '{MARK}'], '/')"}
    base = {"width": 20, "height": 20, "signals": [made]}
    one = {"name": "one", "values": [{"u": whole, "v": 1}]}
    charts = [
        {**base, "data": [{"name": "t", "url": url, "format": {"type": kind}}]}
        for url in _addresses(host)
        for kind in ("json", "csv", "topojson")
    ]
    for mark in ("image", "symbol"):
        for channel in ({"field": "u"}, {"signal": "made"}, {"value": whole}):
            names = ("url", "href")
            encode = {
                "enter": {
                    "width": {"value": 9},
                    "height": {"value": 9},
                    **dict.fromkeys(names, channel),
                }
            }
            charts.append(
                {**base, "data": [one], "marks": [{"type": mark, "from": {"data": "one"}, "encode": encode}]}
            )  # fmt: skip
    meta = {"loader": {"baseURL": whole, "target": "_top"}, "defaultStyle": f"@import '{whole}';",
            "actions": True, "patch": whole, "config": whole, "sourceHeader": f"<img src='{whole}'>",
            "editorUrl": whole, "bind": "body", "renderer": "svg"}  # fmt: skip
    charts.append(
        {**base, "usermeta": {"embedOptions": meta}, "data": [{"name": "t", "url": f"{MARK}.csv"}]}
    )
    bind = {"input": "image", "src": whole, "onerror": "window.hacked = 1", "element": "body"}
    charts.append({**base, "signals": [made, {"name": "b", "value": 1, "bind": bind}]})
    moved = [
        {"events": "window:mousemove", "update": "made"},
        {"events": "timer{1}", "update": "made"},
    ]
    charts.append(
        {**base, "signals": [made, {"name": "cursor", "value": f"url({whole})", "on": moved}],
         "data": [{"name": "t", "url": {"signal": "cursor"}}]}
    )  # fmt: skip
    return charts


def _lite(host: str) -> list[dict[str, Any]]:
    whole = f"http://{host}/{MARK}"
    values = {"values": [{"h": host, "v": 1}]}
    charts: list[dict[str, Any]] = [
        {"data": {"url": url}, "mark": "bar"} for url in _addresses(host)[:-1]
    ]
    made = [{"calculate": f"'http:' + '//' + datum.h + '/{MARK}'", "as": "u"}]
    for channel in ("url", "href"):
        encoding = {
            "x": {"field": "v", "type": "quantitative"},
            channel: {"field": "u", "type": "nominal"},
        }
        charts.append({"data": values, "transform": made, "mark": "image", "encoding": encoding})
    lookup = {"lookup": "v", "from": {"data": {"url": whole}, "key": "a", "fields": ["b"]}}
    charts.append({"data": values, "transform": [lookup], "mark": "bar"})
    charts.append(
        {"data": values, "mark": {"type": "image", "url": whole, "width": 9, "height": 9}}
    )
    charts.append(
        {"data": values, "mark": {"type": "bar", "href": whole, "cursor": f"url({whole})"}}
    )
    bind = {"input": "image", "src": whole, "onerror": "window.hacked = 1"}
    charts.append(
        {"data": values, "mark": "bar", "params": [{"name": "p", "value": 1, "bind": bind}]}
    )
    charts.append(
        {"usermeta": {"embedOptions": {"defaultStyle": f"*{{background: url({whole})}}"}}, "data": values,
         "mark": "bar"}
    )  # fmt: skip
    return charts


def _plotly(host: str) -> list[dict[str, Any]]:
    whole = f"http://{host}/{MARK}"
    return [
        {"data": [], "layout": {"images": [{"source": whole, "x": 0, "y": 1}]}},
        {"data": [{"type": "image", "source": whole}]},
        {
            "data": [{"type": "scattermapbox", "lat": [1], "lon": [1]}],
            "layout": {"mapbox": {"style": whole}},
        },
        {"data": [{"type": "choropleth"}], "config": {"topojsonURL": whole}},
        {"data": [{"x": [1], "text": f"<span style='cursor:&#117;rl({whole})'>x</span>"}]},
    ]


_CALL = """\
p = new RTCPeerConnection({iceServers: [s]}); p.createDataChannel('x');
p.createOffer().then(o => p.setLocalDescription(o))"""


def html_that_leaves(host: str) -> list[str]:
    """HTML that loads, connects or goes elsewhere, by itself or when somebody clicks on it."""
    url = f"http://{host}/{MARK}"
    rels = ("preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "manifest",
            "icon", "stylesheet")  # fmt: skip
    scripts = [
        f"location = '{url}'",
        f"top.location = parent.location = '{url}'",
        f"location.replace('{url}')",
        f"navigation.navigate('{url}')",
        f"open('{url}')",
        f"open('{url}', '_self')",
        f"fetch('{url}')",
        f"navigator.sendBeacon('{url}', 'x')",
        f"new WebSocket('ws://{host}/{MARK}')",
        f"new EventSource('{url}')",
        f"import('{url}')",
        f"new Image().src = '{url}'",
        f"document.open(); document.write('<a href={url}>x</a>'); document.links[0].click()",
        f"new Worker(URL.createObjectURL(new Blob([`fetch('{url}')`])))",
        f"l = document.createElement('link'); l.rel = 'preconnect'; l.href = '{url}'; document.head.append(l)",
        f"f = document.createElement('iframe'); f.src = '{url}'; document.body.append(f)",
        f"s = {{urls: 'turn:{host}?transport=tcp', username: 'a', credential: 'b'}}; {_CALL}",
    ]
    return [
        *(f'<link rel={rel} as=image href="{url}">' for rel in rels),
        *(f"<script>{script}</script>" for script in scripts),
        f'<script src="{url}"></script><script type=module>import "{url}"</script>',
        f'<script type=speculationrules>{{"prefetch": [{{"urls": ["{url}"], "eagerness": "immediate"}}]}}</script>',
        f'<meta http-equiv=refresh content="0;url={url}"><meta http-equiv=Link content="<{url}>; rel=preconnect">',
        f'<base href="{url}"><img src=a>',
        f'<a href="{url}" ping="{url}" style="position:fixed;inset:0">x</a>',
        f'<a href="{url}" download style="position:fixed;inset:0">x</a>',
        f'<form action="{url}"><button style="position:fixed;inset:0">x</button></form>',
        f'<input type=image src="{url}" formaction="{url}">',
        f'<iframe src="{url}"></iframe><iframe srcdoc="<img src={url}>"></iframe>',
        f"<iframe srcdoc=\"<script>location='{url}'</script>\"></iframe>",
        f"<frameset><frame src={url}></frameset>",
        f'<object data="{url}"></object><embed src="{url}"><portal src="{url}"></portal>',
        f'<img src="{url}" srcset="{url} 2x"><video src="{url}" poster="{url}" autoplay></video>',
        f"<style>@import '{url}'; @font-face {{font-family: x; src: url({url})}} * {{font-family: x}}</style>x",
        f"<style>* {{background: url({url}); cursor: url({url}), auto}}</style>x",
        f'<svg><image href="{url}"/><use href="{url}#a"/><filter id=a><feImage href="{url}"/></filter></svg>',
        f'<svg width=900 height=900><a href="{url}"><rect width=900 height=900 /></a></svg>',
        f'<svg width=900 height=900><a><set attributeName=href to="{url}"/><rect width=900 height=900 /></a></svg>',
        f'<div><template shadowrootmode=open><a href="{url}" style="position:fixed;inset:0">x</a></template></div>',
        f"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;<iframe src='{url}'></iframe>\">",
        f"<noscript><p title=\"</noscript><iframe src='{url}'></iframe>\">",
    ]  # fmt: skip


DIAGRAMS = [
    'graph TD\n A@{{ img: "{0}", label: "x" }}',
    "graph TD\n A --> B\n style A fill:url({0})",
    "graph TD\n A --> B\n classDef c cursor:image-set('{0}' 1x)\n class A c",
    'graph TD\n A["<img src={0}>"]',
    'graph TD\n A["#lt;img src={0}#gt;"]',
    "classDiagram\n class A~img src={0}~",
    "classDiagram\n A : +m() List~img src={0} x~",
    'classDiagram\n class A["~img src={0}~"]',
    "sequenceDiagram\n A->>B: <img src={0}>",
    "stateDiagram\n s1: ~img src={0}~",
    "mindmap\n root(<img src={0}>)\n  ::icon(x)",
    "block-beta\n a[\"<img src='{0}'>\"]",
    'architecture-beta\n service a(logos:aws)["x"]',
    '%%{{init: {{"themeCSS": "* {{ background: url({0}) }}"}}}}%%\ngraph TD\n A',
    "---\nconfig:\n  themeCSS: '* {{ background: url({0}) }}'\n---\ngraph TD\n A",
    'C4Context\n Person(a, "b", $sprite="{0}")',
]


def markdown_that_loads(host: str) -> str:
    """Text that loads something where diagrams, formulas, images or HTML are drawn without care."""
    url, own = f"http://{host}/{MARK}", f"/files/{MARK}"
    diagrams = [
        f"```mermaid\n{diagram.format(address)}\n```"
        for diagram in DIAGRAMS
        for address in (url, own)
    ]
    formulas = [
        f"$\\style{{background:url({url})}}{{y}}$",
        f"$\\bbox[url({url})]{{x}}$",
        f"$\\require{{{url}}}$",
        f"$\\mmlToken{{mglyph}}[src='{url}']{{}}$",
        f"$\\includegraphics{{{url}}}$",
    ]
    return "\n\n".join([f"![x]({url}) ![y]({own}) <img src='{url}'>", *formulas, *diagrams])


def loading_bundles(host: str) -> list[dict[str, Any]]:
    """A MIME bundle for each type that a turn can hold, and for each way it could load something."""
    url = f"http://{host}/{MARK}"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><image href="{url}"/><style>@import "{url}";</style><script>fetch("{url}")</script></svg>'
    text = markdown_that_loads(host)
    place = {
        "type": "Feature",
        "properties": {"url": url},
        "geometry": {"type": "Point", "coordinates": [1, 1]},
    }
    return [
        *({VEGA: chart} for chart in _vega(host)),
        *({LITE: chart} for chart in _lite(host)),
        *({"application/vnd.plotly.v1+json": chart} for chart in _plotly(host)),
        {"application/geo+json": place},
        {"image/svg+xml": svg},
        {"text/html": "".join(html_that_leaves(host))},
        {"text/markdown": text},
        {"text/latex": text},
        {"application/json": {"url": url, "href": f"<img src={url}>"}},
        {"application/javascript": f"fetch('{url}')"},
        {"application/vnd.jupyter.widget-view+json": {"model_id": url, "version_major": 2, "version_minor": 0}},
        {"application/pdf": "JVBERi0="},
        {"text/vnd.mermaid": f"graph TD\n A@{{ img: '{url}' }}"},
        {"application/vnd.hostile.v1+json": {"url": url}},
        {"application/vnd.dataresource+json": {"path": url}},
        *({mime: url} for mime in ("image/png", "image/gif", "video/mp4", "audio/mpeg", "text/plain", "image/bmp")),
    ]  # fmt: skip
