import { handle, type IMessage } from '../comm/handlers';
import { nullTranslator } from '@jupyterlab/translation';
import type { JSONObject } from '@lumino/coreutils';
import { parseQuestion } from '../comm/approvalMessages';
import { Approvals, type IMissedAnswer } from '../live/approvals';
import {
  ApprovalView,
  ARGUMENTS_LIMIT,
  type IsGenuine
} from '../render/approvalView';
import { DEAF, draftOf } from '../render/draft';
import { describeReason } from '../render/approvalReasons';
import reasons from './approvalReasons.json';
import { ScrolledBox } from '../render/scrolledBox';
import { withQuestions } from '../render/turnRenderer';

const trans = nullTranslator.load('msgbook');

const ASK = {
  type: 'approval.ask',
  request_id: 'r1',
  cell_id: 'a',
  display_id: 'd',
  call_id: 'call_1',
  name: 'write',
  arguments: '{"path": "a.txt", "content": "x"}',
  reason: 'it changes a file',
  preview: '--- a.txt\n+++ a.txt\n@@ -0,0 +1 @@\n+x\n',
  choices: ['once', 'session', 'rule', 'no']
};

describe('describeReason', () => {
  const chinese = {
    __: (text: string, ...values: string[]) =>
      `zh ${text}`.replace(/%(\d)/g, (_, number) => values[number - 1]),
    _n: (one: string, many: string, count: number) =>
      `zh ${count === 1 ? one : many}`.replace('%1', `${count}`)
  } as typeof trans;

  it.each([
    ['it starts 1 sub-agent', 'zh It starts 1 sub-agent'],
    ['it starts 12 sub-agents', 'zh It starts 12 sub-agents'],
    [
      'it runs a command on this machine',
      'zh It runs a command on this machine'
    ],
    ['it starts 2 sub-agents\nand', 'It starts 2 sub-agents\nand'],
    ['it changes /a/\u202eb', 'zh It changes /a/\\u202eb'],
    [
      "it changes /a, outside the notebook's folder",
      "zh zh It changes /a, outside the notebook's folder"
    ],
    ['the server says this', 'The server says this'],
    ['', '']
  ])('says %j as %j', (reason, shown) => {
    expect(describeReason(reason, chinese)).toBe(shown);
  });

  // A test of the kernel holds the list to what it says.
  it.each(reasons)('says %j in the language of the page', reason => {
    const shown = describeReason(reason, chinese);
    expect(shown).toMatch(/^zh /);
    expect(shown.replace(/zh /g, '')).toMatch(/^[A-Z]/);
  });
});

describe('parseQuestion', () => {
  it('takes only choices that it knows, and texts that are texts', () => {
    const question = parseQuestion({
      ...ASK,
      choices: ['rule', 'sudo', 'once', 1],
      reason: { toString: 1 },
      preview: undefined
    });
    expect(question).toMatchObject({
      choices: ['once', 'rule'],
      reason: '',
      preview: '',
      arguments: ASK.arguments
    });
  });

  it.each(['request_id', 'cell_id', 'call_id', 'name', 'arguments'])(
    'is nothing without %s',
    key => {
      expect(parseQuestion({ ...ASK, [key]: undefined })).toBeNull();
      expect(parseQuestion({ ...ASK, [key]: ['x'] })).toBeNull();
    }
  );
});

function openQuestions(reachable = true) {
  const sent: JSONObject[] = [];
  const refreshed: string[] = [];
  const page = {
    has: (cellId: string) => cellId !== 'elsewhere',
    refresh: (cellId: string) => void refreshed.push(cellId)
  };
  const approvals = new Approvals(
    page,
    data => reachable && sent.push(data) > 0
  );
  return { approvals, sent, refreshed };
}

