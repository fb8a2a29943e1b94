import type { TranslationBundle } from '@jupyterlab/translation';
import {
  addBelowIcon,
  copyIcon,
  type LabIcon,
  runIcon,
  saveIcon
} from '@jupyterlab/ui-components';
import { button, copyText, element } from '../render/dom';
import { codeIn, type ICodeActions } from './notebookCode';

const CODE = '.msgbook-Turn .msgbook-Text pre';

/**
 * The buttons for the code that the pointer or the focus is on.
 *
 * There is one toolbar for all code of a notebook: answers have many blocks of code, and buttons for
 * each would be a large part of the page. It stands behind its code, so Tab leads from the code to
 * its buttons.
 */
export class CodeToolbar {
  /** @param root - Contains the answers; its listeners end with it. */
  constructor(
    root: HTMLElement,
    private readonly _actions: ICodeActions,
    trans: TranslationBundle
  ) {
    this._trans = trans;
    this._node = element('div', 'msgbook-CodeTools', this._said);
    this._node.setAttribute('role', 'toolbar');
    this._node.setAttribute('aria-label', trans.__('Code'));
    this._said.setAttribute('role', 'status');
    this._button(copyIcon, trans.__('Copy the code'), () => this._copyCode());
    this._insert = this._button(
      addBelowIcon,
      trans.__('Insert the code below as a cell'),
      pre => void this._actions.insert(pre, codeIn(pre), false)
    );
    this._run = this._button(
      runIcon,
      trans.__('Insert the code below as a cell and run it'),
      pre => void this._actions.insert(pre, codeIn(pre), true)
    );
    this._button(
      saveIcon,
      trans.__('Save the code as a file'),
      pre => void this._actions.save(codeIn(pre))
    );
    root.addEventListener('pointerover', event => this._point(event.target));
    root.addEventListener('pointerleave', () => this._point(null));
    root.addEventListener('focusin', event => this._focus(event.target));
    root.addEventListener('focusout', event =>
      this._focus(event.relatedTarget)
    );
  }

  private _point(target: EventTarget | null): void {
    this._pointed = this._codeAt(target);
    this._update();
  }

  private _focus(target: EventTarget | null): void {
    this._focused = this._codeAt(target);
    this._update();
  }

  private _codeAt(target: EventTarget | null): HTMLElement | null {
    if (!(target instanceof Element)) {
      return null;
    }
    return this._node.contains(target)
      ? this._code
      : target.closest<HTMLElement>(CODE);
  }

  private _update(): void {
    const code = this._pointed ?? this._focused;
    if (code !== this._code) {
      this._code = code;
      this._said.textContent = '';
      if (code === null) {
        this._node.remove();
      } else {
        this._show(code);
      }
    }
  }

  private _show(code: HTMLElement): void {
    this._insert.disabled = !this._actions.canInsert();
    this._run.disabled = !this._actions.canRun(codeIn(code));
    code.after(this._node);
    const width = code.offsetParent?.clientWidth ?? 0;
    const isRightToLeft = getComputedStyle(code).direction === 'rtl';
    const end = isRightToLeft
      ? code.offsetLeft
      : width - code.offsetLeft - code.offsetWidth;
    this._node.style.insetBlockStart = `${code.offsetTop}px`;
    this._node.style.insetInlineEnd = `${end}px`;
  }

  private _copyCode(): void {
    if (this._code !== null) {
      copyText(codeIn(this._code).text);
      this._said.textContent = this._trans.__('Copied');
    }
  }

  private _button(
    icon: LabIcon,
    label: string,
    act: (code: HTMLElement) => void
  ): HTMLButtonElement {
    const made = button('msgbook-CodeTools-button', '', () => {
      if (this._code !== null) {
        act(this._code);
      }
    });
    made.title = label;
    made.setAttribute('aria-label', label);
    icon.element({ container: made, tag: 'span' });
    this._node.append(made);
    return made;
  }

  private readonly _trans: TranslationBundle;
  private readonly _node: HTMLElement;
  private readonly _said = element('span', 'msgbook-CodeTools-said');
  private readonly _insert: HTMLButtonElement;
  private readonly _run: HTMLButtonElement;
  private _code: HTMLElement | null = null;
  private _pointed: HTMLElement | null = null;
  private _focused: HTMLElement | null = null;
}
