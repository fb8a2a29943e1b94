import { markdownRendererFactory, MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { FORMULA_CLASS, htmlOf, plainCode, type ColourCode } from './dialect';
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

/** Source of widgets that show Markdown of a model. */
export interface IMarkdownRenderer {
  /** Create a widget that is not rendered yet; the caller owns it. */
  create(): IRenderMime.IRenderer;
  /** Draw the formulas in an element of the page. */
  typeset(element: HTMLElement): void;
}

/**
 * Return JupyterLab's Markdown renderer with our parser and the sanitizer above.
 *
 * It comes from the stock factory and not by MIME type: a renderer of another extension might
 * ignore the sanitizer that it gets. Its own search for formulas knows neither blocks nor money; so
 * it gets the text in a form in which it finds none, and MathJax the elements of formulas alone.
 *
 * @param toHtml - Parses a text; by default in our dialect.
 */
export function safeMarkdown(
  options: IRenderMime.IRendererOptions,
  toHtml = inDialect(options.markdownParser)
): IMarkdownRenderer {
  const { latexTypesetter } = options;
  const typeset = (element: HTMLElement) => {
    for (const formula of formulasIn(element)) {
      void latexTypesetter?.typeset(formula);
    }
  };
  const safe: IRenderMime.IRendererOptions = {
    ...options,
    mimeType: 'text/markdown',
    sanitizer: new StrictSanitizer(options.sanitizer),
    latexTypesetter: latexTypesetter && { typeset },
    markdownParser: {
      render: async hidden => {
        const html = await toHtml(decodeURIComponent(hidden));
        // Two of these around a number are the renderer's mark for a formula.
        return html.replaceAll('@@', '@&#64;');
      }
    }
  };
  return {
    create: () => {
      const widget = markdownRendererFactory.createRenderer(safe);
      const render = widget.renderModel.bind(widget);
      widget.renderModel = ({ data, trusted }) => {
        const found = data['text/markdown'];
        const text = typeof found === 'string' ? found : '';
        const hidden = {
          'text/markdown': encodeURIComponent(wellFormed(text))
        };
        return render(new MimeModel({ data: hidden, trusted }));
      };
      return widget;
    },
    typeset
  };
}

/** Return a text with a sign in place of each half of a character. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function formulasIn(element: HTMLElement): HTMLElement[] {
  const found = element.querySelectorAll<HTMLElement>(`.${FORMULA_CLASS}`);
  return element.classList.contains(FORMULA_CLASS)
    ? [element]
    : Array.from(found);
}

/** Returns the HTML of a text of Markdown; it need not be safe. */
export type ToHtml = (text: string) => Promise<string>;

function inDialect(
  parser: IRenderMime.IMarkdownParser | null | undefined
): ToHtml {
  const colour = colouring(parser);
  return text => htmlOf(text, colour);
}

/**
 * Return a function that lets JupyterLab's parser colour a block of code.
 *
 * Never a diagram: JupyterLab draws it while it parses, before any sanitizer sees it, and a diagram
 * can hold remote images.
 */
function colouring(
  parser: IRenderMime.IMarkdownParser | null | undefined
): ColourCode {
  return async (code, language) => {
    if (!parser || language.toLowerCase() === 'mermaid') {
      return plainCode(code, language);
    }
    const runs = Array.from(code.matchAll(/~+/g), ([run]) => run.length);
    const fence = '~'.repeat(Math.max(2, ...runs) + 1);
    return parser.render(`${fence}${language}\n${code}${fence}\n`);
  };
}
