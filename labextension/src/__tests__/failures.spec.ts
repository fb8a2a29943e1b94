import { nullTranslator } from '@jupyterlab/translation';
import { errorView } from '../render/blockViews';
import type { TurnAction } from '../render/host';
import { failureOf } from '../turn/failures';

const trans = nullTranslator.load('msgbook');

describe('what helps after an error', () => {
  it.each<[string, string[]]>([
    ['APIConnectionError', ['again', 'model', 'connect']],
    ['AuthenticationError', ['connect', 'model', 'again']],
    ['PermissionDeniedError', ['connect', 'model', 'again']],
    ['NotFoundError', ['model', 'connect']],
    ['RateLimitError', ['again', 'model']],
    ['InternalServerError', ['again', 'model']],
    ['IncompleteAnswer', ['again', 'model']],
    ['ConfigError', ['connect', 'again']],
    ['EmptyMessageError', ['again']],
    ['KeyboardInterrupt', []]
  ])('%s', (name, remedies) => {
    expect(failureOf(name, trans).remedies).toEqual(remedies);
  });

  it.each(['', 'toString', '__proto__', 'constructor', 'Nobody knows'])(
    'of the unknown name %j is to try again',
    name => {
      expect(failureOf(name, trans)).toEqual({
        words: '',
        remedies: ['again']
      });
    }
  );
});

function shown(
  name: string,
  message = 'No.',
  actions: TurnAction[] | null = []
) {
  let connected = 0;
  const view = errorView({
    trans,
    act:
      actions &&
      (action => {
        actions.push(action);
        return Promise.resolve();
      }),
    connectModel: () => void (connected += 1)
  });
  const update = (text: string) =>
    view.update(
      { type: 'error', name, message: text },
      { blocks: [], streaming: false, asked: [] }
    );
  void update(message);
  const { node } = view.widget;
  const buttons = Array.from(node.querySelectorAll('button'));
  return { node, buttons, update, connected: () => connected };
}

it('An error is a sentence, the words of the server, and buttons', () => {
  const actions: TurnAction[] = [];
  const { node, buttons, connected } = shown(
    'APIConnectionError',
    'refused <b>\u202E',
    actions
  );
  expect(node.textContent).toContain('could not be reached.');
  expect(node.textContent).toContain('APIConnectionError: refused <b>');
  expect(node.textContent).not.toContain('\u202E');
  expect(buttons.map(button => button.textContent)).toEqual([
    'Try again',
    'Choose another model',
    'Connect a Model…'
  ]);
  buttons.forEach(button => button.click());
  expect(actions).toEqual([
    { kind: 'again' },
    { kind: 'model', anchor: buttons[1] }
  ]);
  expect(connected()).toBe(1);
});

it('A button keeps the focus while the turn is drawn again', () => {
  const { node, buttons, update } = shown('RateLimitError');
  void update('No.');
  expect(node.contains(buttons[0])).toBe(true);
});

it('Where there is no kernel, only the form is offered', () => {
  const { buttons } = shown('APIConnectionError', 'No.', null);
  expect(buttons.map(button => button.textContent)).toEqual([
    'Connect a Model…'
  ]);
});
