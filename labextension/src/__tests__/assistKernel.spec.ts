import { KernelCompleterProvider } from '@jupyterlab/completer';
import type { JSONObject } from '@lumino/coreutils';
import type { PageConnection } from '../live/pageConnection';
import { assistKernel } from '../prompts/autoComplete';

const label = 'numbers.csv';

function connect(status: string, isRunning: boolean, knows = true) {
  const content = {
    status: 'ok',
    matches: [label],
    cursor_start: 2,
    cursor_end: 4,
    metadata: {}
  };
  const requestComplete = jest.fn(() => Promise.resolve({ content }));
  const kernel = { status, requestComplete };
  const asked: unknown[] = [];
  const connection = {
    cells: { isAnyRunning: () => isRunning },
    panel: { sessionContext: { session: { kernel } } },
    queries: {
      ask: (name: string, params: JSONObject) => {
        asked.push([name, params]);
        return knows ? Promise.resolve(content) : Promise.reject(new Error());
      }
    }
  };
  return { asked, kernel, connection: connection as unknown as PageConnection };
}

it('a kernel that is idle is asked in the ordinary way', () => {
  const { connection, kernel } = connect('idle', false);
  expect(assistKernel(connection)).toBe(kernel);
});

it.each([
  ['busy', false],
  ['idle', true]
])(
  'while a turn runs, the comm completes (%s, %s)',
  async (status, isRunning) => {
    const { asked, connection } = connect(status, isRunning);
    const reply = await complete(connection);
    expect(asked).toEqual([
      ['assist.complete', { code: '@[nu', cursor_pos: 4 }]
    ]);
    expect(reply).toEqual({
      start: 2,
      end: 4,
      items: [{ label }]
    });
  }
);

it('a kernel without the query is asked in the ordinary way', async () => {
  const { connection, kernel } = connect('busy', true, false);
  expect((await complete(connection)).items).toEqual([{ label }]);
  expect(kernel.requestComplete).toHaveBeenCalledWith({
    code: '@[nu',
    cursor_pos: 4
  });
});

function complete(connection: PageConnection) {
  const session = { kernel: assistKernel(connection) };
  const context = { session } as unknown as Parameters<
    KernelCompleterProvider['fetch']
  >[1];
  const request = { text: '@[nu', offset: 4 };
  return new KernelCompleterProvider().fetch(request, context);
}
