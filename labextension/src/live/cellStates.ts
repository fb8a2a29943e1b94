import type { ICellModel } from '@jupyterlab/cells';

import type { ICellSource } from '../comm/cellMessages';

/** The part of Yjs's map of a cell that is used here. */
interface IObserved {
  observeDeep(changed: () => void): void;
}

/**
 * The state of each cell that was asked for, by the map that the cell's JSON is made from.
 *
 * The cell's own signal leaves out the changes of outputs that come from this page's kernel.
 */
const states = new WeakMap<IObserved, object>();

/** Return a cell as it is told to the kernel. */
export function cellSource(cell: ICellModel): ICellSource {
  return {
    id: cell.id,
    get state() {
      return stateOf(cell);
    },
    toJSON: () => cell.toJSON()
  };
}

function stateOf({ sharedModel }: ICellModel): object {
  const { ymodel } = sharedModel as unknown as { ymodel?: IObserved };
  if (ymodel === undefined) {
    // No change of it is told: each look may be at another state.
    return {};
  }
  let state = states.get(ymodel);
  if (state === undefined) {
    ymodel.observeDeep(() => states.set(ymodel, {}));
    state = {};
    states.set(ymodel, state);
  }
  return state;
}
