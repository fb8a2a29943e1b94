import costs from '../../../tests/format/turn/fixtures/markdown_cost.json';
import { turnBundle } from '../live/turnOutputs';
import { takesTooLong } from '../safe/markdown';
import { TURN_MIME } from '../turn/model';

function bundle(...blocks: object[]) {
  const turn = { version: 1, status: 'running', model: 'm', blocks };
  return turnBundle(turn as never) as Record<string, string>;
}

function citation(title: string, url: string) {
  return { type: 'url_citation', url, title };
}

describe('turnBundle', () => {
  it('has the turn itself, and the beginning of the answer in a line', () => {
    const data = bundle(
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'one\ntwo' },
      { type: 'text', text: 'x'.repeat(1000) }
    );
    expect(data[TURN_MIME]).toHaveProperty('status', 'running');
    expect(data['text/plain']).toMatch(/^\[running · m\] one two x+…$/);
    expect(data['text/plain'].length).toBe(300);
  });

  it('has hidden reasoning and sources in words', () => {
    const annotations = [citation('A', 'https://a.example')];
    const markdown = bundle(
      { type: 'reasoning', text: '', extra: { item: { id: 'rs' } } },
      { type: 'text', text: 'Paris.', extra: { annotations } }
    )['text/markdown'];
    expect(markdown).toContain(
      '💭 The model reasoned, but the server does not return'
    );
    expect(markdown).toContain('Sources:\n1. A https://a.example');
  });

  it('has Markdown in which nothing is more than text', () => {
    const evil = '````\n<script>x()</script>\n[a](javascript:x())\n```\n\u202e';
    const markdown = bundle(
      { type: 'text', text: evil },
      { type: 'tool_call', name: evil, arguments: evil },
      { type: 'tool_result', content: [{ type: 'text', text: evil }] }
    )['text/markdown'];
    const lines = markdown.split('\n');
    expect(lines[0]).toBe('`````text');
    expect(lines.at(-1)).toBe('`````');
    expect(lines.slice(1, -1).some(line => line.includes('`````'))).toBe(false);
    expect(markdown).toContain('\\u202e');
  });

  it.each(costs.stops)(
    'has Markdown over which no renderer stands still: %s',
    (_, ...row) => {
      const [before, piece, times, after] = row as [
        string,
        string,
        number,
        string
      ];
      const text = before + piece.repeat(times) + after;
      const markdown = bundle({ type: 'text', text })['text/markdown'];
      expect(takesTooLong(markdown)).toBe(false);
    }
  );

  it('says nothing of a turn without words', () => {
    expect(bundle()['text/markdown']).toBe('');
  });
});
