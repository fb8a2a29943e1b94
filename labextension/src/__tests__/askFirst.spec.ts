import { askingFirst, type Question } from '../prompts/askFirst';

/** Runs cells that are asked about as `questions` says; returns what was run. */
function runner(questions: Record<string, Question>) {
  const ran: string[] = [];
  const execute = askingFirst(
    cell => questions[cell as unknown as string] ?? null,
    cell => {
      ran.push(cell as unknown as string);
      return Promise.resolve();
    }
  );
  const session = {};
  const run = (cell: string, where = session) =>
    execute(cell as never, where as never);
  return { ran, run };
}

/** A question that is answered later. */
function asked() {
  let answer: (mayRun: boolean) => void = () => undefined;
  const coming = new Promise<boolean>(resolve => (answer = resolve));
  const question = jest.fn(() => coming);
  return { question, answer: (mayRun: boolean) => answer(mayRun) };
}

it('runs a cell at once that nothing is asked about', () => {
  const { ran, run } = runner({});
  void run('a');
  expect(ran).toEqual(['a']);
});

it('runs a cell after the answer, and those below it after it', async () => {
  const { question, answer } = asked();
  const { ran, run } = runner({ a: question });
  const all = [run('a'), run('b'), run('c')];
  expect(ran).toEqual([]);
  answer(true);
  await Promise.all(all);
  expect(ran).toEqual(['a', 'b', 'c']);
  expect(question).toHaveBeenCalledTimes(1);
  void run('d');
  expect(ran).toEqual(['a', 'b', 'c', 'd']);
});

it('asks about one cell after the other', async () => {
  const [first, second] = [asked(), asked()];
  const { ran, run } = runner({ a: first.question, b: second.question });
  const all = [run('a'), run('b')];
  await Promise.resolve();
  expect(second.question).not.toHaveBeenCalled();
  first.answer(true);
  await all[0];
  second.answer(true);
  await all[1];
  expect(ran).toEqual(['a', 'b']);
});

it('runs none of the cells that waited for one that does not run', async () => {
  const { question, answer } = asked();
  const { ran, run } = runner({ a: question });
  const all = [run('a'), run('b')];
  answer(false);
  const results = await Promise.allSettled(all);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  // JupyterLab takes such an error for a cell that was not run.
  await expect(all[0]).rejects.toThrow(/^Canceled/);
  expect(ran).toEqual([]);
  void run('c');
  expect(ran).toEqual(['c']);
});

it('lets the cells of another notebook run meanwhile', () => {
  const { ran, run } = runner({ a: asked().question });
  void run('a');
  void run('b', {});
  expect(ran).toEqual(['b']);
});
