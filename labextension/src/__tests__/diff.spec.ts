import { diffLines } from '../turn/diff';

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
