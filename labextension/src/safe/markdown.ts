import { markdownRendererFactory, MimeModel } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type ColourCode, FORMULA_CLASS, htmlOf, plainCode } from './dialect';
import { showForeignTags, strictHtml } from './strictHtml';

/**
 * A sanitizer that is stricter than the one it wraps, whatever the user's settings.
 *
 * JupyterLab's own keeps remote images, style sheets with URLs and the classes of its dialogs.
 */
export class StrictSanitizer implements IRenderMime.ISanitizer {
  constructor(private readonly _inner: IRenderMime.ISanitizer) {}

  readonly allowNamedProperties = false;

  readonly allowCommandLinker = false;

  getAutolink(): boolean {
    return this._inner.getAutolink?.() ?? true;
  }

  sanitize(dirty: string, options?: IRenderMime.ISanitizerOptions): string {
    return strictHtml(this._inner.sanitize(showForeignTags(dirty), options));
  }
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
    // Code that nothing closes may end without a line break.
    const lines = code.replace(/(?<=[^\n])$/, '\n');
    return parser.render(`${fence}${language}\n${lines}${fence}\n`);
  };
}

/*
 * JupyterLab's Markdown takes the square, or more, of the length of some texts: of a paragraph with
 * thousands of marks that open and never close, of long runs of backticks, of fences that nothing
 * closes. Meanwhile the page is frozen, and nothing can interrupt it. So an upper bound of the time is
 * estimated first, in linear time. The limits correspond to about half a second.
 */

/** A character that makes a parser search to the end of the paragraph. */
const MARK = /[*_~`[]/g;

/** Greatest product of a paragraph's characters and the marks in it. */
const MAX_PARAGRAPH_COST = 5e6;

/** Greatest sum of these products over all paragraphs. */
const MAX_TEXT_COST = 5e7;

/** Greatest product of fence lines and characters of the text. */
const MAX_FENCE_COST = 1e8;

/** Marks of formulas in a text that is rendered whole: each formula is two elements, and MathJax draws it. */
const MAX_FORMULA_MARKS = 5_000;

/** What may open or close a formula. */
const FORMULA_MARK = /\$\$?|\\[[\]()]|\\(?:begin|end)\{/g;

/** Backticks or tildes in a row that are too many. */
const MAX_RUN = 64;

/** A line that opens or closes a fence for some parser. */
const MAYBE_FENCE = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})/;

/** A line that opens or closes a fence for every parser. */
const SURE_FENCE = /^ {0,3}(`{3,}|~{3,})[\w+.#-]*[ \t]*$/;

/** More lists and quotes inside each other than anyone writes. */
const NESTED = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])(?=[ \t>])){20}/;

/** An item of a list, which ends the paragraph before it. */
const ITEM = /^ {0,3}[-+*] {1,3}\S/;

const TOO_LONG_RUN = new RegExp(`\`{${MAX_RUN}}|~{${MAX_RUN}}`);

/** Return whether rendering this Markdown would block the page for too long. */
export function takesTooLong(source: string): boolean {
  const lines = source.split(/\r\n?|\n/);
  const edges = lines.filter(line => MAYBE_FENCE.test(line));
  const prose = proseOf(lines, edges);
  return (
    TOO_LONG_RUN.test(source) ||
    edges.length * source.length > MAX_FENCE_COST ||
    lines.some(
      line => NESTED.test(line) || inTicks(line) > MAX_PARAGRAPH_COST
    ) ||
    hasManyFormulas(prose) ||
    isDense(prose)
  );
}

/** Return the lines outside of code: all of them, unless parsers agree about every fence. */
function proseOf(lines: readonly string[], edges: readonly string[]): string[] {
  if (!edges.every(edge => SURE_FENCE.test(edge))) {
    return [...lines];
  }
  let open = '';
  return lines.map(line => {
    const fence = SURE_FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      open = open === '' ? fence : fence.startsWith(open) ? '' : open;
      return '';
    }
    return open === '' ? line : '';
  });
}

function hasManyFormulas(lines: readonly string[]): boolean {
  let marks = 0;
  for (const line of lines) {
    marks += count(line, FORMULA_MARK);
  }
  return marks > MAX_FORMULA_MARKS;
}

/** Return whether paragraphs have too many marks for their length. */
function isDense(lines: readonly string[]): boolean {
  let length = 0;
  let marks = 0;
  let all = 0;
  let most = 0;
  const close = () => {
    most = Math.max(most, length * marks);
    all += length * marks;
    length = 0;
    marks = 0;
  };
  for (const line of lines) {
    // Each row of a table and each item of a list counts as a paragraph.
    const isRow = line.trimStart().startsWith('|');
    if (isRow || ITEM.test(line) || line.trim() === '') {
      close();
    }
    length += line.length;
    marks += count(line, MARK);
    if (isRow) {
      close();
    }
  }
  close();
  return most > MAX_PARAGRAPH_COST || all > MAX_TEXT_COST;
}

/** Return the cost of finding inline code in a line; some parsers look for it in fences, too. */
function inTicks(line: string): number {
  return line.length * count(line, /`/g);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Return a renderer that changes what it has rendered of each text. */
export function afterRender(
  markdown: IMarkdownRenderer,
  change: (node: HTMLElement) => void
): IMarkdownRenderer {
  return {
    ...markdown,
    create: () => {
      const widget = markdown.create();
      const render = widget.renderModel.bind(widget);
      widget.renderModel = async model => {
        await render(model);
        change(widget.node);
      };
      return widget;
    }
  };
}
