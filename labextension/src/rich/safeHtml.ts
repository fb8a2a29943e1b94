import { strictHtml } from '../safe/strictHtml';

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

/** Return the part of any HTML that can be shown as it is: text, tables, lists, embedded images. */
export function shownHtml(source: string): IShownHtml {
  const parsed = new DOMParser().parseFromString(
    `<body>${source}`,
    'text/html'
  );
  const unread = Array.from(parsed.body.querySelectorAll(UNREAD));
  const isReduced = unread.some(({ localName }) => localName !== 'style');
  unread.forEach(node => node.remove());
  // eslint-disable-next-line no-restricted-properties -- read, and made strict below
  return { html: strictHtml(parsed.body.innerHTML), isReduced };
}

/** Rights of a page that may run scripts, with an origin of its own and nothing to load. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; webrtc 'block'";

const HEAD = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;

/**
 * Return a frame in which the scripts of some HTML run without reach of this page, its server and
 * the network.
 *
 * A page can always go to another address, which could carry what it holds. So it is in a frame of
 * its own within the frame, whose policy lets it go nowhere.
 */
export function sandboxedFrame(source: string, title: string): HTMLElement {
  const frame = document.createElement('iframe');
  frame.className = 'msgbook-Display-frame';
  frame.title = title;
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  const inner = document.createElement('iframe');
  inner.title = title;
  inner.setAttribute('sandbox', 'allow-scripts');
  inner.setAttribute('style', 'border: 0; width: 100%; height: 100%');
  inner.srcdoc = `${HEAD}<body>${source}`;
  // eslint-disable-next-line no-restricted-properties -- read, for a frame that reaches nothing
  const nested = inner.outerHTML;
  frame.srcdoc = `${HEAD}<body style="margin: 0; height: 100vh; overflow: hidden">${nested}`;
  return frame;
}