describe('Approvals', () => {
  const fixture = openQuestions;

  it('gives one answer, with the arguments that were shown', () => {
    const { approvals, sent } = fixture();
    handle(approvals.handlers, ASK);
    const [question] = approvals.questionsOf('a');
    approvals.answer(question, 'once', 'not sent');
    approvals.answer(question, 'no');
    expect(sent).toEqual([
      {
        type: 'approval.answer',
        request_id: 'r1',
        decision: 'once',
        arguments: ASK.arguments
      }
    ]);
    expect(approvals.questionsOf('a')).toEqual([]);
  });

  it('says why not', () => {
    const { approvals, sent } = fixture();
    handle(approvals.handlers, ASK);
    approvals.answer(approvals.questionsOf('a')[0], 'no', 'not that file');
    expect(sent[0]).toMatchObject({ decision: 'no', reason: 'not that file' });
  });

  it('keeps a question that could not be answered', () => {
    const { approvals } = fixture(false);
    handle(approvals.handlers, ASK);
    approvals.answer(approvals.questionsOf('a')[0], 'once');
    expect(approvals.questionsOf('a')).toHaveLength(1);
  });

  it('shows a question in its own cell, and not in other notebooks', () => {
    const { approvals } = fixture();
    handle(approvals.handlers, ASK);
    handle(approvals.handlers, { ...ASK, request_id: 'r2', cell_id: 'b' });
    handle(approvals.handlers, {
      ...ASK,
      request_id: 'r3',
      cell_id: 'elsewhere'
    });
    expect(approvals.questionsOf('a').map(q => q.requestId)).toEqual(['r1']);
    expect(approvals.questionsOf('b').map(q => q.requestId)).toEqual(['r2']);
    expect(approvals.all).toHaveLength(2);
  });

  it('keeps a question that is sent again as it was shown', () => {
    const { approvals } = fixture();
    handle(approvals.handlers, ASK);
    const [question] = approvals.questionsOf('a');
    handle(approvals.handlers, { ...ASK, arguments: '{"path": "other"}' });
    expect(approvals.questionsOf('a')).toEqual([question]);
    expect(approvals.questionsOf('a')[0]).toBe(question);
  });

  it('tells of an answer that came too late, and of words that were not sent', () => {
    const { approvals } = fixture();
    const told: IMissedAnswer[] = [];
    approvals.unheard.connect((_, one) => void told.push(one));
    const closed = { type: 'approval.closed' };
    handle(approvals.handlers, ASK);
    approvals.answer(approvals.all[0], 'edit', '{"path": "b"}');
    handle(approvals.handlers, { ...closed, request_id: 'r1' });
    const late = { type: 'approval.late', request_id: 'r1' };
    handle(approvals.handlers, late);
    handle(approvals.handlers, late);
    expect(told).toEqual([{ isAnswer: true, words: '{"path": "b"}' }]);

    handle(approvals.handlers, { ...ASK, request_id: 'r2' });
    draftOf(approvals.all[0]).begin('{}');
    handle(approvals.handlers, { ...closed, request_id: 'r2' });
    expect(told).toHaveLength(1);
    handle(approvals.handlers, { ...ASK, request_id: 'r3' });
    draftOf(approvals.all[0]).begin('{}');
    draftOf(approvals.all[0]).arguments = '{"a"';
    handle(approvals.handlers, { ...closed, request_id: 'r3' });
    expect(told[1]).toEqual({ isAnswer: false, words: '{"a"' });
  });

  it('tells of each of several answers that came too late, whatever their order', () => {
    const { approvals } = fixture();
    const told: IMissedAnswer[] = [];
    approvals.unheard.connect((_, one) => void told.push(one));
    for (const request_id of ['r1', 'r2', 'r3']) {
      handle(approvals.handlers, { ...ASK, request_id });
      approvals.answer(approvals.all[0], 'no', `words of ${request_id}`);
    }
    for (const request_id of ['r2', 'r1']) {
      handle(approvals.handlers, { type: 'approval.late', request_id });
    }
    expect(told.map(({ words }) => words)).toEqual([
      'words of r2',
      'words of r1'
    ]);
    approvals.clear();
    handle(approvals.handlers, { type: 'approval.late', request_id: 'r3' });
    expect(told).toHaveLength(2);
  });

  it('closes what was answered elsewhere, and all when the kernel is gone', () => {
    const { approvals, sent, refreshed } = fixture();
    handle(approvals.handlers, ASK);
    handle(approvals.handlers, { ...ASK, request_id: 'r2' });
    const [first] = approvals.questionsOf('a');
    handle(approvals.handlers, { type: 'approval.closed', request_id: 'r1' });
    expect(approvals.questionsOf('a')).toHaveLength(1);
    approvals.clear();
    expect(approvals.questionsOf('a')).toHaveLength(0);
    approvals.answer(first, 'once');
    expect(sent).toEqual([]);
    expect(refreshed).toEqual(['a', 'a', 'a', 'a']);
  });
});

