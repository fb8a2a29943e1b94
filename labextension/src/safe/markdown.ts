import { markdownRendererFactory } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { showingTags } from './showTags';
import { showForeignTags, strictHtml } from './strictHtml';

/**
 * A sanitizer that is stricter than the one it wraps, whatever the user's settings.
 *
 * JupyterLab's own keeps remote images, style sheets with URLs and the classes of its dialogs.
 */
export class StrictSanitizer implements IRenderMime.ISanitizer {
  constructor(inner: IRenderMime.ISanitizer) {
    this._inner = inner;
  }

  readonly allowNamedProperties = false;

  readonly allowCommandLinker = false;

  getAutolink(): boolean {
    return this._inner.getAutolink?.() ?? true;
  }

  sanitize(dirty: string, options?: IRenderMime.ISanitizerOptions): string {
    return strictHtml(this._inner.sanitize(showForeignTags(dirty), options));
  }

  private readonly _inner: IRenderMime.ISanitizer;
}

// The lookbehind keeps the time linear: a match may begin only at the start of a run.
const DIAGRAM_FENCE = /(?<![`~])([`~]{3,}[^\S\n]*mermaid)(?=[^\S\n]*$)/gm;
const MARK = '\ue000';

/**
 * Return a Markdown parser that shows diagrams as their source.
 *
 * JupyterLab draws a `mermaid` block while it parses, before any sanitizer sees it, and a diagram
 * can hold remote images. A mark makes the language unknown; it is removed from the result.
 */
export function withoutDiagrams(
  parser: IRenderMime.IMarkdownParser
): IRenderMime.IMarkdownParser {
  return {
    render: async source => {
      const html = await parser.render(
        source.replace(DIAGRAM_FENCE, `$1${MARK}`)
      );
      return html.replaceAll(`mermaid${MARK}`, 'mermaid');
    }
  };
}

/** Source of widgets that show Markdown of a model. */
export interface IMarkdownRenderer {
  /** Create a widget that is not rendered yet; the caller owns it. */
  create(): IRenderMime.IRenderer;
  /** Draw the formulas in an element of the page. */
  typeset(element: HTMLElement): void;
}

// Without a parser the stock renderer would treat the text as HTML.
const NO_PARSER: IRenderMime.IMarkdownParser = {
  render: () => Promise.reject(new Error('JupyterLab has no Markdown parser.'))
};

/**
 * Return JupyterLab's Markdown renderer with the safeguards above.
 *
 * It comes from the stock factory and not by MIME type: a renderer of another extension might
 * ignore the sanitizer that it gets.
 */
export function safeMarkdown(
  options: IRenderMime.IRendererOptions
): IMarkdownRenderer {
  const safe: IRenderMime.IRendererOptions = {
    ...options,
    mimeType: 'text/markdown',
    sanitizer: new StrictSanitizer(options.sanitizer),
    markdownParser: showingTags(
      withoutDiagrams(options.markdownParser ?? NO_PARSER)
    )
  };
  return {
    create: () => markdownRendererFactory.createRenderer(safe),
    typeset: element => void options.latexTypesetter?.typeset(element)
  };
}
