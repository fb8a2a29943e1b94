import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { MimeModel } from '@jupyterlab/rendermime';
import { nullTranslator } from '@jupyterlab/translation';
import type { PartialJSONObject, ReadonlyJSONObject } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import {
  type IApprovalQuestion,
  parseQuestion
} from '../comm/approvalMessages';
import { turnRendererFactory } from '../render/factory';
import { type Execution, NO_HOST } from '../render/host';
import type { TurnRenderer } from '../render/turnRenderer';
import { NO_DRAWERS } from '../rich/vegaChart';
import { safeMarkdown } from '../safe/markdown';
import { TURN_MIME } from '../turn/model';

const trans = nullTranslator.load('msgbook');

/** A parser of one paragraph that remembers what it was given, and may be held up. */
class ScriptedParser {
  readonly sources: string[] = [];
  gate: Promise<void> = Promise.resolve();
  html: string | null = null;

  async render(source: string): Promise<string> {
    this.sources.push(source);
    await this.gate;
    return this.html ?? `<p>${source}</p>`;
  }
}

interface IState {
  execution: Execution;
  current: ReadonlyJSONObject | null;
  questions: readonly IApprovalQuestion[];
  opened: string[];
}

interface IFixture {
  renderer: TurnRenderer;
  parser: ScriptedParser;
  state: IState;
  show(turn: unknown, trusted?: boolean): Promise<void>;
  find<T extends Element = HTMLElement>(selector: string): T;
}

const fixtures: TurnRenderer[] = [];

function fixture(): IFixture {
  const parser = new ScriptedParser();
  const state: IState = {
    execution: 'running',
    current: null,
    questions: [],
    opened: []
  };
  const host = {
    ...NO_HOST,
    execution: () => state.execution,
    currentTurn: () => state.current,
    questions: () => state.questions,
    conversation: (file: string) => ({
      url: `/lab/tree/${file}`,
      open: () => state.opened.push(file)
    })
  };
  const factory = turnRendererFactory(
    trans,
    host,
    NO_DRAWERS,
    () => undefined,
    options => safeMarkdown(options, text => parser.render(text))
  );
  const renderer = factory.createRenderer({
    mimeType: TURN_MIME,
    sanitizer: new Sanitizer(),
    resolver: null,
    linkHandler: null,
    latexTypesetter: null,
    markdownParser: null
  }) as TurnRenderer;
  fixtures.push(renderer);
  Widget.attach(renderer, document.body);
  return {
    renderer,
    parser,
    state,
    show: (turn, trusted = false) =>
      renderer.renderModel(
        new MimeModel({
          trusted,
          data: { [TURN_MIME]: turn } as PartialJSONObject
        })
      ),
    find: <T extends Element>(selector: string) =>
      renderer.node.querySelector<T>(selector)!
  };
}

function turn(status: string, ...blocks: object[]): Record<string, unknown> {
  return { version: 1, status, model: 'm', blocks };
}

afterEach(() => {
  fixtures.splice(0).forEach(renderer => renderer.dispose());
  jest.useRealTimers();
});

describe('a turn that is not attached yet', () => {
  it('is drawn once, when it is attached', async () => {
    const { renderer, parser, show, state, find } = fixture();
    Widget.detach(renderer);
    state.execution = 'idle';
    const drawn = jest.fn(() => null);
    Object.defineProperty(state, 'current', { get: drawn });
    await show(turn('done', { type: 'text', step: 1, text: 'One' }));
    await show(turn('done', { type: 'text', step: 1, text: 'Two' }));
    renderer.refresh();
    expect(drawn).not.toHaveBeenCalled();
    expect(parser.sources).toEqual([]);

    Widget.attach(renderer, document.body);
    await Promise.resolve();
    expect(drawn).toHaveBeenCalledTimes(1);
    expect(parser.sources).toEqual(['Two']);
    expect(find('.msgbook-Turn-blocks').textContent).toContain('Two');
  });

  it('is drawn further while it is out of the document', async () => {
    const { renderer, show, find } = fixture();
    await show(turn('running', { type: 'text', step: 1, text: 'One' }));
    Widget.detach(renderer);
    await show(turn('done', { type: 'text', step: 1, text: 'One and two' }));
    expect(find('.msgbook-Turn-blocks').textContent).toContain('One and two');
  });

  it('shows nothing before it is given', () => {
    const { renderer, find } = fixture();
    renderer.refresh();
    expect(find('.msgbook-Unknown')).toBeNull();
  });
});

