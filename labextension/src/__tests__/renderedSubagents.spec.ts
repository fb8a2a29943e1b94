import {
  type IApprovalQuestion,
  parseQuestion
} from '../comm/approvalMessages';
import { fixture, turn } from './turnFixture';

describe('the sub-agents of a call', () => {
  const call = { type: 'tool_call', id: 'c', name: 'dispatch_subagents' };
  const file = '.msgbook/subagents/chat-1.msg.md';
  const first = {
    uuid: 'u1',
    name: 'Parser',
    agent: 'reviewer',
    file,
    status: 'done',
    steps: 2,
    last: 'Fine.',
    duration: 3
  };
  const second = { uuid: 'u2', name: 'Docs', status: 'running', steps: 1 };

  function result(...agents: object[]): object {
    return { type: 'tool_result', id: 'c', content: '', agents };
  }

  function ask(callId: string): IApprovalQuestion {
    return parseQuestion({
      type: 'approval.ask',
      request_id: callId,
      cell_id: 'a',
      call_id: callId,
      name: 'write',
      arguments: '{}',
      choices: ['once', 'no'],
      asker: ['Docs\u202e', 'Helper']
    })!;
  }

  it('are rows that change in place; one that is done is not touched', async () => {
    const { show, find, renderer } = fixture();
    await show(turn('running', call, result(first, second)));
    const [done, runs] = Array.from(
      renderer.node.querySelectorAll('.msgbook-Agent')
    );
    expect(done.textContent).toBe('Parserreviewerdone2 steps · 3.0 sFine.');
    expect(find<HTMLDetailsElement>('.msgbook-Result').open).toBe(false);
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver(all => changes.push(...all));
    const all = { attributes: true, childList: true, characterData: true };
    observer.observe(done, { ...all, subtree: true });

    const further = { ...second, steps: 2, last: 'read a.py' };
    await show(turn('running', call, result(first, further)));
    changes.push(...observer.takeRecords());

    expect(changes).toEqual([]);
    expect(runs.isConnected).toBe(true);
    expect(runs.textContent).toBe('Docsrunning2 stepsread a.py');
  });

  it('are rows of a call that is not the last one', async () => {
    const { show, find } = fixture();
    const other = { type: 'tool_call', id: 'd', name: 'read' };
    await show(turn('running', call, result(second), other));
    expect(find('.msgbook-Agent').dataset.status).toBe('running');
  });

  it('are interrupted when their turn is, live and saved', async () => {
    const { show, find, state } = fixture();
    state.execution = 'idle';
    await show(turn('running', call, result(second)));
    expect(find('.msgbook-Agent').dataset.status).toBe('interrupted');
  });

  it('are text whatever they say, and links only to their conversations', async () => {
    const { show, find, renderer, state } = fixture();
    const hostile = '<img src=x onerror=alert(1)>\u202e';
    await show(
      turn('done', call, result({ ...first, name: hostile, last: hostile }))
    );
    expect(renderer.node.querySelector('img')).toBeNull();
    expect(find('.msgbook-Agent-name').textContent).toContain('\\u202e');
    expect(find('a').getAttribute('href')).toBe(`/lab/tree/${file}`);
    find('a').click();
    expect(state.opened).toEqual([file]);
    await show(turn('done', call, result({ ...first, file: '../x.msg.md' })));
    expect(renderer.node.querySelector('a')).toBeNull();
  });

  it('are named by their whole task, which the name only begins', async () => {
    const { show, find, renderer } = fixture();
    const named = { ...second, name: 'Count the files in t...' };
    const sub_agents = [
      { prompt: 'Count the files in\nthe folder src.\u202e' },
      { prompt: 'Another task' }
    ];
    const asked = { ...call, arguments: JSON.stringify({ sub_agents }) };
    await show(turn('running', asked, result(named, second)));
    const name = find('.msgbook-Agent-name');
    expect(name.title).toBe('Count the files in the folder src.\\u202e');
    expect(name.textContent).toBe(name.title);
    const names = renderer.node.querySelectorAll('.msgbook-Agent-name');
    expect(names[1].textContent).toBe('Docs');
  });

  it.each(['{', 'null', '{"sub_agents": [null, 1]}', '{"sub_agents": 1}'])(
    'keep their names whatever the arguments are: %s',
    async json => {
      const { show, find } = fixture();
      const asked = { ...call, arguments: json };
      await show(turn('running', asked, result(first)));
      expect(find('.msgbook-Agent-name').textContent).toBe('Parser');
    }
  );

  it('ask in their rows, each for itself', async () => {
    const { show, find, state, renderer } = fixture();
    await show(turn('running', call, result(first, second)));
    const [one, two] = [ask('u1/c'), ask('u2/c')];
    state.questions = [one, two];
    renderer.refresh();
    const rows = renderer.node.querySelectorAll('.msgbook-Agent');
    const inputs = Array.from(rows, row => row.querySelector('input')!);
    expect(inputs[1]).not.toBeNull();
    expect(rows[1].textContent).toContain('waiting for you');
    expect(rows[1].textContent).toContain(
      'Approve this call of the sub-agent Docs\\u202e › Helper?'
    );
    inputs[1].value = 'half a reason';
    state.questions = [two];
    renderer.refresh();
    await show(turn('running', call, result(first, { ...second, steps: 9 })));
    expect(rows[0].querySelector('input')).toBeNull();
    expect(rows[1].querySelector('input')).toBe(inputs[1]);
    expect(find<HTMLInputElement>('input').value).toBe('half a reason');
    state.questions = [];
    renderer.refresh();
    expect(renderer.node.querySelector('input')).toBeNull();
  });

  it('ask at the end if they have no row', async () => {
    const { show, find, state } = fixture();
    state.questions = [ask('u3/c')];
    await show(turn('running', call, result(first)));
    expect(find('.msgbook-Agent input')).toBeNull();
    expect(find('.msgbook-Call input')).not.toBeNull();
  });
});

