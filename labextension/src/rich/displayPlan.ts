import { isObject } from '../turn/model';

/** How a display is drawn. */
export type Drawing =
  'chart' | 'picture' | 'svg' | 'html' | 'markdown' | 'json';

/** What is drawn of a MIME bundle. */
export interface IDisplayPlan {
  readonly drawing: Drawing;
  readonly mimeType: string;
  readonly value: unknown;
}

const CHART = /^application\/(?:vnd\.(?:plotly|vega|vegalite)\.|geo\+json$)/;

/**
 * Return what is drawn of a `display` block's data, from the richest representation to the plainest;
 * null if there is none. Values of a wrong type count as absent.
 *
 * @param canDraw - Returns whether an extension draws charts of a MIME type.
 */
export function displayPlan(
  data: unknown,
  canDraw: (mimeType: string) => boolean
): IDisplayPlan | null {
  if (!isObject(data)) {
    return null;
  }
  const chart = Object.keys(data).find(
    mime => CHART.test(mime) && isObject(data[mime]) && canDraw(mime)
  );
  if (chart !== undefined) {
    return { drawing: 'chart', mimeType: chart, value: data[chart] };
  }
  for (const mimeType of PICTURES) {
    const value = joinedText(data[mimeType])?.replace(/\s+/g, '') ?? '';
    if (BASE64.test(value)) {
      return { drawing: 'picture', mimeType, value };
    }
  }
  for (const [mimeType, drawing] of TEXTS) {
    const value = joinedText(data[mimeType]);
    if (value !== null) {
      return { drawing, mimeType, value };
    }
  }
  const [mimeType] = Object.keys(data).filter(
    mime => CHART.test(mime) || mime === 'application/json'
  );
  return mimeType === undefined
    ? null
    : { drawing: 'json', mimeType, value: data[mimeType] };
}

/** Pictures of a model, in base64. Those of a tool are in its result. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const TEXTS: readonly [string, Drawing][] = [
  ['image/svg+xml', 'svg'],
  ['text/html', 'html'],
  ['text/latex', 'markdown'],
  ['text/markdown', 'markdown']
];

/** Return a text, which nbformat may split into lines; null for anything else. */
function joinedText(value: unknown): string | null {
  const text: unknown =
    Array.isArray(value) && value.every(line => typeof line === 'string')
      ? value.join('')
      : value;
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** Keys whose values Vega and Plotly load. */
const LOADED = new Set([
  'url',
  'href',
  'src',
  'source',
  'topojsonURL',
  'patch'
]);

/** Maps that Plotly draws on outlines or tiles which it loads. */
const MAP =
  /^(?:scatter|choropleth|density)?(?:geo|map|mapbox)\d*$|^choropleth$/;

/**
 * Return what a chart may load when it is drawn, each thing once; empty if it loads nothing.
 *
 * It errs on the side of naming too much: any text that holds two slashes may be an address.
 */
export function loadedByChart(chart: unknown): string[] {
  const found = new Set<string>();
  const waiting: [string, unknown, boolean][] = [['', chart, true]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [key, value, isTop] = next;
    if (typeof value === 'string') {
      const isMap = (key === 'type' || key === 'mapType') && MAP.test(value);
      if (isMap || mayLoad(key, value)) {
        found.add(isMap ? value : value.slice(0, 200));
      }
    } else if (Array.isArray(value)) {
      waiting.push(
        ...value.map((v): [string, unknown, boolean] => [key, v, false])
      );
    } else if (isObject(value)) {
      for (const [name, entry] of Object.entries(value)) {
        if (MAP.test(name) && isObject(entry) && !isTop) {
          found.add(name);
        }
        if (!(isTop && name === '$schema')) {
          waiting.push([name, entry, false]);
        }
      }
    }
  }
  return [...found];
}

function mayLoad(key: string, value: string): boolean {
  return (
    (LOADED.has(key) && value !== '' && !value.startsWith('data:image/')) ||
    /[/\\]\s*[/\\]|url\s*\(|image-set|\\/i.test(value)
  );
}
