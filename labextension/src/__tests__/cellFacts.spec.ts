import historyValues from '../../../tests/format/syntax/fixtures/history_values.json';
import msgLines from '../../../tests/format/syntax/fixtures/msg_lines.json';
import ownMagics from '../../../tests/notebook/fixtures/own_magics.json';
import {
  cellFacts,
  changeMsgAttribute,
  historyOf,
  OWN_MAGICS,
  parseMsgLine
} from '../cells/cellFacts';

function prompt(source: string, ours: unknown = {}) {
  return cellFacts({ type: 'code', source, ours }, 'message');
}

describe('parseMsgLine', () => {
  it.each(msgLines)('reads $source as Python does', line => {
    const { attributes, isReadable } = parseMsgLine(line.source);
    expect(Object.fromEntries(attributes)).toEqual(line.attributes);
    expect(isReadable).toBe(line.readable);
  });
});

describe('changeMsgAttribute', () => {
  it.each([
    ['%%msg agent=a\nHi', 'agent', 'b', '%%msg agent=b\nHi'],
    ['%%msg agent=a x=1\nHi', 'agent', 'b c', '%%msg agent="b c" x=1\nHi'],
    ['%%msg agent=a x=1\nHi', 'agent', null, '%%msg x=1\nHi'],
    ['%%msg agent=a\nHi', 'agent', null, '%%msg\nHi'],
    ['%%msg agent=a\n!ls?', 'agent', null, '%%msg\n!ls?'],
    ['%%msg agent=a agent=b\nHi', 'agent', 'c', '%%msg agent=c\nHi'],
    ['%%msg x=1\nHi', 'agent', 'a', '%%msg x=1\nHi'],
    ['Hi agent=a', 'agent', 'b', 'Hi agent=a']
  ])('of %j sets %s to %j', (source, key, value, changed) => {
    expect(changeMsgAttribute(source, key, value)).toBe(changed);
  });
});

describe('cellFacts', () => {
  it.each([
    ['Hi', { text: { unread: '> [^a]: [raw]' } }, '> [^a]: [raw]', 'exclude'],
    ['Hi', { history: 'exlude' }, 'exlude', 'exclude'],
    [
      'Hi',
      { history: 'include', text: { unread: '[^a]' } },
      undefined,
      'include'
    ],
    [
      '%%msg history=include\nHi',
      { text: { unread: '[^a]' } },
      undefined,
      'include'
    ],
    ['Hi', { text: { cell: '# %%' } }, undefined, 'include']
  ])(
    'of %j with %j says what cannot be read: %j',
    (source, ours, unread, history) => {
      expect(prompt(source, ours)).toMatchObject({ unread, history });
    }
  );

  it('knows the magics that are not sent', () => {
    expect(OWN_MAGICS).toEqual(ownMagics);
  });

  it.each(historyValues)(
    'reads the history %j as Python does',
    (...[value, restricted]) => {
      expect(historyOf(value) !== 'include').toBe(restricted);
    }
  );

  it.each([
    ['Hello', 'prompt'],
    ['%%msg agent=a\nHello', 'prompt'],
    ['%continue', 'prompt'],
    ['%50 of users', 'prompt'],
    ['\\!important', 'prompt'],
    ['![](plot.png) What is this?', 'prompt'],
    ['!ls', 'code'],
    ['%%python\n1', 'code'],
    ['%timeit 1', 'code'],
    [' %agent default critic', 'magic'],
    [' \n', 'empty']
  ])('takes %j for a cell of the kind %s', (source, kind) => {
    expect(prompt(source).kind).toBe(kind);
  });

  it.each([
    ['x = 1', 'code'],
    ['%%msg\nHi', 'prompt'],
    ['\n%%msg agent=a\nHi', 'prompt'],
    ['%continue', 'prompt'],
    ['%usage', 'magic'],
    ['%%bash\nls', 'code'],
    ['!ls', 'code'],
    [' ', 'empty']
  ])('takes %j in a Python notebook for %s', (source, kind) => {
    const cell = { type: 'code', source, ours: {} };
    expect(cellFacts(cell, 'python').kind).toBe(kind);
  });

  it('takes Markdown for a note and raw text for nothing', () => {
    const note = { type: 'markdown', source: 'Hi', ours: { role: 'system' } };
    expect(cellFacts(note, 'message')).toMatchObject({
      kind: 'note',
      role: 'system'
    });
    expect(cellFacts({ ...note, type: 'raw' }, 'message').kind).toBe('raw');
  });

  it('lets the line of a prompt win over its metadata', () => {
    const ours = { agent: 'a', model: 'm', history: 'summary' };
    expect(prompt('%%msg agent=b history=none\nHi', ours)).toMatchObject({
      agent: 'b',
      model: 'm',
      history: 'exclude'
    });
  });

  it('excludes a prompt whose line cannot be read', () => {
    expect(prompt("%%msg agent='b c'\nHi").history).toBe('exclude');
  });

  it.each([null, 1, [], 'x', { agent: 1, model: [], summary: 'x' }])(
    'takes nothing from metadata of wrong types: %j',
    ours => {
      expect(prompt('Hi', ours)).toEqual({
        kind: 'prompt',
        history: 'include'
      });
    }
  );
});
