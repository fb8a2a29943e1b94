import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type * as nbformat from '@jupyterlab/nbformat';
import {
  idInFile,
  keepMessageReady,
  keepMessageReadyNow,
  withoutUnwritten
} from '../live/messageReady';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

const EMPTY = { cell_type: 'code', id: 'e', source: '', metadata: {} };

/** A document that was just read, with cells of these sources. */
function opened(
  sources: string[],
  collaborationEnabled = false,
  writable = true
) {
  const model = new NotebookModel({ collaborationEnabled });
  const read = () =>
    model.fromJSON({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: sources.map((source, index) => ({
        ...EMPTY,
        id: `c${index}`,
        source,
        outputs: [],
        execution_count: null
      }))
    });
  read();
  model.sharedModel.clearUndoHistory();
  model.dirty = false;
  const context = { model, contentsModel: { writable } };
  keepMessageReady(
    context as unknown as Parameters<typeof keepMessageReady>[0]
  );
  const revert = () => {
    read();
    model.dirty = false;
  };
  return { model, revert, context };
}

function shown(model: NotebookModel): string[] {
  return Array.from(model.cells, cell => cell.sharedModel.getSource());
}

function saved(model: NotebookModel): unknown[] {
  const { cells } = model.toJSON();
  return cells.map(({ source }) => source);
}

describe('keepMessageReady', () => {
  it('adds an empty message that is no part of the file, no change and nothing to undo', () => {
    const { model } = opened(['Hi']);

    expect(shown(model)).toEqual(['Hi', '']);
    expect(saved(model)).toEqual(['Hi']);
    expect(model.dirty).toBe(false);
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it('saves what is written, and again nothing when that is removed', () => {
    const { model } = opened(['Hi']);
    const { sharedModel } = model.cells.get(1);

    sharedModel.setSource('More');
    expect(model.dirty).toBe(true);
    expect(saved(model)).toEqual(['Hi', 'More']);
    sharedModel.setSource(' \n');
    expect(saved(model)).toEqual(['Hi']);
  });

  it('adds none where the file has one, and keeps that one in the file', () => {
    const { model } = opened(['Hi', '']);

    expect(shown(model)).toEqual(['Hi', '']);
    expect(saved(model)).toEqual(['Hi', '']);
  });

  it('adds one again when the file was read again, and not when it was deleted', () => {
    const { model, revert } = opened(['Hi']);

    revert();
    expect(shown(model)).toEqual(['Hi', '']);
    expect(saved(model)).toEqual(['Hi']);
    expect(model.dirty).toBe(false);
    model.sharedModel.deleteCell(1);
    expect(shown(model)).toEqual(['Hi']);
  });

  it('adds none to a document that is shared or cannot be written', () => {
    expect(shown(opened(['Hi'], true).model)).toEqual(['Hi']);
    expect(shown(opened(['Hi'], false, false).model)).toEqual(['Hi']);
  });

  it('adds one when a document can be written at last, and not when it was deleted', () => {
    const { model, revert, context } = opened(['Hi'], false, false);

    revert();
    context.contentsModel.writable = true;
    keepMessageReadyNow(context);
    expect(shown(model)).toEqual(['Hi', '']);
    expect(saved(model)).toEqual(['Hi']);
    expect(model.dirty).toBe(false);
    model.sharedModel.deleteCell(1);
    keepMessageReadyNow(context);
    expect(shown(model)).toEqual(['Hi']);
  });

  it('adds one for all views of a document', () => {
    const { model } = opened(['Hi']);
    keepMessageReady({ model } as unknown as Parameters<
      typeof keepMessageReady
    >[0]);

    expect(shown(model)).toEqual(['Hi', '']);
  });
});

describe('withoutUnwritten', () => {
  const notebook = (last: object) =>
    ({
      cells: [EMPTY, { ...EMPTY, outputs: [], ...last }]
    }) as unknown as nbformat.INotebookContent;
  const kept = (last: object, id: string | null = 'e') =>
    withoutUnwritten(notebook(last), id).cells.length === 2;

  it('leaves out a last cell that holds nothing', () => {
    expect(kept({})).toBe(false);
    expect(kept({ source: ['\n', ''] })).toBe(false);
    expect(kept({ metadata: { trusted: true } })).toBe(false);
  });

  it.each([
    { source: 'x' },
    { source: ['', 'x'] },
    { cell_type: 'markdown' },
    { metadata: { msgbook: { agent: 'a' } } },
    { outputs: [{ output_type: 'stream', name: 'stdout', text: 'x' }] }
  ])('keeps %j', last => {
    expect(kept(last)).toBe(true);
  });

  it('keeps any other cell, and takes a notebook without cells', () => {
    expect(kept({}, null)).toBe(true);
    expect(kept({}, 'other')).toBe(true);
    const none = { cells: [] } as unknown as nbformat.INotebookContent;
    expect(withoutUnwritten(none, 'e')).toBe(none);
  });
});

describe('idInFile', () => {
  const idAt = (model: NotebookModel, index: number) =>
    idInFile(model, model.cells.get(index).id);

  it('is the last cell of the file for the message that is left out', () => {
    const { model } = opened(['Hi', 'More']);

    expect([0, 1, 2].map(index => idAt(model, index))).toEqual([
      'c0',
      'c1',
      'c1'
    ]);
  });

  it('is its own once something is written in it, and where the file has no cell', () => {
    const { model } = opened(['Hi']);
    model.cells.get(1).sharedModel.setSource('More');
    expect(idAt(model, 1)).toBe(model.cells.get(1).id);

    const empty = opened([]).model;
    expect(idAt(empty, 0)).toBe(empty.cells.get(0).id);
  });
});
