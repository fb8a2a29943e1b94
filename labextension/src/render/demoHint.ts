import type { TranslationBundle } from '@jupyterlab/translation';

import type { ITurn } from '../turn/model';
import { element } from './dom';

const DEMO = 'demo';

/** A line below the demo model's first answer: how to get another model. */
export class DemoHint {
  /** @param connect - Opens the form that connects a model; undefined where there is none. */
  constructor(trans: TranslationBundle, connect: (() => void) | undefined) {
    this._trans = trans;
    this._connect = connect;
    this.node.hidden = true;
  }

  readonly node = element('div', 'msgbook-DemoHint');

  show({ model, provider, context }: ITurn, live: boolean): void {
    const isFirst = (context.cells ?? 0) === 0;
    const isDemo = model === DEMO && (provider ?? DEMO) === DEMO;
    this.node.hidden = live || !isFirst || !isDemo || !this._connect;
    if (!this.node.hidden && !this.node.hasChildNodes()) {
      this._fill();
    }
  }

  private _fill(): void {
    const button = element(
      'button',
      'msgbook-DemoHint-button jp-mod-styled',
      this._trans.__('Connect a Model…')
    );
    button.type = 'button';
    button.addEventListener('click', () => this._connect?.());
    this.node.append(
      element(
        'span',
        '',
        this._trans.__('This was the built-in demo model. Connect your own:')
      ),
      button
    );
  }

  private readonly _trans: TranslationBundle;
  private readonly _connect: (() => void) | undefined;
}