describe('a streaming turn', () => {
  it('shows the output of a tool while it runs and closes it when it has ended', async () => {
    const { show, find } = fixture();
    const call = { type: 'tool_call', step: 1, id: 'c', name: 'shell' };
    const result = { type: 'tool_result', step: 1, id: 'c', content: 'one\n' };
    await show(turn('running', call, result));
    const details = find<HTMLDetailsElement>('.msgbook-Result');
    expect(details.open).toBe(true);
    expect(details.textContent).toContain('running');
    const words = find('.msgbook-Result pre').firstChild;

    await show(turn('running', call, { ...result, content: 'one\ntwo\n' }));
    expect(find('.msgbook-Result pre').firstChild).toBe(words);
    expect(words!.textContent).toBe('one\ntwo\n');

    const ended = { ...result, status: 'success', content: 'one\ntwo\n[0]' };
    await show(turn('running', call, ended));
    expect(details.open).toBe(false);
    expect(find('.msgbook-Result pre').textContent).toBe('one\ntwo\n[0]');
  });

  it('opens reasoning while it streams and closes it when it ends', async () => {
    const { show, find } = fixture();
    await show(turn('running', { type: 'reasoning', text: 'a' }));
    const details = find<HTMLDetailsElement>('details');
    expect(details.open).toBe(true);
    await show(
      turn(
        'running',
        { type: 'reasoning', text: 'ab', duration: 1 },
        { type: 'text', text: 'x' }
      )
    );
    expect(details.open).toBe(false);
    expect(find('details')).toBe(details);
  });

  it('leaves what a person opened or closed by hand as it is', async () => {
    const { show, find } = fixture();
    await show(turn('running', { type: 'reasoning', text: 'a' }));
    const details = find<HTMLDetailsElement>('details');
    find('summary').click();
    expect(details.open).toBe(false);
    await show(turn('running', { type: 'reasoning', text: 'ab' }));
    expect(details.open).toBe(false);
    find('summary').click();
    await show(turn('done', { type: 'reasoning', text: 'abc', duration: 1 }));
    expect(details.open).toBe(true);
    expect(details.isConnected).toBe(true);
  });

  it('appends to the same text node', async () => {
    const { show, find } = fixture();
    await show(turn('running', { type: 'reasoning', text: 'a' }));
    const node = find('.msgbook-Reasoning-text').firstChild;
    await show(turn('running', { type: 'reasoning', text: 'a <b>' }));
    expect(find('.msgbook-Reasoning-text').firstChild).toBe(node);
    expect(node?.textContent).toBe('a <b>');
  });

  it('never touches a finished block again', async () => {
    const { show, find, parser, renderer } = fixture();
    const first = { type: 'text', text: 'one' };
    await show(turn('running', first, { type: 'text', text: 'tw' }));
    const node = find('p');
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver(found => changes.push(...found));
    observer.observe(node.parentElement!, { subtree: true, childList: true });
    await show(turn('running', first, { type: 'text', text: 'two' }));
    await show(turn('done', first, { type: 'text', text: 'two' }));
    changes.push(...observer.takeRecords());
    observer.disconnect();
    expect(changes).toEqual([]);
    expect(renderer.node.contains(node)).toBe(true);
    expect(parser.sources).toEqual(['one', 'two']);
  });

  it('renders each finished unit once, and no more than the rest when it ends', async () => {
    const { show, find, parser } = fixture();
    await show(turn('running', { type: 'text', text: 'a\n\nb' }));
    expect(parser.sources).toEqual(['a\n\n']);
    expect(find('.msgbook-Text-tail').textContent).toBe('b');
    await show(turn('running', { type: 'text', text: 'a\n\nbc\n\nd' }));
    expect(parser.sources).toEqual(['a\n\n', 'bc\n\n']);
    await show(turn('done', { type: 'text', text: 'a\n\nbc\n\nd' }));
    expect(parser.sources).toEqual(['a\n\n', 'bc\n\n', 'd']);
    expect(find('.msgbook-Text').textContent).toBe('a\n\nbc\n\nd');
  });

  it('keeps, when its end defines links, the nodes before the first that is new', async () => {
    const { show, find, parser } = fixture();
    parser.render = source => {
      const known = source.includes('[x]: ');
      const html = source
        .split(/\n\n(?=.)/)
        .map(text => `<p>${text.trim()}</p>\n`)
        .join('');
      return Promise.resolve(known ? html.replace('[x]<', 'X<') : html);
    };
    const text = 'one\n\ntwo\n\n[x]\n\none\n\n[x]: X';
    const paragraphs = () =>
      Array.from(find('.msgbook-Text').querySelectorAll('p'));
    await show(turn('running', { type: 'text', text: text.slice(0, -1) }));
    const before = paragraphs();
    expect(before.map(p => p.textContent)).toEqual([
      'one',
      'two',
      '[x]',
      'one'
    ]);
    await show(turn('done', { type: 'text', text }));
    const after = paragraphs();
    expect(after.map(p => p.textContent).slice(0, 4)).toEqual([
      'one',
      'two',
      'X',
      'one'
    ]);
    expect(after.map(p => before.indexOf(p))).toEqual([0, 1, -1, -1, -1]);
  });

  it('shows the newest of overlapping models and skips those between', async () => {
    const { show, find, parser } = fixture();
    let open = () => {};
    parser.gate = new Promise(resolve => {
      open = resolve;
    });
    const all = ['one', 'two', 'three'].map(text =>
      show(turn('done', { type: 'text', text }))
    );
    open();
    await Promise.all(all);
    expect(find('.msgbook-Text').textContent).toBe('three');
    expect(parser.sources).toEqual(['one', 'three']);
    await show(turn('done', { type: 'text', text: 'four' }));
    expect(find('.msgbook-Text').textContent).toBe('four');
  });

  it('shows all as plain text until the Markdown is rendered, if ever', async () => {
    const { show, find, parser, renderer } = fixture();
    parser.gate = new Promise(() => {});
    const notice = { type: 'notice', text: 'after' };
    void show(turn('running', { type: 'text', text: 'a\n\nb' }));
    expect(find('.msgbook-Text').textContent).toBe('a\n\nb');
    void show(turn('done', { type: 'text', text: 'a\n\nb c' }, notice));
    await new Promise(resolve => setTimeout(resolve));
    expect(find('.msgbook-Text').textContent).toBe('a\n\nb c');
    expect(find('.msgbook-Text-tail').classList).not.toContain('lm-mod-hidden');
    expect(renderer.node.textContent).toMatch(/after$/);
  });

  it('can be disposed while it renders', async () => {
    const { show, renderer, parser } = fixture();
    let open = () => {};
    parser.gate = new Promise(resolve => {
      open = resolve;
    });
    const shown = show(
      turn('running', { type: 'text', text: 'a\n\nb' }, { type: 'error' })
    );
    renderer.dispose();
    open();
    await expect(shown).resolves.toBeUndefined();
  });
});

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