describe('withQuestions', () => {
  const call = (id: string) => ({ type: 'tool_call', id });
  const question = parseQuestion(ASK)!;

  it('asks at the last call with the id, as servers use ids again', () => {
    const blocks = [call('call_1'), { type: 'tool_result', id: 'call_1' }];
    const last = call('call_1');
    expect(
      withQuestions([...blocks, last, call('call_2')], [question])
    ).toEqual([
      { block: blocks[0], asked: [] },
      { block: blocks[1], asked: [] },
      { block: last, question, asked: [] },
      { block: call('call_2'), asked: [] }
    ]);
  });

  it('asks where the asker is, whatever ids a model gives its calls', () => {
    const blocks = [
      call('u1/c'),
      { type: 'tool_result', agents: [{ uuid: 'u1', status: 'running' }] }
    ];
    const own = parseQuestion({ ...ASK, call_id: 'u1/c' })!;
    const fromSubagent = parseQuestion({
      ...ASK,
      call_id: 'u1/c',
      asker: ['Docs']
    })!;
    const lost = parseQuestion({ ...ASK, call_id: 'u2/c', asker: ['Docs'] })!;
    const asked = withQuestions(
      [...blocks, call('u2/c')],
      [own, fromSubagent, lost]
    );
    expect(asked.map(({ question }) => question)).toEqual([
      own,
      undefined,
      undefined,
      lost
    ]);
    expect(asked[1].asked).toEqual([fromSubagent]);
  });

  it('asks at the end when the call is not there', () => {
    expect(withQuestions([{ type: 'text' }], [question])[1]).toEqual({
      block: { type: 'tool_call' },
      question,
      asked: []
    });
  });
});

