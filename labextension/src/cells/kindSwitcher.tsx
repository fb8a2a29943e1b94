import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { HTMLSelect, ReactWidget } from '@jupyterlab/ui-components';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';
import React from 'react';
import type { BareCell } from '../comm/ourKernels';
import { bareCellIn, onKernelChoice } from '../live/chatNotebook';
import { chooseKind, selectedKind } from './changeKind';
import { type Kind, KINDS } from './kinds';

/** Return the name of a kind. */
export function kindName(kind: Kind, trans: TranslationBundle): string {
  return {
    message: trans.__('Message'),
    python: trans.__('Python'),
    shell: trans.__('Shell'),
    note: trans.__('Note'),
    raw: trans.__('Raw')
  }[kind];
}

/**
 * The place in the notebook's toolbar where the type of a cell is chosen: in a chat its kind.
 *
 * @param theirs - JupyterLab's own list, for all other notebooks.
 */
export function kindItem(
  panel: NotebookPanel,
  theirs: Widget | undefined,
  trans: TranslationBundle
): Widget {
  const ours = new KindSwitcher(panel, trans);
  const item = new Widget();
  const layout = (item.layout = new PanelLayout());
  [ours, ...(theirs === undefined ? [] : [theirs])].forEach(one =>
    layout.addWidget(one)
  );
  const update = () => {
    const isChat = bareCellIn(panel.sessionContext) !== null;
    ours.setHidden(!isChat);
    theirs?.setHidden(isChat);
  };
  onKernelChoice(panel, update);
  update();
  return item;
}

/** Shows and changes the kind of the selected cells. */
class KindSwitcher extends ReactWidget {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _trans: TranslationBundle
  ) {
    super();
    // JupyterLab's own classes, for its look.
    this.addClass('jp-Notebook-toolbarCellType');
    this.addClass('msgbook-KindSwitcher');
    const { content } = this._panel;
    content.activeCellChanged.connect(this._follow, this);
    content.selectionChanged.connect(this.update, this);
    onKernelChoice(this._panel, () => this.update());
    this._follow();
  }

  override dispose(): void {
    Signal.clearData(this);
    super.dispose();
  }

  protected override render(): JSX.Element {
    const trans = this._trans;
    const kind = this._kind;
    // What a key has changed is told by the list's neighbour: the list has not the focus.
    return (
      <>
        <HTMLSelect
          className="jp-Notebook-toolbarCellTypeDropdown"
          aria-label={trans.__('Kind of cell')}
          title={trans.__(
            'Kind of cell. P switches between a message and Python.'
          )}
          value={kind ?? '-'}
          disabled={this._panel.content.model?.readOnly ?? true}
          onChange={event => this._choose(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Enter') {
              this._panel.content.activate();
            }
          }}
        >
          <option value="-" disabled>
            -
          </option>
          {KINDS.map(one => (
            <option key={one} value={one}>
              {kindName(one, trans)}
            </option>
          ))}
        </HTMLSelect>
        <span role="status" className="msgbook-KindSwitcher-said">
          {this._said}
        </span>
      </>
    );
  }

  private get _bare(): BareCell | null {
    return bareCellIn(this._panel.sessionContext);
  }

  private get _kind(): Kind | null {
    const bare = this._bare;
    return bare === null ? null : selectedKind(this._panel.content, bare);
  }

  private _choose(value: string): void {
    const kind = KINDS.find(one => one === value);
    const bare = this._bare;
    if (kind !== undefined && bare !== null) {
      void chooseKind(this._panel.content, kind, bare);
    }
    this.update();
  }

  /** Follow what is written into the active cell. */
  private _follow(): void {
    this._followed?.contentChanged.disconnect(this._onContent, this);
    this._followed = this._panel.content.activeCell?.model ?? null;
    this._followed?.contentChanged.connect(this._onContent, this);
    this._shown = this._kind;
    this._said = '';
    this.update();
  }

  private _onContent(): void {
    const kind = this._kind;
    if (kind !== this._shown) {
      this._shown = kind;
      this._said = kind === null ? '' : kindName(kind, this._trans);
      this.update();
    }
  }

  private _followed: ICellModel | null = null;
  private _shown: Kind | null = null;
  private _said = '';
}
