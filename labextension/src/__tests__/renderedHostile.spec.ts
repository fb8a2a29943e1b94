import { fixture, turn } from './turnFixture';

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
