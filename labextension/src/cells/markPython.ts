import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { asOneChange } from '../live/documentChanges';
import { turnOf } from '../live/notebookCells';
import { asText, isObject } from '../turn/model';
import { kindOf, withFirstLine } from './kinds';

/** Return whether the file of a notebook says that its code is Python. */
export function isPythonNotebook(
  model: Pick<INotebookModel, 'getMetadata'>
): boolean {
  const nameIn = (key: string, name: string) => {
    const found: unknown = model.getMetadata(key);
    return isObject(found) ? asText(found[name])?.toLowerCase() : undefined;
  };
  const language =
    nameIn('language_info', 'name') ?? nameIn('kernelspec', 'language');
  return language === 'python';
}

/** Return the cells of a Python notebook that a chat would take for messages. */
export function unmarkedCode(
  model: Pick<INotebookModel, 'cells'>
): ICellModel[] {
  return Array.from(model.cells).filter(cell => {
    const { type, sharedModel } = cell;
    const source = sharedModel.getSource();
    return (
      source.trim() !== '' &&
      kindOf({ type, source }, 'message') === 'message' &&
      kindOf({ type, source }, 'python') === 'python' &&
      // What a model has answered was a message.
      turnOf(cell as ICodeCellModel) === null
    );
  });
}

/** Mark cells as Python, as one change that can be undone. */
export function markPython(
  model: Pick<INotebookModel, 'sharedModel'>,
  cells: readonly ICellModel[]
): void {
  asOneChange(model, () => {
    for (const { sharedModel } of cells) {
      const source = sharedModel.getSource();
      sharedModel.setSource(withFirstLine(source, 'python', 'message'));
    }
  });
}
