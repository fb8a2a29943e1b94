import { handle } from '../comm/handlers';
import { nullTranslator } from '@jupyterlab/translation';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import { Approvals } from '../live/approvals';
import type { PageConnection } from '../live/pageConnection';
import { OpenQuestions, QuestionList } from '../panels/approvalsPanel';
import { DEAF } from '../render/draft';
import type { IPageConnections } from '../tokens';

const trans = nullTranslator.load('msgbook');

function fixture() {
  const sent: JSONObject[] = [];
  const cells = { has: () => true, refresh: () => {} };
  const approvals = new Approvals(cells, data => sent.push(data) > 0);
  const panel = { context: { path: 'a/b.ipynb' } };
  Object.assign(panel, { disposed: new Signal(panel) });
  const connection = { approvals, panel } as unknown as PageConnection;
  const connections = { all: [connection] } as unknown as IPageConnections;
  Object.assign(connections, { added: new Signal(connections) });
  const list = new QuestionList(
    new OpenQuestions(connections),
    trans,
    () => {}
  );
  const ask = (id: string) =>
    handle(approvals.handlers, {
      type: 'approval.ask',
      request_id: id,
      cell_id: 'c',
      call_id: id,
      name: 'write',
      arguments: '{}',
      choices: ['once', 'no', 'edit']
    });
  const nodes = () =>
    Array.from(list.node.querySelectorAll<HTMLElement>('.msgbook-Question'));
  const close = (id: string) =>
    handle(approvals.handlers, { type: 'approval.closed', request_id: id });
  return { list, ask, close, nodes, approvals };
}

describe('The questions in the panel', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('stay as they are, with what was written, when the panel is hidden for a moment', () => {
    const { list, ask, nodes } = fixture();
    list.start();
    ask('r1');
    jest.advanceTimersByTime(DEAF);
    const [node] = nodes();
    node.querySelector('input')!.value = 'not th';
    list.stop();
    list.start();
    expect(nodes()).toEqual([node]);
    expect(nodes()[0]).toBe(node);
    expect(node.querySelector('input')!.value).toBe('not th');
    expect(node.querySelector('.msgbook-mod-deaf')).toBeNull();
  });

  it('are not touched while the panel is hidden, and right when it is shown', () => {
    const { list, ask, close, nodes } = fixture();
    list.start();
    ask('r1');
    list.stop();
    const [first] = nodes();
    close('r1');
    ask('r2');
    expect(nodes()).toEqual([first]);
    list.start();
    expect(nodes()).toHaveLength(1);
    expect(nodes()[0]).not.toBe(first);
    expect(nodes()[0].querySelector('.msgbook-mod-deaf')).not.toBeNull();
  });

  it('are one each, however often the kernel sends them', () => {
    const { list, ask, nodes } = fixture();
    list.start();
    ask('r1');
    const [node] = nodes();
    ask('r1');
    ask('r2');
    expect(nodes()).toHaveLength(2);
    expect(nodes()[0]).toBe(node);
    list.dispose();
  });
});
