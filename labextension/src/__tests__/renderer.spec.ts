import { Widget } from '@lumino/widgets';
import { fixture, turn } from './turnFixture';

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
