import { EditorState, Facet } from '@codemirror/state';
import type { CodeCell } from '@jupyterlab/cells';
import { PromiseDelegate } from '@lumino/coreutils';
import { extendEditor, waitingExtensions } from '../prompts/promptHover';

const names = Facet.define<string>();

/** A cell that makes its editor when it is told to. */
class LaterCell {
  constructor(readonly model = {}) {}

  get cell(): CodeCell {
    return this as unknown as CodeCell;
  }

  /** Make the editor with what the registry adds, or as JupyterLab did before it was asked. */
  async make(isAsked = true): Promise<readonly string[]> {
    const { model } = this.cell;
    const added = isAsked
      ? waitingExtensions.factory({ inline: true, model })
      : null;
    const state = EditorState.create({
      extensions: added?.instance(undefined) ?? []
    });
    this.editor = { editor: { state }, injectExtension: this.injected };
    this._ready.resolve();
    await this.ready;
    return state.facet(names);
  }

  get ready(): Promise<void> {
    return this._ready.promise;
  }

  readonly isDisposed = false;
  readonly injected = jest.fn();
  editor: unknown = null;
  private readonly _ready = new PromiseDelegate<void>();
}

describe('extendEditor', () => {
  it('has an editor made with its extensions, which are not added again', async () => {
    const one = new LaterCell();
    extendEditor(one.cell, names.of('look'));
    extendEditor(one.cell, names.of('help'));
    expect(await one.make()).toEqual(['look', 'help']);
    expect(one.injected).not.toHaveBeenCalled();
  });

  it('adds its extensions to an editor that was made without them', async () => {
    const one = new LaterCell();
    extendEditor(one.cell, names.of('look'));
    await one.make(false);
    expect(one.injected).toHaveBeenCalledTimes(1);
  });

  it('adds the extensions of each view of a cell to its own editor', async () => {
    const one = new LaterCell();
    const other = new LaterCell(one.model);
    extendEditor(one.cell, names.of('one'));
    extendEditor(other.cell, names.of('other'));
    expect(await one.make()).toEqual([]);
    expect(one.injected).toHaveBeenCalledTimes(1);
    expect(await other.make()).toEqual(['other']);
    expect(other.injected).not.toHaveBeenCalled();
  });
});
