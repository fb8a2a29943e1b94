import type { IMermaidManager } from '@jupyterlab/mermaid';
import type { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../render/dom';
import { afterRender, type IMarkdownRenderer } from '../safe/markdown';

/** The part of JupyterLab's Mermaid that draws. */
export type DiagramRenderer = Pick<IMermaidManager, 'renderSvg'>;

/** Characters of a diagram that is drawn by itself: a longer one could block the page. */
const LONGEST = 3_000;

/**
 * With these a diagram could load something or set the style of the page while it is drawn:
 * addresses, CSS, markup, characters written in another way, settings, images and icons. In a class
 * diagram `~` becomes `<` or `>`, which makes no element that loads without an attribute.
 */
const RISKY: readonly RegExp[] = [
  /\/\/|\burl\b|image-set|base64/i,
  /<(?!br\s*\/?>|-|=|\|)/i,
  /\\|&#|&\w+;|#\w+;/,
  /%%\{|^\s*---/m,
  /@\{[^]*(?:img|icon)/i,
  /^\s*C4/m,
  /~[^]*=|=[^]*~/
];

/** Return whether a diagram can be drawn without loading anything. */
export function isHarmless(source: string): boolean {
  return source.length <= LONGEST && !RISKY.some(risk => risk.test(source));
}

/**
 * Return a Markdown renderer that draws the harmless Mermaid diagrams of a text, once they are in
 * the page. The source of each stays below its picture.
 */
export function drawingDiagrams(
  markdown: IMarkdownRenderer,
  diagrams: DiagramRenderer | null,
  trans: TranslationBundle
): IMarkdownRenderer {
  if (diagrams === null) {
    return markdown;
  }
  return afterRender(markdown, node =>
    node
      .querySelectorAll<HTMLElement>('pre > code.language-mermaid')
      .forEach(code => void draw(code, diagrams, trans))
  );
}

async function draw(
  code: HTMLElement,
  diagrams: DiagramRenderer,
  trans: TranslationBundle
): Promise<void> {
  const source = code.textContent ?? '';
  await whenIdle();
  // A text that is rendered again keeps the nodes that were equal, and drops these.
  if (!code.isConnected || !isHarmless(source)) {
    return;
  }
  try {
    const { svg, width, accessibleTitle } = await diagrams.renderSvg(source);
    const image = element('img', 'msgbook-Diagram-image');
    image.alt = accessibleTitle ?? trans.__('Diagram');
    // An image loads nothing and runs no script, whatever the SVG holds.
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    // It keeps the colours of the theme in which it was drawn.
    image.dataset.drawnLight = document.body.dataset.jpThemeLight ?? 'true';
    if (width) {
      image.width = width;
    }
    const pre = code.parentElement;
    if (pre?.isConnected) {
      const shown = element('details', 'msgbook-Diagram-source');
      shown.append(element('summary', '', trans.__('Source of the diagram')));
      const figure = element('figure', 'msgbook-Diagram', image, shown);
      pre.replaceWith(figure);
      shown.append(pre);
    }
  } catch (reason) {
    console.warn('A diagram is shown as its source.', reason);
  }
}

function whenIdle(): Promise<void> {
  return new Promise(resolve => {
    if (typeof requestIdleCallback === 'undefined') {
      window.setTimeout(resolve);
    } else {
      requestIdleCallback(() => resolve(), { timeout: 2_000 });
    }
  });
}