describe('hostile and broken turns', () => {
  const HARD = '~'.repeat(80_000);
  const PLAIN = 'Shown as plain text: rendering it would block the page.';

  it('stand as plain text from where their Markdown would stop the page', async () => {
    const { show, find, parser, renderer } = fixture();
    const text = `Before.\n\n${HARD}\n\nAfter.`;
    await show(turn('done', { type: 'text', text }));
    expect(parser.sources).toEqual(['Before.\n\n']);
    const tail = find('.msgbook-Text-tail');
    expect(tail.textContent).toBe(`${PLAIN}${HARD}\n\nAfter.`);
    expect(renderer.node.textContent).toContain('Before.');
  });

  it('do so while they grow, without a word', async () => {
    const { show, find, parser } = fixture();
    for (const text of [`Before.\n\n${HARD}`, `Before.\n\n${HARD}\n\nA`]) {
      await show(turn('running', { type: 'text', text }));
      expect(find('.msgbook-Text-tail').textContent).toBe(text.slice(9));
    }
    expect(parser.sources).toEqual(['Before.\n\n']);
  });

  it.each([true, false])(
    'are sanitised whether the output is trusted (%s) or not',
    async trusted => {
      const { show, renderer, parser } = fixture();
      parser.html =
        '<script>x()</script><img src=x onerror=x()><a href="javascript:x()">a</a>' +
        '<img src="https://evil.example/i.png" alt="pic">';
      await show(turn('done', { type: 'text', text: 'x' }), trusted);
      expect(renderer.node.querySelector('script, img, [onerror]')).toBeNull();
      expect(
        Array.from(renderer.node.querySelectorAll('a[href]'), a =>
          a.getAttribute('href')
        )
      ).toEqual(['x', 'https://evil.example/i.png']);
    }
  );

  it('show names, arguments and results as text, with hidden characters spelled out', async () => {
    const { show, renderer } = fixture();
    const evil = '<img src=x onerror=x()>\u202e';
    await show({
      ...turn(
        'done',
        { type: 'reasoning', text: evil },
        { type: 'tool_call', id: '1', name: evil, arguments: evil },
        { type: 'tool_result', id: '1', status: 'success', content: evil },
        {
          type: 'tool_result',
          id: '2',
          status: evil,
          content: [
            { type: 'image_url', image_url: { url: 'http://evil.example' } }
          ]
        },
        { type: 'notice', text: evil },
        { type: 'error', name: evil, message: evil },
        { type: evil }
      ),
      agent: evil,
      model: evil,
      provider: evil,
      finish_reason: evil
    });
    expect(renderer.node.querySelector('img')).toBeNull();
    const labels = Array.from(
      renderer.node.querySelectorAll('.msgbook-Disclosure-label'),
      label => label.textContent
    );
    expect(labels[1]).toBe('Call: <img src=x onerror=x()>\\u202e');
    const both = '<img src=x onerror=x()>\\u202e';
    expect(labels[2]).toBe(`${both} ${both}`);
  });

  it('link to other images of a tool, without loading them', async () => {
    const { show, find, renderer } = fixture();
    const image = (url: string) => ({ type: 'image', image_url: { url } });
    await show(
      turn('done', {
        type: 'tool_result',
        content: [image('https://a.example/b.png'), image('javascript:x()')]
      })
    );
    expect(renderer.node.querySelector('img')).toBeNull();
    expect(renderer.node.querySelectorAll('a')).toHaveLength(1);
    expect(find<HTMLAnchorElement>('a').href).toBe('https://a.example/b.png');
    expect(find('a').getAttribute('referrerpolicy')).toBe('no-referrer');
  });

  it('show embedded images of a tool', async () => {
    const { show, find } = fixture();
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    await show(
      turn('done', {
        type: 'tool_result',
        content: [{ type: 'image_url', image_url: { url } }]
      })
    );
    expect(find<HTMLImageElement>('img').src).toBe(url);
  });

  it('say in one line what was called and what came of it', async () => {
    const { show, renderer } = fixture();
    const call = (json: string, more = {}) => ({
      type: 'tool_call',
      id: 'c',
      name: 'read',
      arguments: json,
      ...more
    });
    const result = (content: string, status = 'success') => ({
      type: 'tool_result',
      id: 'c',
      status,
      content,
      duration: 0.1
    });
    await show(
      turn(
        'done',
        call('{"path": "a.py", "start": 1}'),
        result('1\n2\n3\n'),
        call('{"start": 1}', { approval: 'user' }),
        result('short'),
        call('{}'),
        result(''),
        call('{"path": "b"}'),
        result('no such file', 'error'),
        call('{"path": "a\\q"}'),
        result('no JSON'),
        call('{"path": "a\nb"}'),
        result('no JSON'),
        call('{"path": "cut'),
        result('no JSON'),
        call(JSON.stringify({ code: `import x\n${'\u0001'.repeat(900)}` })),
        result('long'),
        call('{"path": "c"}'),
        { type: 'notice', level: 'info', text: 'between' },
        result('apart'),
        call('{"path": "d"}', { edited_arguments: '{"path": "e"}' }),
        result('of another')
      )
    );
    const lines = Array.from(
      renderer.node.querySelectorAll('.msgbook-Result > summary'),
      line => line.textContent
    );
    expect(lines).toEqual([
      'read a.py→ 3 lines · 0.1 s',
      'read {"start": 1}→ short · 0.1 s · approved by you',
      'read→ (empty) · 0.1 s',
      'read bfailed · 0.1 s',
      'read {"path": "a\\q"}→ no JSON · 0.1 s',
      'read {"path": "a b"}→ no JSON · 0.1 s',
      'read {"path": "cut→ no JSON · 0.1 s',
      `read import x ${'\\u0001'.repeat(56)}…→ long · 0.1 s`,
      'Result: read0.1 s',
      'Result: read0.1 s'
    ]);
    const steps = renderer.node.querySelectorAll('.msgbook-mod-step');
    expect(steps).toHaveLength(8);
    const [first] = Array.from(steps) as HTMLDetailsElement[];
    first.open = true;
    first.dispatchEvent(new Event('toggle'));
    expect(first.querySelector('.msgbook-Result-sent')!.textContent).toContain(
      '"start": 1'
    );
  });

  it('show the report of a sub-agent as text, open', async () => {
    const { show, renderer } = fixture();
    const call = (json: string) => ({
      type: 'tool_call',
      id: 'c',
      name: 'task_finish',
      arguments: json
    });
    const ended = { type: 'tool_result', id: 'c', status: 'success' };
    const result = { ...ended, content: 'Ended.' };
    await show(
      turn(
        'done',
        call('{"context_summary": "Found:\\n- \\"one\\""}'),
        result,
        call('{"context_summary": 7}'),
        { ...result }
      )
    );
    const [report, other] = Array.from(
      renderer.node.querySelectorAll<HTMLDetailsElement>(
        'details.msgbook-mod-step'
      )
    );
    expect([report.open, other.open]).toEqual([true, false]);
    report.dispatchEvent(new Event('toggle'));
    expect(report.querySelector('[aria-label=Report]')!.textContent).toBe(
      'Found:\n- "one"'
    );
  });

  it('distinguish failed results from others', async () => {
    const { show, renderer } = fixture();
    await show(
      turn(
        'done',
        { type: 'tool_result', status: 'success', content: 'a', duration: 0.5 },
        { type: 'tool_result', status: 'error', content: 'b' },
        { type: 'tool_result', status: 'denied', content: 'c' }
      )
    );
    const [success, error, denied] = Array.from(
      renderer.node.querySelectorAll('details')
    );
    expect(success.querySelector('summary')!.textContent).toBe('Result0.5 s');
    expect(error.classList).toContain('msgbook-mod-error');
    expect(denied.classList).toContain('msgbook-mod-denied');
    expect([success, error, denied].some(details => details.open)).toBe(false);
  });

  it('name the call of a result that does not follow it directly', async () => {
    const { show, renderer } = fixture();
    const call = (id: string, step: number) => ({
      type: 'tool_call',
      step,
      id,
      name: 'read',
      arguments: `{"path":\n"${id}${step}\u200b"}`
    });
    const result = (id: string, step: number) => ({
      type: 'tool_result',
      step,
      id,
      status: 'success',
      content: ''
    });
    await show(
      turn(
        'done',
        call('a', 0),
        result('a', 0),
        call('b', 0),
        result('b', 0),
        call('a', 1),
        call('b', 1),
        result('a', 1),
        result('b', 1),
        call('a', 2),
        { type: 'text', step: 2, text: 'x' },
        result('a', 2),
        result('gone', 2)
      )
    );
    const gists = Array.from(
      renderer.node.querySelectorAll('.msgbook-Result'),
      node => node.querySelector('.msgbook-Disclosure-gist')!.textContent
    );
    expect(gists).toEqual([
      '',
      '',
      '{"path": "a1\\u200b"}',
      '{"path": "b1\\u200b"}',
      '',
      ''
    ]);
  });

  it.each([undefined, null, 'x', [], { version: 1 }, { blocks: [1] }])(
    'are shown as data when they are no turn: %j',
    async value => {
      const { show, find } = fixture();
      await show(value);
      expect(find('.msgbook-Notice').textContent).toContain(
        'This turn cannot be shown.'
      );
    }
  );

  it('give way to a turn that can be shown', async () => {
    const { show, find, renderer } = fixture();
    await show({ version: 1 });
    await show(turn('done', { type: 'text', text: 'fine' }));
    expect(renderer.node.querySelector('.msgbook-Notice')).toBeNull();
    expect(find('.msgbook-Header').hidden).toBe(false);
    expect(find('.msgbook-Text').textContent).toBe('fine');
  });

  it('keep the text of a block whose Markdown comes out empty', async () => {
    const { show, find, parser } = fixture();
    parser.html = '<p> </p>';
    await show(turn('done', { type: 'text', text: '[r]: x' }));
    expect(find('.msgbook-Text').textContent).toBe('[r]: x');
    parser.html = '<hr>';
    await show(turn('done', { type: 'text', text: '---' }));
    expect(find('hr')).not.toBeNull();
  });

  it('have one line above them however long their names are', async () => {
    const { show, find } = fixture();
    const long = 'name\n'.repeat(1000);
    await show({ ...turn('done'), agent: long });
    expect(find('.msgbook-Header-agent').title).toBe(long);
    expect(find('.msgbook-Header-model').hasAttribute('title')).toBe(false);
  });

  it('keep the text of a block whose Markdown cannot be parsed', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    const { show, find, parser } = fixture();
    parser.gate = Promise.reject(new Error('broken'));
    await show(turn('done', { type: 'text', text: '<i>kept</i>' }));
    expect(find('.msgbook-Text').textContent).toBe('<i>kept</i>');
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
  });
});

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
