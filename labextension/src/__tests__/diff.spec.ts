import { diffLines, diffRows } from '../render/diffView';

const DIFF = [
  '--- a.txt\n',
  '+++ a.txt\n',
  '@@ -1,3 +1,3 @@\n',
  ' same\n',
  '--- was a comment\n',
  '-old\n',
  '+new\n',
  '\\ No newline at end of file'
];

describe('diffLines', () => {
  it('distinguishes the head from similar lines', () => {
    const groups = diffLines(DIFF.join(''));
    expect(groups.map(({ kind }) => kind)).toEqual([
      'file',
      'hunk',
      'same',
      'removed',
      'added',
      'same'
    ]);
    expect(groups[3].text).toBe('--- was a comment\n-old\n');
  });

  it.each([DIFF.join(''), '', '\n', 'no diff', '@@\n\n\n+x'])(
    'loses nothing: %j',
    diff => {
      expect(
        diffLines(diff)
          .map(({ text }) => text)
          .join('')
      ).toBe(diff);
    }
  );
});

describe('diffRows', () => {
  it('puts what replaces lines beside them, and what is new beside nothing', () => {
    const diff = '--- a\n+++ a\n@@ -1 +1 @@\n x\n-a\n-b\n+c\n y\n+d\n z\n-e\n';
    expect(
      diffRows(diff).map(({ kind, before, after }) => [kind, before, after])
    ).toEqual([
      ['file', '--- a\n+++ a\n', '--- a\n+++ a\n'],
      ['hunk', '@@ -1 +1 @@\n', '@@ -1 +1 @@\n'],
      ['same', ' x\n', ' x\n'],
      ['changed', '-a\n-b\n', '+c\n'],
      ['same', ' y\n', ' y\n'],
      ['changed', '', '+d\n'],
      ['same', ' z\n', ' z\n'],
      ['changed', '-e\n', '']
    ]);
  });
});