describe('ApprovalView', () => {
  function fixture(isGenuine?: IsGenuine, ask: IMessage = ASK) {
    const answers: [string, string][] = [];
    const view = new ApprovalView(
      parseQuestion(ask)!,
      trans,
      (choice, reason) => void answers.push([choice, reason]),
      isGenuine
    );
    document.body.append(view.node);
    const buttons = Array.from(
      view.node.querySelectorAll<HTMLButtonElement>('.msgbook-Approval-button')
    );
    const button = (label: string) =>
      buttons.find(({ textContent }) => textContent === label)!;
    const why = view.node.querySelector('input')!;
    return { view, answers, buttons, button, why };
  }

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
    document.body.replaceChildren();
  });

  it('is deaf to a script', () => {
    const { answers, buttons } = fixture();
    jest.advanceTimersByTime(DEAF);
    buttons.forEach(button => button.click());
    expect(answers).toEqual([]);
  });

  it('is deaf to a click that was on its way when it came', () => {
    const { answers, button } = fixture(() => true);
    jest.advanceTimersByTime(DEAF - 1);
    button('Approve').click();
    expect(answers).toEqual([]);
    jest.advanceTimersByTime(1);
    button('Approve').click();
    button('Deny').click();
    expect(answers).toEqual([['once', '']]);
  });

  it.each([
    ['opens', { ...ASK, request_id: 'r2' }],
    ['is answered elsewhere', { type: 'approval.closed', request_id: 'r1' }]
  ])('is deaf again when another question %s, since it moves', (_, message) => {
    const { approvals } = openQuestions();
    handle(approvals.handlers, ASK);
    const { answers, button } = fixture(() => true);
    jest.advanceTimersByTime(DEAF);
    const approve = button('Approve');
    approve.focus();
    handle(approvals.handlers, message);
    expect(approve.disabled).toBe(true);
    approve.click();
    jest.advanceTimersByTime(DEAF - 1);
    expect(approve.disabled).toBe(true);
    expect(answers).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(document.activeElement).toBe(approve);
    approve.click();
    expect(answers).toEqual([['once', '']]);
  });

  it('takes a reason for a denial, with the Enter key too', () => {
    const { answers, why } = fixture(() => true);
    jest.advanceTimersByTime(DEAF);
    why.value = ' not that one ';
    why.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    why.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    expect(answers).toEqual([['no', 'not that one']]);
  });

  it('disables its buttons until they may be used, and says so', () => {
    const { view, buttons } = fixture();
    const said = view.node.querySelector('[role=status]')!;
    expect(buttons.every(({ disabled }) => disabled)).toBe(true);
    expect(said.textContent).toContain('cannot be used');
    jest.advanceTimersByTime(DEAF);
    expect(buttons.some(({ disabled }) => disabled)).toBe(false);
    expect(said.textContent).toBe('The buttons can be used now.');
  });

  it('takes other arguments, once', () => {
    const asked = { ...ASK, choices: ['once', 'edit', 'no'] };
    const { view, answers, button } = fixture(() => true, asked);
    jest.advanceTimersByTime(DEAF);
    button('Change the arguments').click();
    const text = view.node.querySelector('textarea')!;
    expect(JSON.parse(text.value)).toEqual(JSON.parse(ASK.arguments));
    text.value = '{"path": "b.txt"}';
    const ask = view.node.querySelector<HTMLButtonElement>(
      '.msgbook-Approval-form button'
    )!;
    ask.click();
    ask.click();
    expect(answers).toEqual([['edit', '{"path": "b.txt"}']]);
  });

  it('sends no arguments that are longer than the kernel takes, and keeps them', () => {
    const asked = { ...ASK, choices: ['once', 'edit', 'no'] };
    const { view, answers, button } = fixture(() => true, asked);
    jest.advanceTimersByTime(DEAF);
    button('Change the arguments').click();
    const text = view.node.querySelector('textarea')!;
    const ask = view.node.querySelector<HTMLButtonElement>(
      '.msgbook-Approval-form button'
    )!;
    text.value = 'x'.repeat(ARGUMENTS_LIMIT + 1);
    ask.click();
    expect(answers).toEqual([]);
    expect(view.node.querySelector('textarea')).toBe(text);
    expect(
      view.node.querySelector('[role=alert].msgbook-Approval-problem')
        ?.textContent
    ).toContain('1,000,001');
    text.value = '{}';
    ask.click();
    expect(answers).toEqual([['edit', '{}']]);
  });

  it('keeps what was written when it is made again, and shows it in each view', () => {
    const question = parseQuestion({ ...ASK, choices: ['no', 'edit'] })!;
    const [one, other] = [0, 1].map(
      () =>
        new ApprovalView(
          question,
          trans,
          () => {},
          () => true
        )
    );
    const texts = (view: ApprovalView) =>
      Array.from(
        view.node.querySelectorAll<HTMLInputElement>('input, textarea')
      ).map(({ value }) => value);
    const write = (view: ApprovalView, selector: string, text: string) => {
      const input = view.node.querySelector<HTMLInputElement>(selector)!;
      input.value = text;
      input.dispatchEvent(new Event('input'));
    };
    jest.advanceTimersByTime(DEAF);
    write(one, 'input', 'not th');
    const buttons = one.node.querySelectorAll('button');
    Array.from(buttons).at(-1)!.click();
    write(other, 'textarea', '{"pa');
    for (const view of [
      one,
      other,
      new ApprovalView(question, trans, () => {})
    ]) {
      expect(texts(view)).toEqual(['not th', '{"pa']);
    }
    const cancel = other.node.querySelectorAll('.msgbook-Approval-form button');
    (cancel[1] as HTMLElement).click();
    expect(texts(one)).toEqual(['not th']);
  });

  it('goes on with what did not fit, and says why', () => {
    const { view } = fixture(undefined, {
      ...ASK,
      choices: ['once', 'edit', 'no'],
      draft: '{"pa',
      problem: 'These do not fit \u202e.'
    });
    expect(view.node.querySelector('textarea')!.value).toBe('{"pa');
    expect(view.node.textContent).toContain('These do not fit \\u202e.');
  });

  it('offers the wider choices only where the kernel does', () => {
    const { buttons } = fixture(undefined, { ...ASK, choices: ['once', 'no'] });
    expect(buttons.map(button => button.textContent)).toEqual([
      'Approve',
      'Deny'
    ]);
    expect(fixture().buttons).toHaveLength(4);
  });

  it('says that it is there, and keeps the keys of the notebook out', () => {
    const { view } = fixture();
    expect(view.node.getAttribute('role')).toBe('group');
    expect(view.node.querySelector('[role=alert]')?.textContent).toContain(
      'It changes a file'
    );
    expect(view.node.hasAttribute('data-lm-suppress-shortcuts')).toBe(true);
    expect(document.activeElement).toBe(document.body);
  });

  it('shows hidden characters', () => {
    const { view } = fixture(undefined, {
      ...ASK,
      name: 'write\u202e',
      reason: 'a\u202eb<b>',
      preview: '+\u200bx\u202e'
    });
    expect(view.node.textContent).toContain('A\\u202eb<b>');
    expect(view.node.textContent).toContain('+\\u200bx\\u202e');
    expect(view.node.getAttribute('aria-label')).toContain('\\u202e');
  });
});

