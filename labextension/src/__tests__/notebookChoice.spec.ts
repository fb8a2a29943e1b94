import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { agentParams } from '../pickers/agents';
import { NotebookChoice } from '../pickers/notebookChoice';
import type { IPageConnections } from '../tokens';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

/** A choice of a notebook whose kernel answers with `answer`. */
function choiceOf(
  model: NotebookModel,
  answer: (name: string, params: JSONObject) => Promise<JSONObject>
): NotebookChoice {
  const signal = () => new Signal<object, void>({});
  const panel = {
    isDisposed: false,
    disposed: signal(),
    context: { model },
    content: {
      model,
      activeCellIndex: 0,
      widgets: [{ ready: Promise.resolve(), editor: null }],
      deselectAll: () => {},
      scrollToItem: () => Promise.resolve()
    },
    sessionContext: { kernelChanged: signal() }
  } as unknown as NotebookPanel;
  const connection = {
    isChat: true,
    connected: signal(),
    queries: { ask: answer }
  };
  const connections = { of: () => connection };
  return new NotebookChoice(panel, connections as unknown as IPageConnections);
}

it('keeps what another page wrote into the frontmatter while an agent was chosen', async () => {
  const model = new NotebookModel();
  model.setMetadata('msgbook', { frontmatter: 'a: 1\n' });
  let isFirst = true;
  const choice = choiceOf(model, (name, params) => {
    if (name !== 'agents.choose') {
      return Promise.resolve({});
    }
    if (isFirst) {
      isFirst = false;
      model.setMetadata('msgbook', { frontmatter: 'b: 2\n' });
    }
    const frontmatter = `${params.frontmatter as string}default_agent: critic\n`;
    return Promise.resolve({ frontmatter });
  });
  await choice.chooseAgent('critic');
  expect(model.getMetadata('msgbook')).toEqual({
    frontmatter: 'b: 2\ndefault_agent: critic\n'
  });
});

it('shows the answer to the last question, whichever comes first', async () => {
  const answers: ((answer: JSONObject) => void)[] = [];
  const choice = choiceOf(
    new NotebookModel(),
    () => new Promise(answer => answers.push(answer))
  );
  // A new choice asks by itself first.
  await Promise.resolve();
  const [first, second] = [choice.agents(), choice.agents()];
  answers[2]({ agents: [], agent: 'second' });
  await second;
  answers[1]({ agents: [], agent: 'first' });
  await first;
  expect(choice.found.agent).toBe('second');
});

it('asks again when the notebook names another model, and for nothing else', async () => {
  const model = new NotebookModel();
  const asked = jest.fn(() => Promise.resolve({}));
  choiceOf(model, asked);
  await Promise.resolve();
  expect(asked).toHaveBeenCalledTimes(1);
  model.setMetadata('msgbook', { agent: { status: 'done' } });
  await Promise.resolve();
  expect(asked).toHaveBeenCalledTimes(1);
  model.setMetadata('msgbook', { agent: { status: 'done' }, model: 'm' });
  await Promise.resolve();
  expect(asked).toHaveBeenCalledTimes(2);
});

it('names cells that choose or define, and counts the others', () => {
  const model = new NotebookModel();
  const sources = ['a', 'b', '%agent new fast', 'c', '%model m', 'd'];
  model.sharedModel.insertCells(
    0,
    sources.map(source => ({ cell_type: 'code' as const, source }))
  );
  const named = (end?: number) =>
    (agentParams(model, end).cells as (number | JSONObject)[]).map(cell =>
      typeof cell === 'number' ? cell : cell.source
    );
  expect(named(6)).toEqual([2, '%agent new fast', 1, '%model m', 1]);
  expect(named(1)).toEqual([1]);
  expect(named()).toEqual([2, '%agent new fast', 3]);
});

it.each([
  [
    { model: 'small', provider: 'other' },
    '%agent new name models=small provider=other'
  ],
  [
    { model: 'My Model', provider: 'My "Server"' },
    '%agent new name models="My Model" provider="My \\"Server\\""'
  ],
  [{ model: 'small', provider: null }, '%agent new name models=small'],
  // Only the server knows the name of its model.
  [
    { model: null, provider: 'other' },
    '%agent new name models=served provider=other'
  ]
])('a new agent asks the server that answers: %j', async (answer, line) => {
  const model = new NotebookModel();
  const choice = choiceOf(model, (name, { provider }) =>
    Promise.resolve<JSONObject>(
      name === 'models.list'
        ? { models: provider === 'other' ? ['served', 'second'] : [] }
        : { agents: [], ...answer }
    )
  );
  await choice.agents();
  await choice.newAgent();
  expect(model.cells.get(0).sharedModel.getSource()).toBe(line);
});

it('makes no agent in a notebook that cannot be changed', async () => {
  const model = new NotebookModel();
  model.readOnly = true;
  const before = model.toJSON();
  await choiceOf(model, () => Promise.resolve({})).newAgent();
  expect(model.toJSON()).toEqual(before);
});
