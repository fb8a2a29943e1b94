import { NotebookModel } from '@jupyterlab/notebook/lib/model';

import { Signal } from '@lumino/signaling';
import { ActionWatch, EndKeeper, firstUnanswered } from '../view/openingPlace';
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

describe('the end of a chat that opens', () => {
  /** A view of 100 pixels on a cell of 500. */
  function opened() {
    const outerNode = document.createElement('div');
    const node = document.createElement('div');
    document.body.append(outerNode);
    outerNode.append(node);
    Object.defineProperty(node, 'offsetHeight', { value: 500 });
    outerNode.getBoundingClientRect = () => ({ bottom: 100 }) as DOMRect;
    node.getBoundingClientRect = () =>
      ({ bottom: 500 - outerNode.scrollTop }) as DOMRect;
    const content = { outerNode, widgets: [{ node }] } as never;
    new EndKeeper({
      content,
      node: outerNode,
      disposed: new Signal({})
    } as never);
    const scroll = (to: number) => {
      outerNode.scrollTop = to;
      outerNode.dispatchEvent(new Event('scroll'));
      return outerNode.scrollTop;
    };
    return { outerNode, scroll, end: outerNode.scrollTop };
  }

  it('is shown also where JupyterLab leaves a bit of it', () => {
    const { scroll, end } = opened();
    expect(end).toBe(412);
    expect(scroll(end - 7)).toBe(end);
    expect(scroll(end - 42)).toBe(end);
  });

  it('gives way to a place elsewhere, and to a person', () => {
    const elsewhere = opened();
    expect(elsewhere.scroll(200)).toBe(200);
    expect(elsewhere.scroll(elsewhere.end - 7)).toBe(elsewhere.end - 7);
    const { outerNode, scroll, end } = opened();
    outerNode.dispatchEvent(new Event('wheel'));
    expect(scroll(end - 7)).toBe(end - 7);
  });
});
