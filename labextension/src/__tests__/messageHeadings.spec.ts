import { Cell, CodeCellModel } from '@jupyterlab/cells';
import type { BareCell } from '../comm/ourKernels';
import { listMessage } from '../plugins/contents';

const OF_ANSWER = {
  text: 'A heading',
  level: 2,
  type: Cell.HeadingType.Markdown
};

/** The texts that the table of contents lists of a cell. */
async function listed(
  source: string,
  bare: BareCell | null = 'message'
): Promise<string[]> {
  const model = new CodeCellModel();
  model.sharedModel.setSource(source);
  const cell = {
    model,
    getHeadings: () => Promise.resolve<Cell.IHeading[]>([OF_ANSWER])
  };
  listMessage(cell, () => bare);
  const headings = await cell.getHeadings();
  model.dispose();
  return headings.map(({ text }) => text);
}

it.each([
  ['What is this?\n\nAnd that?', 'What is this?'],
  ['\n  Hello\n', 'Hello'],
  ['%%msg agent=critic\nLook at it', 'Look at it'],
  ['x'.repeat(100), `${'x'.repeat(80)}…`],
  [`${'x'.repeat(79)}😀!`, `${'x'.repeat(79)}…`],
  ['a\u202eb', 'a\\u202eb']
])('%j is listed above the headings of its answer', async (source, title) => {
  expect(await listed(source)).toEqual([title, 'A heading']);
});

it.each(['', '%%python\n1', '!ls', '%usage', '%%msg agent=critic'])(
  '%j has nothing to list but its output',
  async source => {
    expect(await listed(source)).toEqual(['A heading']);
  }
);

it('lists the messages of a Python notebook, and no code', async () => {
  expect(await listed('%%msg\nWhy?', 'python')).toEqual(['Why?', 'A heading']);
  expect(await listed('x = 1', 'python')).toEqual(['A heading']);
});

it('lists no cell of another notebook', async () => {
  expect(await listed('Hello', null)).toEqual(['A heading']);
});

it('gives JupyterLab nothing of the message to render', async () => {
  const model = new CodeCellModel();
  model.sharedModel.setSource('![](https://example.org/seen.png)');
  const cell = { model, getHeadings: () => Promise.resolve([]) };
  listMessage(cell, () => 'message');
  const [heading] = (await cell.getHeadings()) as Cell.IHeading[];
  expect(heading.type).toBe(Cell.HeadingType.HTML);
  model.dispose();
});
