import { bareCellOf } from '../comm/ourKernels';

const PYTHON = ['/env/bin/python', '-m'];

function specs(name: string, argv: string[]) {
  const spec = {
    name,
    argv,
    language: 'python',
    display_name: name,
    resources: {}
  };
  return { kernelspecs: { [name]: spec } };
}

describe('bareCellOf', () => {
  it.each([
    ['msgbook', 'message'],
    ['msgbook-python', 'python'],
    ['python3', null],
    ['msgbook-other', null],
    ['constructor', null],
    [undefined, null]
  ])('knows the kernel %s by its name', (name, bare) => {
    expect(bareCellOf(name)).toBe(bare);
    expect(bareCellOf(name, { kernelspecs: {} })).toBe(bare);
  });

  it.each([
    [[...PYTHON, 'msgbook.kernel', '-f', '{connection_file}'], 'message'],
    [[...PYTHON, 'msgbook.kernel', '--code-first', '-f', 'x'], 'python'],
    [[...PYTHON, 'ipykernel_launcher', '-f', 'x'], null]
  ])('knows an installed one by what it runs: %j', (argv, bare) => {
    expect(bareCellOf('mine', specs('mine', argv))).toBe(bare);
  });
});
