import { strictHtml } from './strictHtml';

/** Elements whose content is no text for a reader. */
const UNREAD =
  'script, style, template, noscript, noembed, noframes, iframe, object, embed, svg, math, select, textarea, video, audio';

/** HTML of a tool, made fit to be shown. */
export interface IShownHtml {
  /** HTML that runs, loads and sends nothing. */
  readonly html: string;
  /** Whether the original has something that is not shown: scripts, frames, drawings. */
  readonly isReduced: boolean;
}

/** Text before HTML: where it differs, the same HTML can become other elements. */
const DOCTYPE = '<!doctype html>';

function parse(source: string): HTMLElement {
  const page = `${DOCTYPE}<body>${source}`;
  return new DOMParser().parseFromString(page, 'text/html').body;
}

/** Return the part of any HTML that can be shown as it is: text, tables, lists, embedded images. */
export function shownHtml(source: string): IShownHtml {
  const parsed = parse(source);
  const unread = Array.from(parsed.querySelectorAll(UNREAD));
  const isReduced = unread.some(({ localName }) => localName !== 'style');
  unread.forEach(node => node.remove());
  // eslint-disable-next-line no-restricted-properties -- read, and made strict below
  return { html: strictHtml(parsed.innerHTML), isReduced };
}

/**
 * Elements that run something, hold another page, or make the browser connect or go elsewhere. SVG
 * animations can set the address of a link.
 */
const ACTIVE = new Set([
  'script',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'portal',
  'fencedframe',
  'link',
  'meta',
  'base',
  'template',
  'noscript',
  'noembed',
  'noframes',
  'set',
  'animate',
  'animatemotion',
  'animatetransform',
  'discard'
]);

/** Attributes that name an address. A browser connects to that of a link before it is allowed to go there. */
const ADDRESSES = new Set([
  'href',
  'src',
  'srcset',
  'imagesrcset',
  'action',
  'formaction',
  'ping',
  'background',
  'poster',
  'data',
  'cite',
  'longdesc',
  'manifest',
  'archive',
  'codebase',
  'classid',
  'profile'
]);

/** Attributes that hold a page, or name where a link leads. */
const DROPPED = /^(?:srcdoc|target|shadowroot.*|http-equiv|on.*)$/;

/** Return whether CSS would load something, which the frame's policy refuses, too. */
function isLoadingCss(css: string): boolean {
  const plain = css
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, digits: string) => {
      const number = parseInt(digits, 16);
      return number > 0x10ffff ? '' : String.fromCodePoint(number);
    })
    .replace(/\\/g, '');
  return /url\((?!\s*["']?(?:#|data:))|image-set\(|@import/i.test(plain);
}

/** Parsing may change what was written; after so many rounds it is not written for readers. */
const ROUNDS = 5;

/**
 * Return HTML with its styles and drawings, but without all that runs, connects or goes elsewhere;
 * empty if parsing would always bring some of it back.
 */
export function staticHtml(source: string): string {
  let html = source;
  for (let round = 0; round < ROUNDS; round++) {
    const body = parse(html);
    const wasStatic = makeStatic(body);
    // eslint-disable-next-line no-restricted-properties -- read, for a frame without rights
    const written = body.innerHTML;
    if (wasStatic && written === html) {
      return html;
    }
    html = written;
  }
  return '';
}

/** Take out of an element what is active; return whether there was nothing. */
function makeStatic(root: Element): boolean {
  let wasStatic = true;
  for (const node of Array.from(root.querySelectorAll('*'))) {
    const tag = node.localName.toLowerCase();
    const sheet = tag === 'style' ? (node.textContent ?? '') : '';
    if (ACTIVE.has(tag) || isLoadingCss(sheet)) {
      node.remove();
      wasStatic = false;
      continue;
    }
    for (const attribute of Array.from(node.attributes)) {
      if (isActive(attribute)) {
        node.removeAttributeNode(attribute);
        wasStatic = false;
      }
    }
  }
  return wasStatic;
}

function isActive({ localName, value }: Attr): boolean {
  // The parser leaves `a:href` of an element without a namespace in one piece.
  const name = localName.toLowerCase().replace(/^.*:/, '');
  return (
    DROPPED.test(name) ||
    isLoadingCss(value) ||
    (ADDRESSES.has(name) && !/^\s*(?:#|data:image\/)/i.test(value))
  );
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; base-uri 'none'; form-action 'none'";

/**
 * Return a frame that shows some HTML with its styles and drawings. It runs no script, reaches
 * neither this page nor its server, and opens no connection.
 *
 * No policy keeps a script from connecting: Chromium opens a connection before it refuses to go to
 * an address, and WebRTC knows no policy.
 */
export function sandboxedFrame(source: string, title: string): HTMLElement {
  const frame = document.createElement('iframe');
  frame.className = 'msgbook-Display-frame';
  frame.title = title;
  frame.setAttribute('sandbox', '');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.srcdoc = `${DOCTYPE}<meta http-equiv="Content-Security-Policy" content="${POLICY}"><body>${staticHtml(source)}`;
  return frame;
}
