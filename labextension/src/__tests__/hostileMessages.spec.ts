import { handle, type IMessage } from '../comm/handlers';
import type { JSONObject } from '@lumino/coreutils';
import { parseAgentKeep, parseHistoryMark } from '../comm/turnMessages';
import { parseCellsQuestion } from '../comm/cellMessages';
import { Queries } from '../comm/queries';
import { Approvals } from '../live/approvals';
import { LiveTurns } from '../live/liveTurns';
import { FakePage, turn } from './fakePage';

const POISON = JSON.parse(
  '{"__proto__":{"hacked":1},"constructor":{"prototype":{"hacked":1}},"toString":1,"valueOf":1}'
) as unknown;

const VALUES: readonly unknown[] = [
  null,
  undefined,
  true,
  -1,
  0,
  1.5,
  2 ** 60,
  NaN,
  '',
  'x',
  '\ud800',
  '__proto__',
  'constructor',
  'x'.repeat(1_000_000),
  [],
  [[]],
  [null],
  {},
  [POISON],
  POISON,
  { status: POISON, blocks: [POISON], version: 1 },
  { ...turn('done'), blocks: [POISON, null, 1] },
  [['append', 0, '', '']],
  [
    ['append', '__proto__', 'hacked', '1'],
    ['append', 0, '__proto__', '1'],
    ['block', 0, POISON],
    ['block', 1e9, {}],
    ['head', POISON],
    ['head', { blocks: null }]
  ]
];

const MESSAGES: readonly JSONObject[] = [
  {
    type: 'turn',
    request_id: 'r',
    cell_id: 'a',
    display_id: 'd',
    seq: 1,
    turn: turn('running', 'Hi'),
    writer: 'me'
  },
  { type: 'turn.delta', display_id: 'd', seq: 2, ops: [] },
  { type: 'turn.writer', display_id: 'd', cell_id: 'a', writer: null },
  {
    type: 'approval.ask',
    request_id: 'q',
    cell_id: 'a',
    call_id: 'c',
    name: 'x',
    arguments: '{}',
    asker: [],
    choices: ['once'],
    display_id: 'd',
    edited: false,
    problem: '',
    draft: '',
    reason: '',
    preview: ''
  },
  { type: 'approval.closed', request_id: 'q' },
  { type: 'approval.late', request_id: 'q' },
  { type: 'query.answer', request_id: 'r', result: {}, error: '' },
  { type: 'cells.get', request_id: 'r', cell_id: 'a', known: 'x' },
  { type: 'cells.mark', cells: ['a'], history: 'exclude', writer: null },
  { type: 'agent.keep', cell_id: 'a', agent_metadata: {}, writer: null }
];

/** Each message with a wrong value in each place, and what is no message at all. */
function hostile(): unknown[] {
  return [
    ...VALUES,
    ...MESSAGES.flatMap(message =>
      Object.keys(message).flatMap(key => [
        ...VALUES.map(value => ({ ...message, [key]: value })),
        Object.fromEntries(Object.entries(message).filter(([k]) => k !== key))
      ])
    )
  ];
}

function newPage() {
  const cells = new FakePage('a');
  const send = () => true;
  const turns = new LiveTurns(cells, send);
  const approvals = new Approvals(cells, send);
  const queries = new Queries(send, { noKernel: '', noAnswer: '' });
  const parsers = new Map<string, (message: IMessage) => unknown>([
    ['cells.get', parseCellsQuestion],
    ['cells.mark', parseHistoryMark],
    ['agent.keep', parseAgentKeep]
  ]);
  const receive = (data: unknown) => {
    handle(queries.handlers, data);
    handle(parsers, data);
    handle(turns.handlers, data);
    handle(approvals.handlers, data);
  };
  return { cells, turns, approvals, receive };
}

describe('a message of the kernel with wrong values', () => {
  it('throws nothing and changes no prototype', () => {
    const { receive, turns } = newPage();
    for (const message of hostile()) {
      expect(() => receive(message)).not.toThrow();
      turns.write();
    }
    expect(({} as { hacked?: unknown }).hacked).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('leaves the page as able to show a turn and a question as before', () => {
    const { receive, turns, approvals } = newPage();
    for (const message of hostile()) {
      receive(message);
    }
    turns.end();
    approvals.clear();
    const [begun, , , asked] = MESSAGES;
    receive({ ...begun, display_id: 'later' });
    receive({ ...asked, request_id: 'later' });
    expect(turns.currentTurn('a')).not.toBeNull();
    expect(approvals.all.map(one => one.requestId)).toEqual(['later']);
  });

  it('shows nothing of a cell that the notebook does not have', () => {
    const { receive, turns, approvals, cells } = newPage();
    for (const message of MESSAGES.filter(one => 'cell_id' in one)) {
      for (const cell_id of ['other', '__proto__', 'constructor']) {
        receive({ ...message, cell_id });
        expect(turns.currentTurn(cell_id)).toBeNull();
      }
    }
    expect(approvals.all).toEqual([]);
    expect(Array.from(cells.outputs.keys())).toEqual(['a']);
  });
});
