import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import React from 'react';

import { contextIcon } from '../icons';
import type { IPageConnections } from '../tokens';
import { Boundary } from './boundary';
import { ContextModel } from './contextModel';
import { ContextView } from './contextView';

/** The side panel with the request of the active prompt. While it is hidden, it does nothing. */
export class ContextPanel extends ReactWidget {
  constructor(connections: IPageConnections, trans: TranslationBundle) {
    super();
    this._model = new ContextModel(connections, trans);
    this._trans = trans;
    this.id = 'msgbook-context';
    this.addClass('msgbook-Context');
    this.title.icon = contextIcon;
    this.title.caption = trans.__('Context: what the next message sends');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Context'));
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._model.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return (
      <UseSignal signal={this._model.changed}>
        {() => (
          <Boundary trans={this._trans}>
            <ContextView model={this._model} trans={this._trans} />
          </Boundary>
        )}
      </UseSignal>
    );
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._start();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._start();
    }
  }

  protected override onBeforeHide(message: Message): void {
    this._stop();
    super.onBeforeHide(message);
  }

  protected override onBeforeDetach(message: Message): void {
    this._stop();
    super.onBeforeDetach(message);
  }

  private _start(): void {
    if (!this._isRunning) {
      this._isRunning = true;
      this._model.start();
    }
  }

  private _stop(): void {
    if (this._isRunning) {
      this._isRunning = false;
      this._model.stop();
    }
  }

  private readonly _model: ContextModel;
  private readonly _trans: TranslationBundle;
  private _isRunning = false;
}
