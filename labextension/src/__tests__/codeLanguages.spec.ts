import { canRun, cellOf, fileNameOf } from '../code/notebookCode';

function code(language: string, text = 'x') {
  return { language, text };
}

describe('the cell for code of an answer', () => {
  it.each([
    ['python', '', 'code', '%%python\nx'],
    ['py', '', 'code', '%%python\nx'],
    ['bash', '', 'code', '%%bash\nx'],
    ['python', 'python', 'code', 'x'],
    ['py', 'python', 'code', 'x'],
    ['r', 'r', 'code', 'x'],
    ['rust', '', 'markdown', '```rust\nx\n```'],
    ['', '', 'markdown', '```\nx\n```'],
    ['constructor', '', 'markdown', '```constructor\nx\n```']
  ])('of %j in a notebook of %j', (language, notebook, type, source) => {
    const cell = cellOf(code(language), notebook);
    expect(cell).toEqual({ cell_type: type, source });
    expect(canRun(code(language), notebook)).toBe(type === 'code');
  });

  it('has a fence that is longer than those in the code', () => {
    expect(cellOf(code('', 'a ```` b'), '').source).toBe(
      '`````\na ```` b\n`````'
    );
  });
});

test.each([
  ['python', 'code.py'],
  ['', 'code.txt'],
  ['c++', 'code.cpp'],
  ['json', 'code.json'],
  ['../../x', 'code.txt'],
  ['constructor', 'code.txt']
])('the file of %j code is proposed as %j', (language, name) => {
  expect(fileNameOf(code(language))).toBe(name);
});
