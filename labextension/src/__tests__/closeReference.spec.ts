import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import {
  bracketOf,
  closeReference,
  closedReferences,
  endsReference
} from '../prompts/closeReference';

/** Return what is done in a line whose cursor is written as a bar. */
function bracket(line: string): unknown {
  return bracketOf(line.replace('|', ''), line.indexOf('|'));
}

describe('the bracket of a completed reference', () => {
  it.each([
    '@[data.csv|',
    'see @[data.csv| and more',
    '@[data.csv| and @[b.csv]',
    '@[data.csv| and [b](c)',
    '@[a] and @[data.csv|',
    '@[data.csv| or the [b] of c]'
  ])('is written in %s', line => {
    expect(bracket(line)).toBe('insert');
  });

  it.each(['@[data.csv|]', '@[py:df|] and', '@[cell:5fb8acd8|]]'])(
    'is stepped over in %s',
    line => {
      expect(bracket(line)).toBe('step over');
    }
  );

  it.each([
    'data.csv|',
    '@[a]data|',
    '@[data.csv|:1:2]',
    '%%msg agent=a|',
    '|'
  ])('is left alone in %s', line => {
    expect(bracket(line)).toBeNull();
  });

  it.each([
    ['@[data.csv', 10, '@[data.csv]', 11],
    ['x\n@[data.csv] y', 12, 'x\n@[data.csv] y', 13]
  ])('puts the cursor behind it: %j', (doc, anchor, after, cursor) => {
    const view = new EditorView({
      state: EditorState.create({ doc, selection: { anchor } })
    });
    closeReference(view);
    expect(view.state.doc.toString()).toBe(after);
    expect(view.state.selection.main.head).toBe(cursor);
  });
});

describe('a text that was taken from the list', () => {
  const offered = [
    { kind: 'file', insertText: 'data' },
    { kind: 'file', insertText: 'data.csv' },
    { kind: 'folder', insertText: 'src/' },
    { kind: 'prefix', insertText: 'cell:' },
    { kind: 'tool', insertText: 'read{' },
    { kind: 'name', insertText: 'py:df' },
    { kind: 'cell', insertText: '5fb8acd8' },
    { kind: 'constructor', insertText: 'x' }
  ];

  it.each([
    ['data.csv', true],
    ['py:df', true],
    ['cell:5fb8acd8', true],
    ['d/an.ipynb:cell:5fb8acd8', true],
    ['an.ipynb:cell:', false],
    ['an.py:cell:5fb8acd8', false],
    ['5fb8acd8', false],
    ['src/', false],
    ['cell:', false],
    ['read{', false],
    ['x', false],
    ['dat', false],
    ['data', 'unsure']
  ])('%s ends a reference: %s', (content, ends) => {
    expect(endsReference(offered, content)).toBe(ends);
  });
});

describe('behind a bracket that was closed for a person', () => {
  /** Complete the name before the cursor, and type; where no handler takes a character, it is inserted. */
  function typed(doc: string, text: string): string {
    const view = new EditorView({
      state: EditorState.create({
        doc,
        selection: { anchor: doc.length },
        extensions: closedReferences
      })
    });
    closeReference(view);
    for (const one of text) {
      const { head } = view.state.selection.main;
      const insert = () => view.state.replaceSelection(one);
      const isTaken = view.state
        .facet(EditorView.inputHandler)
        .some(handle => handle(view, head, head, one, insert as never));
      if (!isTaken) {
        view.dispatch(insert());
      }
    }
    const { head } = view.state.selection.main;
    const after = view.state.doc.toString();
    return `${after.slice(0, head)}|${after.slice(head)}`;
  }

  it.each([
    ['@[a.py', '', '@[a.py]|'],
    ['@[a.py', ']', '@[a.py]|'],
    ['@[a.py', ']]', '@[a.py]]|'],
    ['@[a.py', ':10', '@[a.py:10|]'],
    ['@[a.py', ':10:20] and', '@[a.py:10:20] and|'],
    ['@[a.py', ': what', '@[a.py]: what|'],
    ['@[a.py', ' 1', '@[a.py] 1|'],
    ['@[py:df', ':1', '@[py:df]:1|'],
    ['@[cell:5fb8acd8', ':1', '@[cell:5fb8acd8]:1|']
  ])('%s and %j become %s', (doc, text, after) => {
    expect(typed(doc, text)).toBe(after);
  });
});
