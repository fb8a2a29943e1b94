import { nullTranslator } from '@jupyterlab/translation';
import {
  type IChatCell,
  parseCells,
  readVersions
} from '../extras/diff/chatCell';
import {
  diffParts,
  diffWords,
  type IDiffTools,
  rowView
} from '../extras/diff/rowView';
import { diffCells, groupRows } from '../extras/diff/rows';
import { TURN_MIME } from '../turn/model';

function cell(id: string, source = id, answer = ''): IChatCell {
  const parts = answer === '' ? [] : [{ type: 'text', text: answer }];
  return { id, type: 'code', source, parts, turns: [] };
}

function kinds(before: IChatCell[], after: IChatCell[]): string[] {
  return diffCells(before, after).map(
    row =>
      `${row.moved ? 'moved ' : ''}${row.kind} ${(row.after ?? row.before)!.id}`
  );
}

describe('the rows of two versions', () => {
  it('are unchanged cells if nothing was changed', () => {
    const cells = [cell('a'), cell('b')];
    expect(kinds(cells, cells)).toEqual(['same a', 'same b']);
  });

  it('name what was put in and taken out, each in its place', () => {
    expect(
      kinds(
        [cell('a'), cell('gone'), cell('b')],
        [cell('new'), cell('a'), cell('b')]
      )
    ).toEqual(['added new', 'same a', 'removed gone', 'same b']);
  });

  it('keep a changed prompt and a changed answer with their cell', () => {
    expect(
      kinds(
        [cell('a', 'one'), cell('b', 'q', 'yes')],
        [cell('a', 'two'), cell('b', 'q', 'no')]
      )
    ).toEqual(['changed a', 'changed b']);
  });

  it('say that a cell was moved, once', () => {
    expect(
      kinds(
        [cell('a'), cell('b'), cell('c')],
        [cell('c'), cell('a'), cell('b')]
      )
    ).toEqual(['moved same c', 'same a', 'same b']);
  });

  it('pair cells whose ids follow from their texts, if these are alike', () => {
    expect(
      kinds(
        [cell('1', 'How many files are there?'), cell('2', 'entirely other')],
        [cell('3', 'How many folders are there?'), cell('4', 'new thing')]
      )
    ).toEqual(['changed 3', 'added 4', 'removed 2']);
  });

  it('come quickly for versions with nothing in common', () => {
    const many = (mark: string) =>
      Array.from({ length: 20_000 }, (_, n) => cell(`${mark}${n}`));
    expect(diffCells(many('a'), many('b'))).toHaveLength(40_000);
  });

  it('hold each cell of both versions exactly once', () => {
    for (let seed = 1; seed < 200; seed++) {
      const pick = (salt: number) =>
        'abcdefgh'
          .split('')
          .filter((_, n) => ((seed * salt) >> n) & 1)
          .sort(
            (x, y) =>
              ((x.charCodeAt(0) * seed * salt) % 7) -
              ((y.charCodeAt(0) * seed * salt) % 7)
          )
          .map(id => cell(id, `${id} ${(seed * salt) % 3}`));
      const [before, after] = [pick(7), pick(13)];
      const rows = diffCells(before, after);
      const left = rows.flatMap(row => (row.before ? [row.before.id] : []));
      const right = rows.flatMap(row => (row.after ? [row.after.id] : []));
      expect(left.sort()).toEqual(before.map(({ id }) => id).sort());
      expect(right).toEqual(after.map(({ id }) => id));
    }
  });

  it('are grouped where nothing was changed', () => {
    const before = [cell('a'), cell('b'), cell('c', 'x'), cell('d')];
    const after = [cell('a'), cell('b'), cell('c', 'y'), cell('d')];
    expect(
      groupRows(diffCells(before, after)).map(group =>
        'same' in group ? group.same.length : group.row.kind
      )
    ).toEqual([2, 'changed', 1]);
  });
});

describe('the parts of two answers', () => {
  const part = (type: string, text: string) => ({ type, text });

  it('are paired by their type in one place', () => {
    expect(
      diffParts(
        [part('reasoning', 'a'), part('text', 'same'), part('text', 'old')],
        [part('text', 'same'), part('tool_call', 'c'), part('text', 'new')]
      )
    ).toEqual([
      { type: 'reasoning', before: 'a' },
      { type: 'text', before: 'same', after: 'same' },
      { type: 'tool_call', before: undefined, after: 'c' },
      { type: 'text', before: 'old', after: 'new' }
    ]);
  });
});

describe('the words of two texts', () => {
  it('give back both texts', () => {
    const [before, after] = ['a b c\nd', 'a x c\n\nd e'];
    const pieces = diffWords(before, after);
    const text = (other: string) =>
      pieces
        .filter(({ kind }) => kind !== other)
        .map(piece => piece.text)
        .join('');
    expect(text('added')).toBe(before);
    expect(text('removed')).toBe(after);
  });

  it('come quickly for texts with nothing in common', () => {
    const words = (mark: string) =>
      Array.from({ length: 50_000 }, (_, n) => `${mark}${n}`).join(' ');
    expect(diffWords(words('a'), words('b')).length).toBeLessThan(10);
  });
});

describe('the cells in an answer of the server', () => {
  it('are null for a text that is no chat', () => {
    expect(parseCells({ cells: null })).toBeNull();
    expect(parseCells('no object')).toBeNull();
  });

  it('take nothing of a wrong type, and have ids of their own', () => {
    const data = { [TURN_MIME]: { version: 1, status: 'done', blocks: 'x' } };
    const cells = parseCells({
      cells: [
        {
          id: 'a',
          source: 1,
          outputs: [{ output_type: 'display_data', data }]
        },
        { id: 'a', source: ['x\n', 'y'], cell_type: 'markdown' },
        { id: {}, outputs: {} },
        null
      ]
    })!;
    expect(cells.map(({ id }) => id)).toEqual(['a', 'a 1', '']);
    expect(cells.map(({ source }) => source)).toEqual(['', 'x\ny', '']);
    expect(cells[0].turns).toEqual([]);
  });
});

describe('two versions of a file', () => {
  const model = (before: string, after: string) => ({
    filename: 'chat.msg.md',
    reference: { label: before, content: () => Promise.resolve(before) },
    challenger: { label: after, content: () => Promise.resolve(after) }
  });

  it('have no cells where the file is not there', async () => {
    const read = () => Promise.resolve([cell('a')]);
    expect(await readVersions(model('', 'x'), read)).toEqual({
      before: [],
      after: [cell('a')]
    });
  });

  it('are no chat if one of them is none', async () => {
    const read = (_: string, text: string) =>
      Promise.resolve(text === 'chat' ? [cell('a')] : null);
    expect(await readVersions(model('chat', 'text'), read)).toBeNull();
  });

  it('have the reason why one of them cannot be read', async () => {
    const read = () => Promise.reject(new Error('broken'));
    expect(await readVersions(model('x', 'y'), read)).toEqual({
      reason: 'broken'
    });
  });
});

describe('the view of a row', () => {
  it.each(['added', 'removed', 'same'] as const)(
    'writes out what hides or turns around the prompt of a cell that is %s',
    kind => {
      const trans = nullTranslator.load('msgbook');
      const hostile = cell('a', 'pay \u202e001\u202c\u0000 now');
      const row = { kind, moved: false, before: hostile, after: hostile };
      const { node } = rowView(row, { trans } as IDiffTools);
      expect(node.textContent).toContain('pay \\u202e001\\u202c\\u0000 now');
    }
  );
});
