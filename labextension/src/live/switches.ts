import type { INotebookModel } from '@jupyterlab/notebook';

import type { ISwitch, ISwitches } from '../comm/contextAnswers';
import { changeOurs } from './metadata';

/**
 * Let the model get something beside the cells, or not, by what a person could write as well.
 *
 * Rules, skills, servers and tools are names in the notebook's metadata. A macro is removed by a cell
 * `%macros -d` above the active one, which can be undone.
 */
export function setSwitch(
  model: INotebookModel,
  activeCell: number,
  { kind, items }: ISwitches,
  { name }: ISwitch,
  isOn: boolean
): void {
  if (kind === 'macros') {
    if (!isOn) {
      model.sharedModel.insertCell(activeCell, {
        cell_type: 'code',
        source: `%macros -d ${name}`,
        metadata: { trusted: true }
      });
    }
    return;
  }
  const others = items.filter(item => item.name !== name);
  const on = others.filter(item => item.is_on).map(item => item.name);
  const off = others
    .filter(item => !item.is_on && !item.is_fixed)
    .map(item => item.name);
  switch (kind) {
    case 'rules':
      // Without the key all rules are sent, also those to come.
      keep(
        model,
        kind,
        isOn && off.length === 0 ? null : isOn ? [...on, name] : on
      );
      break;
    case 'skills':
      keep(model, kind, isOn ? [...on, name] : on.length > 0 ? on : null);
      break;
    default: {
      const names = isOn ? off : [...off, name];
      keep(model, `disabled_${kind}`, names.length > 0 ? names : null);
    }
  }
}

function keep(
  model: INotebookModel,
  key: string,
  names: string[] | null
): void {
  model.sharedModel.transact(() =>
    changeOurs(model, { [key]: names ?? undefined })
  );
}
