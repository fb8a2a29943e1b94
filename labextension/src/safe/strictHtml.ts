// Tags and attributes that Markdown parsers write.
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  abbr: ['title'],
  b: [],
  blockquote: [],
  br: [],
  code: ['class'],
  dd: [],
  del: [],
  details: ['open'],
  div: [],
  dl: [],
  dt: [],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  i: [],
  img: ['src', 'alt', 'title', 'width', 'height'],
  input: ['type', 'checked'],
  ins: [],
  kbd: [],
  li: ['value'],
  mark: [],
  ol: ['start'],
  p: [],
  pre: [],
  q: [],
  s: [],
  samp: [],
  small: [],
  span: ['class'],
  strong: [],
  sub: [],
  summary: [],
  sup: [],
  table: [],
  tbody: [],
  td: ['align', 'colspan', 'rowspan'],
  tfoot: [],
  th: ['align', 'colspan', 'rowspan', 'scope'],
  thead: [],
  tr: [],
  u: [],
  ul: [],
  var: []
};

// Classes of highlighted code and formulas only: with JupyterLab's own a text could imitate its dialogs.
// That of a formula lets MathJax draw what stands there, which is disarmed below.
const KEPT_CLASS =
  /^(?:language-[\w+#.-]+|cm-[\w-]+|tok-[\w-]+|ͼ\w+|msgbook-Formula)$/;

// TeX with which MathJax, its safe mode on, loads a script (`require`), an image (`mmlToken` as a
// glyph, `style` as a cursor, `bbox` as a background), or sets attributes that the page may act on
// (`data`). Python has the same list: tests/format/turn/fixtures/tex_commands.json tests both.
const LOADING_TEX = /\\(?=(?:require|mmlToken|style|data|bbox)(?![a-zA-Z]))/g;

// After a backslash this invisible character makes a command unknown, so that MathJax shows it.
const WORD_JOINER = '\u2060';

const DATA_IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/i;

/** Return whether an image with this URL may be shown: it is embedded and holds no program. */
export function isEmbeddedImage(url: string): boolean {
  return DATA_IMAGE.test(url.trim());
}

/**
 * Return the URL of a link if a person may follow it (http, https, mailto, relative), else null.
 */
export function linkUrl(url: string): string | null {
  // Browsers ignore these characters when they look for a scheme.
  // eslint-disable-next-line no-control-regex
  const plain = url.replace(/[\u0000-\u001f\u007f-\u009f]+/g, '').trim();
  const scheme = /^([^/?#:]*):/.exec(plain)?.[1].toLowerCase();
  return scheme === undefined || ['http', 'https', 'mailto'].includes(scheme)
    ? plain
    : null;
}

/** Return whether a URL from `linkUrl` is not a path below the notebook's folder. */
export function isExternal(url: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(url);
}

/**
 * Return HTML in which comments, declarations and tags that Markdown never makes are text.
 *
 * An open tag such as `<style>` would otherwise be removed with the rest of the text.
 */
export function showForeignTags(html: string): string {
  return html.replace(/<\/?([a-z][^\s/<>]*)?/gi, (start, name?: string) =>
    name !== undefined && isListed(name.toLowerCase())
      ? start
      : `&lt;${start.slice(1)}`
  );
}

/**
 * Return HTML that runs, loads and sends nothing when it is shown, from any HTML.
 *
 * Only listed tags and attributes stay; another tag is replaced by its content. An image that is
 * not embedded becomes a link with its alternative text, so that no request is sent without a
 * click. The text is parsed in a document of its own, in which no script runs and no image loads.
 */
export function strictHtml(html: string): string {
  // Without the tag, the parser would move some elements to the head.
  const parsed = new DOMParser().parseFromString(`<body>${html}`, 'text/html');
  const clean = document.implementation.createHTMLDocument('');
  appendClean(clean.body, parsed.body);
  disarmTex(clean.body);
  // eslint-disable-next-line no-restricted-properties -- all its nodes were made by `appendClean`
  return clean.body.innerHTML;
}

/** Tags whose marks and columns stand on the side where their text begins; it decides which. */
const DIRECTED = new Set(['blockquote', 'ol', 'table', 'ul']);

function isListed(tag: string): boolean {
  return Object.hasOwn(ALLOWED, tag);
}

function appendClean(to: Element, from: Element): void {
  for (const node of Array.from(from.childNodes)) {
    if (node.nodeType === Node.TEXT_NODE) {
      to.append(node.textContent ?? '');
    } else if (node.nodeType === Node.ELEMENT_NODE) {
      appendElement(to, node as Element);
    }
  }
}

function appendElement(to: Element, element: Element): void {
  const tag = element.localName;
  if (tag === 'img' && !isEmbeddedImage(element.getAttribute('src') ?? '')) {
    appendImageLink(to, element);
    return;
  }
  if (
    !isListed(tag) ||
    (tag === 'input' && element.getAttribute('type') !== 'checkbox')
  ) {
    appendClean(to, element);
    return;
  }
  const copy = to.ownerDocument.createElement(tag);
  for (const name of ALLOWED[tag]) {
    copyAttribute(copy, element, name);
  }
  if (DIRECTED.has(tag)) {
    copy.setAttribute('dir', 'auto');
  }
  if (tag === 'a') {
    hardenLink(copy);
  } else if (tag === 'input') {
    copy.setAttribute('disabled', '');
  }
  to.append(copy);
  appendClean(copy, element);
}

function disarmTex(root: Element): void {
  // A removed tag may have split a command into two nodes.
  root.normalize();
  const walker = root.ownerDocument.createTreeWalker(
    root,
    NodeFilter.SHOW_TEXT
  );
  while (walker.nextNode()) {
    const text = walker.currentNode as Text;
    if (
      text.data.search(LOADING_TEX) !== -1 &&
      text.parentElement?.closest('code, pre') === null
    ) {
      text.data = text.data.replace(LOADING_TEX, `\\${WORD_JOINER}`);
    }
  }
}

function copyAttribute(to: Element, from: Element, name: string): void {
  const value = from.getAttribute(name);
  if (value === null) {
    return;
  }
  const kept =
    name === 'class'
      ? value
          .split(/\s+/)
          .filter(c => KEPT_CLASS.test(c))
          .join(' ')
      : name === 'href'
        ? linkUrl(value)
        : value;
  if (kept !== null && !(name === 'class' && kept === '')) {
    to.setAttribute(name, kept);
  }
}

/** Keep the page that a link opens from reaching this one or learning its address. */
export function hardenLink(link: Element): void {
  if (isExternal(link.getAttribute('href') ?? '')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
    // This attribute stays when JupyterLab sets `rel` again.
    link.setAttribute('referrerpolicy', 'no-referrer');
  }
}

function appendImageLink(to: Element, image: Element): void {
  const url = linkUrl(image.getAttribute('src') ?? '');
  const label = image.getAttribute('alt') || url || '';
  if (!url || to.closest('a') !== null) {
    to.append(label);
    return;
  }
  const link = to.ownerDocument.createElement('a');
  link.setAttribute('href', url);
  link.setAttribute('title', url);
  link.textContent = `🖼 ${label}`;
  hardenLink(link);
  to.append(link);
}
