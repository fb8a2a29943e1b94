import type { ReadonlyJSONObject } from '@lumino/coreutils';
import {
  type IApprovalQuestion,
  parseQuestion
} from '../comm/approvalMessages';
import { fixture, turn } from './turnFixture';

describe('what the page knows beyond the output', () => {
  const call = { type: 'tool_call', id: 'c', name: 'mkdir', arguments: '{}' };
  const pending = { ...call, approval: 'pending' };

  function question(requestId: string): IApprovalQuestion {
    return parseQuestion({
      type: 'approval.ask',
      request_id: requestId,
      cell_id: 'a',
      call_id: 'c',
      name: 'mkdir',
      arguments: '{"path": "asked"}',
      choices: ['once', 'no']
    })!;
  }

  it('comes before the output, until it knows no more', async () => {
    const { show, find, state, renderer } = fixture();
    await show(turn('running', { type: 'text', text: 'old' }));
    state.current = turn('running', {
      type: 'text',
      text: 'old and new'
    }) as ReadonlyJSONObject;
    renderer.refresh();
    expect(find('.msgbook-Text').textContent).toBe('old and new');
    await show(turn('running', { type: 'text', text: 'old' }));
    expect(find('.msgbook-Text').textContent).toBe('old and new');
    state.current = null;
    await show(turn('done', { type: 'text', text: 'all' }));
    expect(find('.msgbook-Text').textContent).toBe('all');
  });

  it('asks in the call, with the arguments that are asked about', async () => {
    const { show, find, state, renderer } = fixture();
    await show(turn('running', pending));
    const details = find<HTMLDetailsElement>('details');
    expect(renderer.node.querySelector('button')).toBeNull();
    state.questions = [question('r')];
    renderer.refresh();
    expect(details.open).toBe(true);
    expect(find('pre').textContent).toContain('"path": "asked"');
    const button = find('button');
    renderer.refresh();
    await show(turn('running', pending, { type: 'notice', text: 'x' }));
    expect(find('button')).toBe(button);
    state.questions = [];
    renderer.refresh();
    expect(renderer.node.querySelector('button')).toBeNull();
    expect(details.open).toBe(false);
  });

  it('gives the focus of a button that goes to the line of the call', async () => {
    const { show, find, state, renderer } = fixture();
    await show(turn('running', pending));
    state.questions = [question('r')];
    renderer.refresh();
    find('.msgbook-Approval-why').focus();
    state.questions = [question('s')];
    renderer.refresh();
    expect(document.activeElement).toBe(find('summary'));
    expect(find('button')).not.toBeNull();
  });

  it('gives the focus on to the line of the step, at once and when it is closed', async () => {
    const { show, find, state, renderer } = fixture();
    await show(turn('running', pending));
    state.questions = [question('r')];
    renderer.refresh();
    find('.msgbook-Approval-why').focus();
    state.questions = [];
    renderer.refresh();
    const call = find<HTMLDetailsElement>('.msgbook-Call');
    const line = find<HTMLElement>('.msgbook-Call > summary');
    expect(document.activeElement).toBe(line);

    const result = {
      type: 'tool_result',
      id: pending.id,
      status: 'success',
      content: 'x'
    };
    await show(turn('running', { ...pending, approval: 'user' }, result));
    const step = find('.msgbook-mod-step > summary');
    expect(document.activeElement).toBe(step);

    line.focus();
    line.click();
    expect([call.open, document.activeElement]).toEqual([true, line]);
    line.click();
    expect([call.open, document.activeElement]).toEqual([false, step]);
  });

  it('asks where the call is not in the turn', async () => {
    const { show, find, state, renderer } = fixture();
    state.questions = [question('r')];
    await show(turn('running', { type: 'text', text: 'x' }));
    expect(find('.msgbook-Call summary').textContent).toContain('mkdir');
    expect(find('button')).not.toBeNull();
    state.questions = [];
    renderer.refresh();
    expect(renderer.node.querySelector('.msgbook-Call')).toBeNull();
  });

  it('says that the policy allowed a call, not a rule', async () => {
    const { show, find } = fixture();
    await show(turn('done', { ...pending, approval: 'policy' }));
    expect(find('summary').textContent).toContain(
      'allowed by MSGBOOK_APPROVAL=allow'
    );
  });

  it('says what was allowed by a rule or for the session without a claim of which', async () => {
    const { show, find } = fixture();
    await show(turn('done', { ...pending, approval: 'rule' }));
    expect(find('summary').textContent).toContain(
      'approved without a question'
    );
  });

  it('is nothing in a notebook from a file, which asks nothing', async () => {
    const { show, find, state, renderer } = fixture();
    state.execution = 'idle';
    await show(turn('running', pending));
    expect(find('summary').textContent).toContain('was not approved');
    expect(renderer.node.querySelector('button')).toBeNull();
  });
});

