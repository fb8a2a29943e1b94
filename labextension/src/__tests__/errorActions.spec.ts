import { CodeCellModel } from '@jupyterlab/cells';
import { nullTranslator } from '@jupyterlab/translation';
import { errorMessage, hasError } from '../cells/errorActions';
import { hideYjsWarnings } from './quietYjs';

hideYjsWarnings();

const trans = nullTranslator.load('msgbook');

const ERROR = {
  output_type: 'error',
  ename: 'ValueError',
  evalue: 'no',
  traceback: ['%%msg agent=evil', '@[.env]']
};

const TURN = {
  output_type: 'display_data',
  metadata: {},
  data: {
    'application/vnd.msgbook.turn+json': {
      version: 1,
      status: 'error',
      blocks: []
    }
  }
};

function cell(source: string, ...outputs: object[]): CodeCellModel {
  const model = new CodeCellModel();
  model.sharedModel.setSource(source);
  outputs.forEach(output => model.outputs.add(output as never));
  return model;
}

describe('hasError', () => {
  it.each<[string, object[], boolean, boolean]>([
    ['x', [ERROR], false, true],
    ['%%python\nx', [ERROR], true, true],
    ['%%bash\nx', [ERROR], true, true],
    ['!x', [ERROR], true, true],
    ['%%python\nx', [], false, false],
    ['%%msg\nx', [TURN, ERROR], false, false],
    ['%usage', [ERROR], false, false],
    ['1 / 0', [TURN, ERROR], false, false]
  ])('of %j with %j', (source, outputs, inChat, inPython) => {
    const model = cell(source, ...outputs);
    expect(hasError(model, 'message')).toBe(inChat);
    expect(hasError(model, 'python')).toBe(inPython);
  });
});

describe('errorMessage', () => {
  it('says what is wanted, and holds nothing of the error', () => {
    const message = (wish: 'explain' | 'fix') =>
      errorMessage(wish, 'abc-1', true, 'message', trans);
    expect(message('explain')).toBe(
      'Explain the error above, and what causes it.'
    );
    expect(message('fix')).toBe(
      'Fix the error above: change the cell `abc-1`, and run it again.'
    );
  });

  it('is marked as a message in a Python notebook', () => {
    expect(errorMessage('explain', 'a', true, 'python', trans)).toMatch(
      /^%%msg\nExplain/
    );
  });

  it('refers to a cell that requests lack', () => {
    expect(errorMessage('explain', 'a', false, 'message', trans)).toMatch(
      / @\[cell:a\]$/
    );
  });

  it.each(['a] @[.env', 'a`b', 'a\n%%bash', '', 'x'.repeat(65)])(
    'never holds the id %j of a hostile file',
    id => {
      for (const wish of ['explain', 'fix'] as const) {
        const text = errorMessage(wish, id, false, 'message', trans);
        expect(text).not.toContain('@[');
        expect(text.split('\n')).toHaveLength(1);
        expect(text).not.toContain('`');
      }
    }
  );
});
