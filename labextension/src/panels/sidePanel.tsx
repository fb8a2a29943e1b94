import type { TranslationBundle } from '@jupyterlab/translation';
import {
  type LabIcon,
  ReactWidget,
  UseSignal
} from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type { ISignal } from '@lumino/signaling';
import { Panel, type Widget } from '@lumino/widgets';
import React from 'react';
import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import { addCommand } from '../commands';

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

/** Where a side panel stands, and the command that shows it. */
export interface ISidePanelPlace {
  readonly area: 'left' | 'right';
  readonly rank: number;
  /** Kind of panel, by which JupyterLab's settings name it. */
  readonly type: string;
  readonly command: string;
  readonly label: string;
  readonly caption: string;
}

/** What a page may lack. */
export interface ISidePanelServices {
  readonly trans: TranslationBundle;
  readonly palette: ICommandPalette | null;
  readonly restorer: ILayoutRestorer | null;
}

/** Add a panel to a side bar, and the command that shows it to the palette. */
export function addSidePanel(
  app: JupyterFrontEnd,
  panel: Widget,
  place: ISidePanelPlace,
  { trans, palette, restorer }: ISidePanelServices
): void {
  const { shell } = app;
  const { area, rank, type, command, label, caption } = place;
  makeFocusable(shell, panel);
  shell.add(panel, area, { rank, type });
  restorer?.add(panel, panel.id);
  addCommand(app, palette, trans, command, {
    label,
    caption,
    icon: panel.title.icon,
    execute: () => showPanel(shell, panel)
  });
}

/** Let a side panel take the focus, which Escape gives back to the document in front. */
function makeFocusable(shell: JupyterFrontEnd.IShell, panel: Widget): void {
  panel.node.tabIndex = -1;
  panel.node.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      shell.currentWidget?.activate();
    }
  });
}

/** Show a side panel and give it the focus. */
function showPanel(shell: JupyterFrontEnd.IShell, panel: Widget): void {
  shell.activateById(panel.id);
  // The command palette gives the focus back to the notebook when it closes, after this command.
  requestAnimationFrame(() => panel.node.focus());
}

interface IBoundaryProps {
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
}

/** Shows words in place of what cannot be drawn, until there is something else to draw. */
export class Boundary extends React.Component<
  IBoundaryProps,
  { readonly isBroken: boolean }
> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidUpdate(
    before: IBoundaryProps,
    { isBroken }: { isBroken: boolean }
  ): void {
    if (isBroken && before.children !== this.props.children) {
      this.setState({ isBroken: false });
    }
  }

  override render(): React.ReactNode {
    return this.state.isBroken ? (
      <p className="msgbook-Boundary" role="alert">
        {this.props.trans.__(
          'This cannot be shown. The browser console says why.'
        )}
      </p>
    ) : (
      this.props.children
    );
  }
}
