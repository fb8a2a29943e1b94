import { isObject } from '../turn/model';

/** How a display is drawn. */
export type Drawing =
  | 'vega'
  | 'vega-lite'
  | 'picture'
  | 'svg'
  | 'html'
  | 'markdown'
  | 'data'
  | 'json';

/** What is drawn of a MIME bundle. */
export interface IDisplayPlan {
  readonly drawing: Drawing;
  readonly mimeType: string;
  readonly value: unknown;
}

/** A MIME type that is drawn, and what its value is if it can be drawn; undefined if not. */
interface IRichType {
  readonly mimeType: RegExp;
  readonly drawing: Drawing;
  read(value: unknown): unknown;
}

/**
 * All types that are drawn, from the richest to the plainest. None of them loads anything, and none
 * is drawn by a renderer of another extension, which could load what it likes with the session's
 * cookie:
 *
 * - Vega: as a picture, with a loader that refuses (`vegaChart.ts`).
 * - Pictures of a model: as an image with its data in its address. Those of a tool are in its result.
 * - SVG: as an image, in which browsers load nothing and run no script.
 * - HTML: the strict part of it; the rest on request, in a frame without rights (`safeHtml.ts`).
 * - Markdown and LaTeX: as the text of an answer (`safe/markdown.ts`).
 * - Plotly and GeoJSON: as data, since what draws them loads maps and images by itself.
 *
 * What is not in the table, such as scripts, widgets, PDF, video and the types of other extensions,
 * is not drawn.
 */
const TYPES: readonly IRichType[] = [
  row(/^application\/vnd\.vega\.v\d[\d.]*\+json$/, 'vega', specification),
  row(
    /^application\/vnd\.vegalite\.v\d[\d.]*\+json$/,
    'vega-lite',
    specification
  ),
  row(/^image\/(?:png|jpeg|gif|webp)$/, 'picture', base64),
  row(/^image\/svg\+xml$/, 'svg', joinedText),
  row(/^text\/html$/, 'html', joinedText),
  row(/^text\/latex$/, 'markdown', joinedText),
  row(/^text\/markdown$/, 'markdown', joinedText),
  row(
    /^application\/(?:geo\+json|vnd\.(?:plotly|vega|vegalite)\..*\+json)$/,
    'data',
    value => value
  ),
  row(/^application\/json$/, 'json', value => value)
];

/**
 * Return what is drawn of a `display` block's data; null if there is nothing. Values of a wrong type
 * count as absent.
 */
export function displayPlan(data: unknown): IDisplayPlan | null {
  if (!isObject(data)) {
    return null;
  }
  for (const { mimeType: pattern, drawing, read } of TYPES) {
    for (const mimeType of Object.keys(data).filter(m => pattern.test(m))) {
      const value = read(data[mimeType]);
      if (value !== undefined) {
        return { drawing, mimeType, value };
      }
    }
  }
  return null;
}

function row(
  mimeType: RegExp,
  drawing: Drawing,
  read: (value: unknown) => unknown
): IRichType {
  return { mimeType, drawing, read };
}

/** Return base64, without the line breaks that it may have; undefined for what could leave its address. */
function base64(value: unknown): unknown {
  const text = joinedText(value)?.replace(/\s+/g, '') ?? '';
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? text : undefined;
}

function specification(value: unknown): unknown {
  return isObject(value) ? value : undefined;
}

/** Return a text, which nbformat may split into lines; undefined for anything else. */
function joinedText(value: unknown): string | undefined {
  const text: unknown =
    Array.isArray(value) && value.every(line => typeof line === 'string')
      ? value.join('')
      : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}
