import { Clipboard } from '@jupyterlab/apputils';

/** Create an element with a class and `children`; strings become text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.className = className;
  node.append(...children);
  return node;
}

/** Return `text` as nodes: what stands between two backticks on a line is code, without them. */
export function withCodeSpans(text: string): (HTMLElement | string)[] {
  // With one group, `split` returns the texts around the matches and the groups in turn.
  return text
    .split(/`([^`\n]+)`/)
    .map((part, i) =>
      i % 2 === 1 ? element('code', 'msgbook-Code', part) : part
    );
}

/** Text that grows at its end, so that a person's selection stays. */
export class GrowingText {
  readonly node = document.createElement('span');

  show(text: string): void {
    const node = this._text;
    // JupyterLab's search splits what it finds, and may leave the node out when it joins the parts.
    const isWhole =
      node.parentNode === this.node &&
      this.node.childNodes.length === 1 &&
      node.data === this._shown;
    if (!isWhole) {
      // Its marks need a parent when it takes them away.
      element('span', '', ...this.node.childNodes);
      this.node.append(node);
      node.data = text;
    } else if (text.startsWith(node.data)) {
      if (text.length > node.data.length) {
        node.appendData(text.slice(node.data.length));
      }
    } else {
      node.data = text;
    }
    this._shown = text;
  }

  private readonly _text = this.node.appendChild(document.createTextNode(''));
  private _shown = '';
}

/** A `<details>` element that opens and closes by itself until a person does so by hand. */
export class Disclosure {
  constructor(className: string, body: HTMLElement) {
    this._label = element('span', 'msgbook-Disclosure-label');
    this._note = element('span', 'msgbook-Disclosure-note');
    const summary = element(
      'summary',
      'msgbook-Disclosure-summary',
      this._label,
      this._note,
      this._gist
    );
    this._summary = summary;
    // Enter and Space make a click, too. `toggle` would also report changes by this class.
    summary.addEventListener('click', () => {
      this._byHand = true;
    });
    this.node = element(
      'details',
      `msgbook-Disclosure ${className}`,
      summary,
      body
    );
    this.node.addEventListener('toggle', () => this._fillIfOpen());
  }

  readonly node: HTMLDetailsElement;

  /** Set the line that is always visible: a label, and a note in a quieter style. */
  label(label: string, note = ''): void {
    setText(this._label, label);
    setText(this._note, note);
  }

  /**
   * Set the body's content in one line; the style sheet cuts it, and hides it while the body is
   * open.
   */
  gist(text: string): void {
    setText(this._gist, text);
  }

  /** Open or close, unless a person already did. */
  suggestOpen(open: boolean): void {
    if (!this._byHand && this.node.open !== open) {
      this.node.open = open;
    }
  }

  /** Open even if a person closed it, since there is something to decide. */
  open(): void {
    this.node.open = true;
  }

  /** Call `fill` once when the body is open: now or later. It replaces the one of an earlier call. */
  whenOpen(fill: () => void): void {
    this._fill = fill;
    this._fillIfOpen();
  }

  /** Call `act` before a person closes the body. */
  beforeClose(act: () => void): void {
    this._summary.addEventListener('click', () => {
      if (this.node.open) {
        act();
      }
    });
  }

  /** Focus the line that is always visible. */
  focus(): void {
    this._summary.focus({ preventScroll: true });
  }

  /** Scroll as little as shows the line that is always visible: after a close it may be far above. */
  show(): void {
    this._summary.scrollIntoView?.({ block: 'nearest' });
  }

  private _fillIfOpen(): void {
    if (this.node.open) {
      const fill = this._fill;
      this._fill = null;
      fill?.();
    }
  }

  private _fill: (() => void) | null = null;
  private readonly _summary: HTMLElement;
  private readonly _label: HTMLElement;
  private readonly _gist = element('span', 'msgbook-Disclosure-gist');
  private readonly _note: HTMLElement;
  private _byHand = false;
}

/** Set the text of a node unless it has it already, since a new text node ends a selection. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** Return a button that calls `act` when it is pressed. */
export function button(
  className: string,
  label: string,
  act: (event: MouseEvent) => void
): HTMLButtonElement {
  const node = element('button', className, label);
  node.type = 'button';
  node.addEventListener('click', act);
  return node;
}

/** Return the properties of a text field in React, for code or names. */
export function textField(
  value: string,
  change: (value: string) => void
): {
  value: string;
  spellCheck: boolean;
  onChange: (event: { readonly target: { readonly value: string } }) => void;
} {
  const onChange = ({ target }: { readonly target: { value: string } }) =>
    change(target.value);
  return { value, spellCheck: false, onChange };
}

/** Return a button that does something with a turn; it is disabled until that is done. */
export function actionButton(
  label: string,
  name: string,
  act: () => Promise<void>
): HTMLButtonElement {
  const node = button('msgbook-Action', label, event => {
    event.preventDefault();
    event.stopPropagation();
    node.disabled = true;
    void act().finally(() => {
      node.disabled = false;
    });
  });
  node.setAttribute('aria-label', name);
  return node;
}

/**
 * Copy text to the system's clipboard, and leave the focus where it is.
 *
 * JupyterLab restores the selection afterwards, and Chromium then gives the focus to the editor that
 * the selection is in: a person at a button would go on in the message whose cursor they had left.
 */
export function copyText(text: string): void {
  const selection = window.getSelection();
  const editor = elementOf(selection?.anchorNode ?? null)?.closest(
    '[contenteditable="true"]'
  );
  if (editor && !editor.contains(document.activeElement)) {
    // The editor keeps its own, and shows it when it has the focus again.
    selection?.removeAllRanges();
  }
  Clipboard.copyToSystem(text);
}

function elementOf(node: Node | null): Element | null {
  return node instanceof Element ? node : (node?.parentElement ?? null);
}
