import type { Notebook } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { SeenCells, turnCellHeight } from '../view/seenCells';
import { ScrollAnchor } from '../view/scrollAnchor';
import { TURN_MIME } from '../turn/model';

function turnCell(text: string, source = 'Hello') {
  const blocks = [{ type: 'text', step: 1, text }];
  const data = { [TURN_MIME]: { version: 1, status: 'done', blocks } };
  return {
    id: 'a',
    type: 'code',
    sharedModel: { getSource: () => source },
    outputs: { length: 1, get: () => ({ toJSON: () => ({ data }) }) }
  } as never;
}

describe('the height of a turn that was never on the screen', () => {
  const heightOf = (...from: Parameters<typeof turnCell>) =>
    turnCellHeight(turnCell(...from))!;

  it('grows with its answer and its prompt', () => {
    const short = heightOf('Yes.');
    expect(short).toBeGreaterThan(50);
    expect(heightOf('Yes.\n\n'.repeat(20))).toBeGreaterThan(short + 400);
    expect(heightOf('word '.repeat(500))).toBeGreaterThan(short + 300);
    expect(heightOf('Yes.', 'Hello\n'.repeat(10))).toBeGreaterThan(short + 100);
  });

  it('is not known of other cells', () => {
    const outputs = { length: 0 };
    const other = { type: 'code', outputs } as never;
    expect(turnCellHeight(other)).toBeNull();
    expect(turnCellHeight({ type: 'markdown' } as never)).toBeNull();
  });
});

describe('JupyterLab builds the cells that were never in view', () => {
  function notebook(isChat: boolean) {
    const state = { isChat, builds: 0 };
    const parts = {
      _scheduleCellRenderOnIdle: () => {
        state.builds += 1;
      },
      disposed: new Signal({}),
      model: null,
      modelChanged: new Signal({}),
      widgets: []
    };
    const seen = new SeenCells(
      parts as unknown as Notebook,
      () => state.isChat
    );
    return { state, seen, insert: () => parts._scheduleCellRenderOnIdle() };
  }

  it('in its own notebooks, and not in chats', () => {
    const plain = notebook(false);
    plain.insert();
    expect(plain.state.builds).toBe(1);
    const chat = notebook(true);
    chat.insert();
    expect(chat.state.builds).toBe(0);
  });

  it('as soon as a notebook is no chat any more', () => {
    const { state, seen } = notebook(true);
    state.isChat = false;
    seen.update();
    expect(state.builds).toBe(1);
  });
});

describe('what is scrolled to', () => {
  /** A notebook that shows a cell, and how far that is below the top of the page. */
  function scrolled() {
    const outerNode = document.createElement('div');
    const node = document.createElement('div');
    document.body.append(outerNode);
    outerNode.append(node);
    const place = { top: 40, height: 100, width: 800 };
    Object.defineProperty(node, 'offsetHeight', { get: () => place.height });
    Object.defineProperty(outerNode, 'clientWidth', { get: () => place.width });
    Object.defineProperty(outerNode, 'clientHeight', { value: 90 });
    node.getBoundingClientRect = () =>
      ({ top: place.top - outerNode.scrollTop }) as DOMRect;
    const notebook = {
      outerNode,
      widgets: [{ node }],
      scrollToItem: () => Promise.resolve()
    } as unknown as Notebook;
    const anchor = new ScrollAnchor(notebook, () => true);
    const scroll = (to: number) => {
      outerNode.scrollTop = to;
      outerNode.dispatchEvent(new Event('scroll'));
    };
    return { anchor, notebook, outerNode, place, scroll };
  }

  it('by a person stays where it is', () => {
    const { anchor, outerNode, place, scroll } = scrolled();
    outerNode.dispatchEvent(new Event('wheel'));
    scroll(10);
    place.top += 300;
    anchor.hold();
    expect(outerNode.scrollTop).toBe(310);
    anchor.hold();
    expect(outerNode.scrollTop).toBe(310);
  });

  it('by JupyterLab is left to JupyterLab', () => {
    const { anchor, notebook, outerNode, place, scroll } = scrolled();
    outerNode.dispatchEvent(new Event('wheel'));
    void notebook.scrollToItem(0);
    scroll(10);
    place.top += 300;
    anchor.hold();
    expect(outerNode.scrollTop).toBe(10);
  });

  it('is the same part of a cell in a view of another width', () => {
    const { anchor, outerNode, place, scroll } = scrolled();
    place.height = 400;
    outerNode.dispatchEvent(new Event('wheel'));
    scroll(140);
    Object.assign(place, { height: 800, width: 400 });
    anchor.hold();
    expect(outerNode.scrollTop).toBe(240);
    outerNode.dispatchEvent(new Event('scroll'));
    Object.assign(place, { height: 400, width: 800 });
    anchor.hold();
    expect(outerNode.scrollTop).toBe(140);
  });

  it('is the end of the notebook in a view of another width', () => {
    const { anchor, outerNode, place, scroll } = scrolled();
    place.height = 400;
    outerNode.dispatchEvent(new Event('wheel'));
    scroll(360);
    Object.assign(place, { height: 100, width: 1200 });
    anchor.hold();
    expect(outerNode.scrollTop).toBe(60);
  });
});
