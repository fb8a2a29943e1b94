import { MimeModel } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import { JSONExt, type JSONValue } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';
import type { IBlockView, IViewTools } from '../render/host';
import { button, element } from '../render/dom';
import { isObject } from '../turn/reading';
import { controlsVisible } from '../turn/text';
import { jsonTree } from './jsonTree';
import { sandboxedFrame, shownHtml } from '../safe/safeHtml';
import { chartPicture, type LoadVega } from './vegaChart';

/** Create a view of a `display` block: what a tool displayed, drawn as in a cell, or an image of the model. */
export function displayView(tools: IViewTools): IBlockView {
  const panel = new Panel();
  panel.addClass('msgbook-Display');
  let shown: JSONValue | undefined;
  let drawn: void | Promise<void>;
  return {
    widget: panel,
    update: ({ data }) => {
      const value = (data ?? null) as JSONValue;
      // What a person opened in it stays, too, when the turn goes on.
      if (shown === undefined || !JSONExt.deepEqual(shown, value)) {
        shown = value;
        drawn = drawAnew(panel, value, tools);
      }
      return drawn;
    }
  };
}

function drawAnew(
  panel: Panel,
  data: unknown,
  tools: IViewTools
): void | Promise<void> {
  for (const widget of [...panel.widgets]) {
    widget.dispose();
  }
  const plan = displayPlan(data);
  panel.setHidden(plan === null);
  if (plan === null) {
    return;
  }
  // A chart of before that is ready only now has no place any more.
  const place = new Panel();
  panel.addWidget(place);
  return draw(place, plan, tools);
}

function draw(
  panel: Panel,
  plan: IDisplayPlan,
  tools: IViewTools
): void | Promise<void> {
  switch (plan.drawing) {
    case 'vega':
    case 'vega-lite':
      return drawChart(panel, plan, tools);
    case 'picture':
      panel.addWidget(new Widget({ node: pictureNode(plan, tools) }));
      return;
    case 'svg':
      addImage(
        panel,
        'msgbook-Image',
        String(plan.value),
        tools.trans.__('Image from the tool')
      );
      return;
    case 'html':
      drawHtml(panel, String(plan.value), tools);
      return;
    case 'markdown': {
      const widget = tools.markdown.create();
      panel.addWidget(widget);
      const data = { 'text/markdown': String(plan.value) };
      return widget.renderModel(new MimeModel({ data, trusted: false }));
    }
    case 'data':
      showData(panel, plan, tools);
      return;
    case 'json':
      addTree(panel, plan.value, tools);
  }
}

/** Return the picture of a model; its data are in its address, so it loads nothing. */
function pictureNode(
  { mimeType, value }: IDisplayPlan,
  { trans }: IViewTools
): HTMLElement {
  const image = element('img', 'msgbook-Image');
  image.alt = trans.__('Image from the model');
  image.src = `data:${mimeType};base64,${String(value)}`;
  return image;
}

/** Show the data of a chart that nothing safe draws, and say why. */
function showData(
  panel: Panel,
  { mimeType, value }: IDisplayPlan,
  tools: IViewTools
): void {
  const words = tools.trans.__(
    'This is the data of a chart (%1). It is not drawn here: what draws it could load something.',
    controlsVisible(mimeType)
  );
  addNote(panel, words);
  addTree(panel, value, tools);
}

function addTree(panel: Panel, value: unknown, { trans }: IViewTools): void {
  const more = (left: number) => trans.__('%1 more', left);
  panel.addWidget(new Widget({ node: jsonTree(value, more) }));
}

function addNote(panel: Panel, words: string): void {
  const node = element('div', 'msgbook-Display-note', words);
  panel.addWidget(new Widget({ node }));
}

/** Add an image, which loads nothing and runs no script, whatever the SVG holds. */
function addImage(
  panel: Panel,
  look: string,
  svg: string,
  label: string
): void {
  // A lone surrogate cannot be part of a URL.
  const wellFormed = svg.replace(/[\ud800-\udfff]/gu, '\ufffd');
  const node = element('img', look);
  node.alt = label;
  node.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wellFormed)}`;
  panel.addWidget(new Widget({ node }));
}

function drawHtml(panel: Panel, source: string, { trans }: IViewTools): void {
  const { html, isReduced } = shownHtml(source);
  const node = element('div', 'jp-RenderedHTMLCommon msgbook-Display-html');
  // eslint-disable-next-line no-restricted-properties -- made by `strictHtml`
  node.innerHTML = html;
  if (!isReduced) {
    panel.addWidget(new Widget({ node }));
    return;
  }
  const words = trans.__(
    'Scripts, frames and drawings of this HTML are not shown.'
  );
  const show = () =>
    node.replaceChildren(sandboxedFrame(source, trans.__('HTML of the tool')));
  const label = trans.__('Show it without scripts and frames');
  const offer = offerNode(words, label, show);
  panel.addWidget(new Widget({ node: element('div', '', node, offer) }));
}

/** Draw a chart by itself only for who trusts the notebook: it can take long. */
function drawChart(
  panel: Panel,
  plan: IDisplayPlan,
  tools: IViewTools
): Promise<void> | undefined {
  const { charts, trans } = tools;
  if (charts === null) {
    showData(panel, plan, tools);
    return undefined;
  }
  if (tools.isTrusted()) {
    return showChart(panel, plan, tools, charts);
  }
  const words = trans.__(
    'The notebook is not trusted, so this chart is not drawn.'
  );
  const show = () => void showChart(panel, plan, tools, charts);
  const node = offerNode(words, trans.__('Draw it'), show);
  panel.addWidget(new Widget({ node }));
  return undefined;
}

async function showChart(
  panel: Panel,
  { drawing, value }: IDisplayPlan,
  tools: IViewTools,
  charts: LoadVega
): Promise<void> {
  const { trans } = tools;
  try {
    const isLite = drawing === 'vega-lite';
    const { svg, refused } = await chartPicture(value, isLite, charts);
    if (panel.isDisposed) {
      return;
    }
    addImage(panel, 'msgbook-Chart', svg, chartLabel(value, trans));
    if (refused.length > 0) {
      const names = refused.slice(0, 5).map(name => name.slice(0, 200));
      const words = trans.__(
        'This chart names what it would load: %1. Nothing was loaded, so it may lack that.',
        controlsVisible(names.join(', '))
      );
      addNote(panel, words);
    }
  } catch (reason) {
    if (!panel.isDisposed) {
      const words = trans.__('This chart cannot be drawn: %1', String(reason));
      addNote(panel, controlsVisible(words));
      addTree(panel, value, tools);
    }
  }
}

/** Return the description that a chart has of itself, for who does not see it. */
function chartLabel(chart: unknown, trans: TranslationBundle): string {
  const description = isObject(chart) ? chart.description : undefined;
  return typeof description === 'string' && description.trim() !== ''
    ? controlsVisible(description)
    : trans.__('Chart');
}

/** Return a line with a button that does once what the line is about. */
function offerNode(
  words: string,
  label: string,
  accept: () => void
): HTMLElement {
  const offer = button('msgbook-Rich-button', label, () => {
    node.remove();
    accept();
  });
  const node = element('div', 'msgbook-Display-note', words, ' ', offer);
  return node;
}

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
