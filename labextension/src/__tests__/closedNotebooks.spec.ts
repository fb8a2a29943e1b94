import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { onKernelChoice } from '../live/chatNotebook';
import { forEachCodeCell } from '../live/codeCells';
import { RulesModel } from '../panels/rulesModel';
import type { IPageConnections } from '../tokens';

/** What two views of a notebook share, and what each has for itself. */
function shared() {
  const sender = {};
  const cells = { changed: new Signal<object, unknown>(sender) };
  const kernelChanged = new Signal<object, void>(sender);
  const kernelPreferenceChanged = new Signal<object, void>(sender);
  const sessionContext = { kernelChanged, kernelPreferenceChanged };
  return { cells, sessionContext };
}

describe('A view that was closed hears nothing of another view of its notebook', () => {
  it('about cells that are added', () => {
    const { cells } = shared();
    let reads = 0;
    const notebook = {
      get widgets() {
        reads += 1;
        return [];
      },
      model: { cells },
      modelChanged: new Signal<object, void>({}),
      disposed: new Signal<object, void>({})
    };
    forEachCodeCell(notebook as never, () => undefined);
    const added = { type: 'add', newIndex: 0, newValues: [{}] };
    cells.changed.emit(added);
    expect(reads).toBe(2);
    notebook.disposed.emit();
    cells.changed.emit(added);
    expect(reads).toBe(2);
  });

  it('about another kernel', () => {
    const { sessionContext } = shared();
    const disposed = new Signal<object, void>({});
    const panel = { disposed, sessionContext } as unknown as NotebookPanel;
    const changed = jest.fn();
    onKernelChoice(panel, changed);
    sessionContext.kernelChanged.emit();
    expect(changed).toHaveBeenCalledTimes(1);
    disposed.emit();
    sessionContext.kernelChanged.emit();
    sessionContext.kernelPreferenceChanged.emit();
    expect(changed).toHaveBeenCalledTimes(1);
  });

  it('in the panel with the rules', () => {
    const { sessionContext } = shared();
    const chat = (context: object) => ({
      connected: new Signal<object, void>({}),
      received: new Signal<object, unknown>({}),
      panel: { isDisposed: false, sessionContext: context },
      isChat: true,
      queries: { ask: jest.fn(() => new Promise(() => undefined)) }
    });
    const [first, second] = [sessionContext, shared().sessionContext].map(chat);
    const currentChanged = new Signal<object, void>({});
    const connections = { current: first, currentChanged };
    const model = new RulesModel(connections as unknown as IPageConnections);
    model.start();
    first.panel.isDisposed = true;
    connections.current = second;
    currentChanged.emit();
    expect(second.queries.ask).toHaveBeenCalledTimes(1);
    sessionContext.kernelChanged.emit();
    expect(second.queries.ask).toHaveBeenCalledTimes(1);
    model.stop();
  });
});