describe('what is out of sight', () => {
  function boxOf(scrollHeight: number): HTMLElement {
    const box = document.createElement('pre');
    const sizes = { scrollHeight, clientHeight: 100 };
    for (const [name, value] of Object.entries(sizes)) {
      Object.defineProperty(box, name, {
        get: () =>
          name === 'clientHeight' && box.matches('.msgbook-mod-whole')
            ? scrollHeight
            : value
      });
    }
    box.style.lineHeight = '10px';
    return box;
  }

  it('is counted, less by what was scrolled, and none at the end', () => {
    const box = boxOf(1100);
    const { more } = new ScrolledBox(box, trans);
    expect(more.textContent).toContain('100 more lines below');
    box.scrollTop = 990;
    box.dispatchEvent(new Event('scroll'));
    expect(more.textContent).toContain('1 more line below');
    box.scrollTop = 1000;
    box.dispatchEvent(new Event('scroll'));
    expect(more.parentNode).toBeNull();
  });

  it('is shown by its button', () => {
    const box = boxOf(1100);
    const { more } = new ScrolledBox(box, trans);
    more.click();
    expect(box.classList).toContain('msgbook-mod-whole');
    expect(more.parentNode).toBeNull();
  });

  it.each([
    ['is', 1100, 0],
    ['is not, with nothing to scroll,', 100, -1]
  ])('%s a stop of the Tab key', (_, height, tabIndex) => {
    const box = boxOf(height);
    new ScrolledBox(box, trans);
    expect(box.tabIndex).toBe(tabIndex);
  });

  it('is said to who has the buttons read out', () => {
    const question = parseQuestion(ASK)!;
    const { more } = new ScrolledBox(boxOf(1100), trans);
    const { node } = new ApprovalView(question, trans, () => {}, undefined, [
      more
    ]);
    for (const button of node.querySelectorAll('.msgbook-Approval-button')) {
      expect(button.getAttribute('aria-describedby')).toContain(more.id);
    }
  });

  it('of a long diff is nothing but what is scrolled', () => {
    const preview = `@@ -0,0 +1 @@\n${'+x\n'.repeat(100_000)}`;
    const question = parseQuestion({ ...ASK, preview })!;
    const { node } = new ApprovalView(question, trans, () => {});
    expect(node.querySelector('.msgbook-Diff')?.textContent).toBe(preview);
  });

  it('of what is no diff offers no second column', () => {
    for (const [preview, toggles] of [
      ['1. Agent assistant; its task:\n   - count', 0],
      ['@@ -0,0 +1 @@\n+x\n', 1]
    ] as const) {
      const question = parseQuestion({ ...ASK, preview })!;
      const { node } = new ApprovalView(question, trans, () => {});
      expect(node.querySelectorAll('.msgbook-Diff-toggle')).toHaveLength(
        toggles
      );
    }
  });
});
