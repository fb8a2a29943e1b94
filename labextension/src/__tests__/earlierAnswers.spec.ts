import type { ICodeCellModel } from '@jupyterlab/cells';
import { EarlierAnswers } from '../live/mirroredOutputs';

type Cell = Pick<ICodeCellModel, 'id' | 'outputs'>;

function cell(id: string, ...shown: string[]): Cell & { shown: string[] } {
  const made = {
    id,
    shown,
    outputs: {
      toJSON: () => [...made.shown],
      fromJSON: (outputs: string[]) => void (made.shown = outputs)
    }
  };
  return made as unknown as Cell & { shown: string[] };
}

it('The answer that a run has replaced comes back, and the new one after it', () => {
  const answers = new EarlierAnswers();
  const one = cell('a', 'first');
  expect(answers.of('a')).toBeNull();
  answers.keep(one);
  one.shown = ['second'];
  expect(answers.of('a')).toBe('earlier');
  answers.swap(one);
  expect([one.shown, answers.of('a')]).toEqual([['first'], 'later']);
  answers.swap(one);
  expect([one.shown, answers.of('a')]).toEqual([['second'], 'earlier']);
});

it('What is drawn by a swap knows which answer it is', () => {
  const answers = new EarlierAnswers();
  const one = cell('a', 'first');
  answers.keep(one);
  let drawn: unknown;
  (one.outputs as unknown as { fromJSON: () => void }).fromJSON = () =>
    void (drawn = answers.of('a'));
  answers.swap(one);
  expect(drawn).toBe('later');
});

it('Another run keeps what was shown, and a cell without another answer stays', () => {
  const answers = new EarlierAnswers();
  const [one, two] = [cell('a', 'first'), cell('b', 'other')];
  answers.keep(one);
  one.shown = ['second'];
  answers.keep(one);
  one.shown = ['third'];
  answers.swap(one);
  answers.swap(two);
  expect([one.shown, two.shown]).toEqual([['second'], ['other']]);
});

it('The answers of twenty cells are kept', () => {
  const answers = new EarlierAnswers();
  for (let number = 0; number < 25; number += 1) {
    answers.keep(cell(`c${number}`, 'x'));
  }
  expect(['c4', 'c5', 'c24'].map(id => answers.of(id))).toEqual([
    null,
    'earlier',
    'earlier'
  ]);
});
