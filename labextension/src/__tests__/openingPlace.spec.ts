import { NotebookModel } from '@jupyterlab/notebook/lib/model';

import { ActionWatch, firstUnanswered } from '../live/openingPlace';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

describe('firstUnanswered', () => {
  const NOTE = { cell_type: 'markdown', source: 'Read this', metadata: {} };
  const said = { output_type: 'stream', name: 'stdout', text: 'Hello' };
  const code = (source: string, ...outputs: object[]) => ({
    cell_type: 'code',
    source,
    outputs,
    execution_count: null,
    metadata: {}
  });
  const found = (...cells: object[]) => {
    const model = new NotebookModel();
    model.fromJSON({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: cells as never
    });
    const first = firstUnanswered(model.cells);
    model.dispose();
    return first;
  };

  it('is the first message below the notes, if nothing has run', () => {
    expect(found(NOTE, code('Hi'), code('And?'), code(''))).toBe(1);
  });

  it('passes by empty messages', () => {
    expect(found(code(' '), code('Hi'))).toBe(1);
  });

  it.each([
    ['the first', [code('Hi', said), code('And?')]],
    ['a later one', [code('Hi'), code('And?', said)]]
  ])('is none if %s has run', (_, cells) => {
    expect(found(...cells)).toBe(-1);
  });

  it.each([
    ['nothing', []],
    ['notes', [NOTE]],
    ['an empty message', [code('')]]
  ])('is none if there is only %s', (_, cells) => {
    expect(found(...cells)).toBe(-1);
  });
});

describe('ActionWatch', () => {
  const act = (node: HTMLElement, name: string) =>
    node
      .appendChild(document.createElement('button'))
      .dispatchEvent(new Event(name));

  it.each(['keydown', 'pointerdown', 'touchstart', 'wheel'])(
    'notes %s anywhere in the notebook',
    name => {
      const node = document.createElement('div');
      const watch = new ActionWatch(node);
      expect(watch.hasActed).toBe(false);
      act(node, name);
      expect(watch.hasActed).toBe(true);
    }
  );

  it('takes no notice of what the page does itself, and of what comes later', () => {
    const node = document.createElement('div');
    const watch = new ActionWatch(node);
    act(node, 'focus');
    act(node, 'scroll');
    watch.dispose();
    act(node, 'keydown');
    expect(watch.hasActed).toBe(false);
  });
});
