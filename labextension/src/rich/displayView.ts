import { MimeModel } from '@jupyterlab/rendermime';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Panel, Widget } from '@lumino/widgets';

import type { IBlockView, IViewTools } from '../render/blockView';
import { element } from '../render/dom';
import { controlsVisible } from '../turn/text';
import { displayPlan, loadedByChart, type IDisplayPlan } from './displayPlan';
import { jsonTree } from './jsonTree';
import { sandboxedFrame, shownHtml } from './safeHtml';

/** Create a view of a `display` block: what a tool displayed, drawn as in a cell, or an image of the model. */
export function displayView(tools: IViewTools): IBlockView {
  const panel = new Panel();
  panel.addClass('msgbook-Display');
  return {
    widget: panel,
    update: ({ data }) => {
      for (const widget of [...panel.widgets]) {
        widget.dispose();
      }
      const plan = displayPlan(
        data,
        mime => tools.charts?.mimeTypes.includes(mime) ?? false
      );
      panel.setHidden(plan === null);
      return plan === null ? undefined : draw(panel, plan, tools);
    }
  };
}

function draw(
  panel: Panel,
  plan: IDisplayPlan,
  tools: IViewTools
): void | Promise<void> {
  switch (plan.drawing) {
    case 'chart':
      return drawChart(panel, plan, tools);
    case 'picture':
      panel.addWidget(new Widget({ node: pictureNode(plan, tools) }));
      return;
    case 'svg':
      panel.addWidget(
        new Widget({ node: svgImage(String(plan.value), tools) })
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
    case 'json': {
      const more = (left: number) => tools.trans.__('%1 more', left);
      panel.addWidget(new Widget({ node: jsonTree(plan.value, more) }));
    }
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

/** An image loads nothing and runs no script, whatever the SVG holds. */
function svgImage(source: string, { trans }: IViewTools): HTMLElement {
  // A lone surrogate cannot be part of a URL.
  const wellFormed = source.replace(/[\ud800-\udfff]/gu, '\ufffd');
  const image = element('img', 'msgbook-Image');
  image.alt = trans.__('Image from the tool');
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wellFormed)}`;
  return image;
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
  const run = () =>
    node.replaceChildren(sandboxedFrame(source, trans.__('HTML of the tool')));
  const offer = offerNode(words, trans.__('Run it in a sandbox'), run);
  panel.addWidget(new Widget({ node: element('div', '', node, offer) }));
}

function drawChart(
  panel: Panel,
  { mimeType, value }: IDisplayPlan,
  tools: IViewTools
): Promise<void> | undefined {
  const { trans } = tools;
  const show = async () => {
    const data = { [mimeType]: value } as ReadonlyPartialJSONObject;
    const renderer = tools.charts!.createRenderer(mimeType);
    panel.addWidget(renderer);
    try {
      await renderer.renderModel(new MimeModel({ data, trusted: false }));
    } catch (reason) {
      renderer.dispose();
      const words = trans.__('This chart cannot be drawn: %1', String(reason));
      const node = element(
        'div',
        'msgbook-Display-note',
        controlsVisible(words)
      );
      panel.addWidget(new Widget({ node }));
    }
  };
  const loaded = loadedByChart(value);
  if (tools.isTrusted() && loaded.length === 0) {
    return show();
  }
  const words =
    loaded.length === 0
      ? trans.__('The notebook is not trusted, so this chart is not drawn.')
      : trans.__(
          'This chart can load %1, so it is not drawn.',
          controlsVisible(loaded.slice(0, 5).join(', '))
        );
  const node = offerNode(words, trans.__('Draw it'), () => void show());
  panel.addWidget(new Widget({ node }));
  return undefined;
}

/** Return a line with a button that does once what the line is about. */
function offerNode(
  words: string,
  label: string,
  accept: () => void
): HTMLElement {
  const button = element('button', 'msgbook-Rich-button', label);
  button.type = 'button';
  const node = element('div', 'msgbook-Display-note', words, ' ', button);
  button.addEventListener('click', () => {
    node.remove();
    accept();
  });
  return node;
}