function citation(title: string, url: string) {
  return { type: 'url_citation', url, title };
}

describe('data of a server', () => {
  const item = { type: 'reasoning', encrypted_content: 'S3CRET'.repeat(2e5) };
  const hidden = { type: 'reasoning', step: 1, text: '', extra: { item } };
  const line =
    'The model reasoned, but the server does not return its reasoning';

  it('is one line for hidden reasoning, which stays the same node', async () => {
    const { show, find, renderer } = fixture();
    await show(turn('running', hidden));
    const node = find('.msgbook-Reasoning-hidden');
    expect(node.textContent).toBe(line);
    expect(renderer.node.querySelector('details')).toBeNull();

    await show(turn('running', hidden, { type: 'text', text: 'Hi' }));
    expect(find('.msgbook-Reasoning-hidden')).toBe(node);
    expect(node.textContent).toBe(line);

    const done = turn('done', hidden, { type: 'text', text: 'Hi' });
    await show({ ...done, usage: { reasoning_tokens: 1234 } });
    expect(find('.msgbook-Reasoning-hidden')).toBe(node);
    const tokens = '(1,234 reasoning tokens in this turn)';
    expect(node.textContent).toBe(`${line} ${tokens}`);
    expect(renderer.node.textContent).not.toContain('S3CRET');
  });

  it('shows no thinking process without a word, but for one that may get some', async () => {
    const { show, renderer } = fixture();
    const blank = { type: 'reasoning', step: 1, text: '\n' };
    await show(turn('running', blank));
    expect(renderer.node.querySelector('details')).not.toBeNull();
    await show(turn('running', blank, { type: 'text', text: 'Hi' }));
    expect(renderer.node.querySelector('details')).toBeNull();
    await show(turn('done', { type: 'reasoning' }));
    expect(renderer.node.querySelector('details')).toBeNull();
  });

  it('stays where reasoning with a text has an item, too', async () => {
    const { show, find } = fixture();
    const told = { ...hidden, text: 'I look.' };
    await show(turn('running', { ...told, extra: {} }));
    const details = find('details');
    await show(turn('done', told));
    expect(find('details')).toBe(details);
    expect(details.textContent).toContain('I look.');
  });

  it('is shown by name, with its JSON collapsed and shortened', async () => {
    const { show, find } = fixture();
    const text = 'The server sent an item of type x.';
    const sent = { ...item, type: 'web_search_call', query: '<b>x</b>' };
    const notice = { type: 'notice', level: 'info', text };
    await show(turn('done', { ...notice, extra: { item: sent } }));
    expect(find('.msgbook-Notice').firstChild!.textContent).toBe(text);
    const details = find<HTMLDetailsElement>('.msgbook-Notice details');
    expect(details.open).toBe(false);
    const json = details.querySelector('pre')!.textContent;
    expect(json).toContain('"encrypted_content": "(1,200,000 characters)"');
    expect(json).toContain('"query": "<b>x</b>"');
    expect(find('.msgbook-Notice').innerHTML.length).toBeLessThan(2000);

    await show(turn('done', { ...notice, extra: { item: 'x' } }));
    expect(find('.msgbook-Notice').textContent).toBe(text);
  });

  it('has code where a notice has backticks, and never markup', async () => {
    const { show, find } = fixture();
    const text = 'Set `a = "<b>"` and `c`; an odd ` stays.';
    const notice = { type: 'notice', level: 'info', text };
    await show(turn('done', notice));
    const node = find('.msgbook-Notice');
    const code = [...node.querySelectorAll('code')];
    expect(code.map(span => span.textContent)).toEqual(['a = "<b>"', 'c']);
    expect(node.textContent).toBe('Set a = "<b>" and c; an odd ` stays.');
    expect(node.querySelector('b')).toBeNull();
    await show(turn('done', { ...notice, level: 'warning' }));
    expect(node.querySelector('code')).toBe(code[0]);
  });

  it('is a list of links below the text that it belongs to', async () => {
    const { show, find, renderer } = fixture();
    const file = { type: 'file_citation', filename: 'notes.pdf' };
    const bad = citation('<img src=x>', 'javascript:alert(1)');
    const page = citation('A\u202eb', 'https://a.example/?a&b');
    const said = { type: 'text', step: 1, text: 'Paris.' };
    await show(turn('running', said));
    expect(find('.msgbook-Sources').hidden).toBe(true);
    const annotations = [page, file, bad, page];
    await show(turn('running', { ...said, extra: { annotations } }));
    const links = renderer.node.querySelectorAll('a');
    expect(links).toHaveLength(1);
    expect(links[0].getAttribute('href')).toBe(page.url);
    expect(links[0].rel).toBe('noopener noreferrer');
    expect(links[0].title).toBe(page.url);
    const items = Array.from(renderer.node.querySelectorAll('li'));
    expect(items.map(({ textContent }) => textContent)).toEqual([
      'A\\u202eb',
      'notes.pdf',
      '<img src=x>'
    ]);

    const more = { ...said, text: 'Paris. Yes.', extra: { annotations } };
    await show(turn('done', more));
    expect(renderer.node.querySelector('a')).toBe(links[0]);
  });

  it('names the model that answered as text', async () => {
    const { show, find } = fixture();
    await show({ ...turn('done'), answered_model: '<img src=x>' });
    const words = 'm (answered by <img src=x>)';
    expect(find('.msgbook-Header-model').textContent).toBe(words);
  });
});
