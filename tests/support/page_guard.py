"""A guard of a page that is attacked: what ran, what left, what covers it; and a kernel that lies to it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from lab import Lab

_GLOBALS = "() => Object.keys(window)"

_STATE = """
() => {
    const found = [];
    const say = (what, value) => value && found.push(`${what}: ${value}`);
    say('hacked', window.hacked);
    say('Object.prototype', Object.keys(Object.prototype).join());
    say('polluted', ({}).hacked ?? ({}).polluted ?? [].hacked);
    const ours = document.querySelectorAll("[class*='msgbook-']:not(body)");
    const names = new Set(['jupyterapp', 'main', 'hacked', 'document', 'body', 'location', 'cookie']);
    for (const node of ours) {
        for (const part of [node, ...node.children]) {
            for (const { name, value } of part.attributes) {
                say('handler', name.startsWith('on') && `${part.tagName} ${name}=${value}`);
                say('link', /^(href|src|action|formaction|data|xlink:href)$/.test(name) &&
                    /^[^a-z#/.]*(javascript|vbscript|data:text|file|blob)/i.test(value) && `${name}=${value}`);
            }
            say('name', part.id && names.has(part.id) && part.id);
            say('command', part.dataset?.commandlinkerCommand);
        }
        say('element', ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'META', 'LINK', 'STYLE',
            'VIDEO', 'AUDIO'].includes(node.tagName) && node.outerHTML.slice(0, 200));
    }
    const inside = ".msgbook-Turn :is(script, iframe, object, embed, base, meta, link, style, form, video, audio)";
    for (const node of document.querySelectorAll(inside)) {
        say('inside', !node.closest('.vega-embed, .js-plotly-plot, mjx-container, svg') && node.outerHTML.slice(0, 200));
    }
    const config = document.getElementById('jupyter-config-data');
    say('config', config?.tagName !== 'SCRIPT' && config?.outerHTML);
    return found.slice(0, 20);
}
"""

_COVERED = """
selectors => selectors.flatMap(selector => [...document.querySelectorAll(selector)].flatMap(node => {
    const { x, y, width, height } = node.getBoundingClientRect();
    if (!width || !height || x < 0 || y < 0 || x + width > innerWidth || y + height > innerHeight) {
        return [];
    }
    // Clipped by a scrolled box: nobody can press it there.
    for (let box = node.parentElement; box; box = box.parentElement) {
        const clip = box.getBoundingClientRect();
        if (getComputedStyle(box).overflow !== 'visible' && (y + height / 2 < clip.top || y + height / 2 > clip.bottom
            || x + width / 2 < clip.left || x + width / 2 > clip.right)) {
            return [];
        }
    }
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return node.contains(top) || top?.contains(node) ? [] : [`${selector} under ${top?.outerHTML.slice(0, 200)}`];
})).slice(0, 10)
"""

_LYING_KERNEL = """
answers => {
    window.lies = answers;
    window.asked = [];
    window.lyingKernels ??= new WeakSet();
    window.lieTo ??= kernel => {
        if (window.lyingKernels.has(kernel)) {
            return;
        }
        window.lyingKernels.add(kernel);
        let comm_id;
        const told = data => kernel._iopubMessage.emit({
            header: { msg_type: 'comm_msg', msg_id: Math.random().toString(), session: 'lie' },
            parent_header: {}, metadata: {}, buffers: [], channel: 'iopub', content: { comm_id, data }
        });
        kernel.anyMessage.connect((_, { direction, msg }) => {
            const data = msg.content?.data;
            if (direction !== 'send' || msg.header.msg_type !== 'comm_msg' || !data) {
                return;
            }
            comm_id = msg.content.comm_id;
            window.lie = told;
            window.asked.push(data);
            const answer = data.type === 'query' && Object.hasOwn(window.lies, data.name) && window.lies[data.name];
            if (answer) {
                setTimeout(() => told({ type: 'query.answer', request_id: data.request_id, ...answer }));
            }
        });
    };
    const { sessionContext } = window.jupyterapp.shell.currentWidget;
    if (sessionContext) {
        window.lie = undefined;
        window.lieTo(sessionContext.session.kernel);
    }
    const { sessions } = window.jupyterapp.serviceManager;
    const { startNew } = Object.getPrototypeOf(sessions);
    sessions.startNew = async (...options) => {
        const session = await startNew.apply(sessions, options);
        window.lieTo(session.kernel);
        return session;
    };
}
"""

_NO_MORE_LIES = "() => { delete window.jupyterapp.serviceManager.sessions.startNew; }"

_OWN = {"MathJax", "lie", "lies", "lieTo", "asked", "lyingKernels"}


class PageGuard:
    """Watches one tab from now on."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._seen: list[str] = []
        self._host = urlsplit(lab.page.url).netloc
        self._globals = set(lab.page.evaluate(_GLOBALS))
        lab.requests.clear()
        page: Any = lab.page
        self._handlers = {
            "dialog": self._dialog,
            "popup": lambda popup: self._seen.append(f"popup {popup.url}"),
            "framenavigated": self._navigated,
            "download": lambda download: self._seen.append(f"download {download.url}"),
            "request": self._request,
        }
        for event, handler in self._handlers.items():
            page.on(event, handler)

    def _navigated(self, frame: Any) -> None:
        # JupyterLab itself names the document in front in the address, or none.
        url = urlsplit(frame.url)
        is_here = url.netloc == self._host and f"{url.path}/".startswith("/lab/")
        is_own = frame == self._lab.page.main_frame and is_here
        if not is_own and not frame.url.startswith("about:"):
            self._seen.append(f"navigation {frame.url}")

    def _dialog(self, dialog: Any) -> None:
        self._seen.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        # An image of a text could ask the server for anything, with the user's rights.
        loads = request.resource_type in (
            "image",
            "media",
            "font",
            "stylesheet",
            "script",
            "document",
        )
        own = ("/static/", "/lab/", "/kernelspecs/", "/files/attachments")
        path = "/" + request.url.split("/", 3)[-1]
        if loads and not request.url.startswith(("data:", "blob:")) and not path.startswith(own):
            self._seen.append(f"request {request.resource_type} {request.url}")

    def tell_lies(self, answers: dict[str, Any]) -> None:
        """Answer queries in place of the kernel, with `result` or `error`.

        This holds for the notebook in front, and for the kernels that start from now on.
        """
        self._lab.page.evaluate(_LYING_KERNEL, answers)

    def tell(self, message: dict[str, Any]) -> None:
        """Say something to the page as its kernel; a query has to have been asked before."""
        self._lab.page.wait_for_function("() => window.lie")
        self._lab.page.evaluate("message => window.lie(message)", message)

    def assert_unharmed(self, *buttons: str) -> None:
        """Fail if something ran, left, opened or changed, or covers these or JupyterLab's own buttons."""
        lab = self._lab
        own = ".jp-NotebookPanel-toolbar button", ".lm-MenuBar-item", ".lm-TabBar-tab"
        added = set(lab.page.evaluate(_GLOBALS)) - self._globals - _OWN
        found = [
            *lab.page.evaluate(_STATE),
            *self._seen,
            *lab.requests,
            *(f"global {name}" for name in sorted(added)),
            *lab.page.evaluate(_COVERED, [*own, *buttons]),
        ]
        if found:
            raise AssertionError("\n".join(found))

    def end(self) -> None:
        """Watch no longer."""
        self._lab.page.evaluate(_NO_MORE_LIES)
        page: Any = self._lab.page
        for event, handler in self._handlers.items():
            page.remove_listener(event, handler)


def see_all(lab: Lab) -> None:
    """Bring each cell into view once, and open all that is closed in it."""
    count = lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.widgets.length")
    for index in range(count):
        lab.page.evaluate(
            """async index => {
                const { content } = window.jupyterapp.shell.currentWidget;
                await content.scrollToItem(index, 'start');
                const { node } = content.widgets[index];
                for (const details of node.querySelectorAll('details')) {
                    details.open = true;
                }
                await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            }""",
            index,
        )