describe('the state of a turn', () => {
  const started = '2026-11-20T10:00:00Z';

  it('is running with seconds, history and source before the first token', async () => {
    jest.useFakeTimers({ now: Date.parse(started) + 3000 });
    const { show, find, renderer } = fixture();
    const context = { source: 'live', cells: 2 };
    await show({ ...turn('running'), started, context });
    expect(find('.msgbook-Header').textContent).toBe(
      'm3 swaiting for the answer · 2 earlier cells, as on this page' +
        'Step 1: waiting for the answer'
    );
    expect(find('.msgbook-Header-said').textContent).toBe(
      'Step 1: waiting for the answer'
    );
    jest.advanceTimersByTime(2000);
    expect(find('.msgbook-Header-time').textContent).toBe('5 s');
    renderer.dispose();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits for the answer below what the prompt itself has brought', async () => {
    const { show, find } = fixture();
    const context = { source: 'live', cells: 2 };
    const call = { type: 'tool_call', step: 0, id: 'r', name: 'read' };
    const notice = { type: 'notice', level: 'warning', text: 'a.txt: gone' };
    await show({ ...turn('running', call, notice), context });
    expect(find('.msgbook-Header').textContent).toContain('2 earlier cells');
    await show({
      ...turn('running', call, { type: 'text', step: 1, text: 'Yes' }),
      context
    });
    expect(find('.msgbook-Header').textContent).not.toContain('earlier');
  });

  it('waits for the reader as long as a question is open', async () => {
    const { show, find, state, renderer } = fixture();
    const pending = { type: 'tool_call', step: 0, id: 'c', name: 'read' };
    await show(turn('running', pending));
    const detail = find('.msgbook-Header-detail');
    expect(detail.textContent).toBe('waiting for the answer');
    state.questions = [
      parseQuestion({
        type: 'approval.ask',
        request_id: 'r',
        cell_id: 'a',
        call_id: 'c',
        name: 'read',
        arguments: '{}'
      })!
    ];
    renderer.refresh();
    expect(detail.textContent).toBe('waiting for you');
    const answer = { type: 'text', step: 1, text: 'First I read' };
    await show(turn('running', answer, { ...pending, step: 1 }));
    expect(detail.textContent).toBe('waiting for you');
    state.questions = [];
    renderer.refresh();
    expect(detail.textContent).toBe('');
    await show(turn('running', { ...pending, approval: 'pending' }));
    expect(detail.textContent).toBe('waiting for you');
  });

  it('is interrupted when it was saved running and its cell does not execute', async () => {
    const { show, find, state } = fixture();
    state.execution = 'idle';
    await show({
      ...turn('running', { type: 'reasoning', text: 'a' }),
      started
    });
    expect(find('.msgbook-Header').dataset.status).toBe('interrupted');
    expect(find<HTMLDetailsElement>('details').open).toBe(false);
  });

  it('is not called interrupted before it is known whether a kernel runs it', async () => {
    jest.useFakeTimers({ now: Date.parse(started) });
    const { show, find, state } = fixture();
    state.execution = 'connecting';
    const pending = { type: 'tool_call', id: 'c', approval: 'pending' };
    await show({ ...turn('running', pending), started });
    expect(find('summary').textContent).toContain('waits for approval');
    const header = find('.msgbook-Header');
    expect(header.dataset.status).toBe('connecting');
    expect(header.textContent).toBe('mconnecting to the kernel');
    state.execution = 'running';
    await jest.advanceTimersByTimeAsync(1000);
    expect(header.dataset.status).toBe('running');
  });

  it('becomes interrupted when the cell stops executing', async () => {
    jest.useFakeTimers({ now: Date.parse(started) });
    const { show, find, state } = fixture();
    await show({ ...turn('running'), started });
    expect(find('.msgbook-Header').dataset.status).toBe('running');
    state.execution = 'idle';
    await jest.advanceTimersByTimeAsync(1000);
    expect(find('.msgbook-Header').dataset.status).toBe('interrupted');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is running where no cell is known as soon as an update arrives', async () => {
    const { show, find, state } = fixture();
    state.execution = 'unknown';
    await show({ ...turn('running'), started });
    expect(find('.msgbook-Header').dataset.status).toBe('interrupted');
    await show({ ...turn('running', { type: 'text', text: 'a' }), started });
    expect(find('.msgbook-Header').dataset.status).toBe('running');
  });

  it('says how it ended and what it took', async () => {
    const { show, find } = fixture();
    await show({
      ...turn('incomplete'),
      agent: 'reviewer',
      finish_reason: 'length',
      duration: 4.2,
      usage: { input_tokens: 10, output_tokens: 5 }
    });
    expect(find('.msgbook-Header').textContent).toBe(
      'reviewerm4.2 s10 → 5 tokensincomplete: the answer reached the length limit; %continue goes on'
    );
  });
});
