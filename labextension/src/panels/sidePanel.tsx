import type { TranslationBundle } from '@jupyterlab/translation';
import {
  ReactWidget,
  UseSignal,
  type LabIcon
} from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type { ISignal } from '@lumino/signaling';
import { Panel } from '@lumino/widgets';
import React from 'react';

import { Boundary } from './boundary';

/** What a panel does as long as it is visible. */
export interface IPanelWork {
  start(): void;
  stop(): void;
  dispose(): void;
}

export interface ISidePanelOptions {
  readonly id: string;
  /** The panel's own class. */
  readonly look: string;
  readonly icon: LabIcon;
  readonly name: string;
  /** What the panel's tab says; by default the name. */
  readonly caption?: string;
}

/** A panel in a side bar, which works only while it is visible. */
export class SidePanel extends Panel {
  constructor(options: ISidePanelOptions, ...work: IPanelWork[]) {
    super();
    this._work = work;
    this.id = options.id;
    this.addClass('msgbook-SidePanel');
    this.addClass(options.look);
    this.title.icon = options.icon;
    this.title.caption = options.caption ?? options.name;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', options.name);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      super.dispose();
      this._work.forEach(one => one.dispose());
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._setRunning(this.isVisible);
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._setRunning(true);
  }

  protected override onBeforeHide(message: Message): void {
    this._setRunning(false);
    super.onBeforeHide(message);
  }

  protected override onBeforeDetach(message: Message): void {
    this._setRunning(false);
    super.onBeforeDetach(message);
  }

  private _setRunning(isRunning: boolean): void {
    if (isRunning !== this._isRunning) {
      this._isRunning = isRunning;
      this._work.forEach(one => (isRunning ? one.start() : one.stop()));
    }
  }

  private readonly _work: readonly IPanelWork[];
  private _isRunning = false;
}

/** Return a widget that draws a view again with each signal. */
export function reactView(
  changed: ISignal<unknown, unknown>,
  trans: TranslationBundle,
  view: () => JSX.Element
): ReactWidget {
  return ReactWidget.create(
    <UseSignal signal={changed}>
      {() => <Boundary trans={trans}>{view()}</Boundary>}
    </UseSignal>
  );
}
