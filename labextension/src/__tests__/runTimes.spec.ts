import type { ICodeCellModel } from '@jupyterlab/cells';
import { NotebookModel } from '@jupyterlab/notebook/lib/model';
import { type IRunCell, keepTimes } from '../live/notebookCells';
import { TURN_MIME } from '../turn/model';
import { hideYjsWarnings } from './quietYjs';

const STARTED = '2026-11-22T21:00:00.000000Z';
const ENDED = '2026-11-22T21:00:01.500000Z';

let notebook: NotebookModel;

/** A cell that runs until `end` is called. */
function running(request = 'r1') {
  notebook.sharedModel.insertCells(0, [{ cell_type: 'code', source: 'x' }]);
  const model = notebook.cells.get(0) as ICodeCellModel;
  let end: (reply: unknown) => void = () => undefined;
  let fail: () => void = () => undefined;
  const done = new Promise((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  const future = { msg: { header: { msg_id: request } }, done };
  const cell = { model, outputArea: { future } } as unknown as IRunCell;
  return { cell, model, end, fail };
}

const reply = { header: { date: ENDED } };

hideYjsWarnings();

beforeEach(() => {
  notebook = new NotebookModel();
});

afterEach(() => {
  notebook.dispose();
});

describe('keepTimes', () => {
  it('writes start and end into the cell of the request', async () => {
    const other = running('r0');
    const { cell, model, end } = running();
    const kept = keepTimes([other.cell, cell], 'r1', STARTED);
    expect(model.getMetadata('execution')).toBeUndefined();

    end(reply);
    await kept;

    expect(model.getMetadata('execution')).toEqual({
      'iopub.execute_input': STARTED,
      'shell.execute_reply': ENDED
    });
    expect(other.model.getMetadata('execution')).toBeUndefined();
  });

  it('leaves what JupyterLab wrote', async () => {
    const { cell, model, end } = running();
    const times = { 'iopub.execute_input': STARTED, 'iopub.status.busy': 'x' };
    model.setMetadata('execution', times);

    end(reply);
    await keepTimes([cell], 'r1', STARTED);

    expect(model.getMetadata('execution')).toEqual(times);
  });

  it('writes nothing beside a turn, which has its own times', async () => {
    const { cell, model, end } = running();
    const data = { [TURN_MIME]: { version: 1, status: 'done', blocks: [] } };
    model.outputs.add({ output_type: 'display_data', data, metadata: {} });

    end(reply);
    await keepTimes([cell], 'r1', STARTED);

    expect(model.getMetadata('execution')).toBeUndefined();
  });

  it('writes nothing for a run that was cancelled, or of another page', async () => {
    const { cell, model, fail } = running();
    fail();
    await keepTimes([cell], 'r1', STARTED);
    await keepTimes([cell], 'r2', STARTED);

    expect(model.getMetadata('execution')).toBeUndefined();
  });
});
