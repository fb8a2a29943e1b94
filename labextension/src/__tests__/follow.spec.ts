import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { followEachOther, type ITextWidget } from '../files/follow';

/** A file that is open, as far as two that follow each other need it. */
function fakeOpen() {
  const content = {
    activeCellIndex: 0,
    widgets: [],
    activeCellChanged: new Signal<object, void>({}),
    editor: {
      isDisposed: false,
      hasFocus: () => true,
      model: {
        selections: { changed: new Signal<object, void>({}) },
        sharedModel: { getSource: () => '' }
      }
    }
  };
  const context = {
    isDisposed: false,
    model: { dirty: false },
    revert: jest.fn(() => Promise.resolve()),
    saveState: new Signal<object, string>({})
  };
  const disposed = new Signal<object, void>({});
  return { content, context, disposed, model: null };
}

function follow(
  panel: ReturnType<typeof fakeOpen>,
  text: ReturnType<typeof fakeOpen>
): void {
  followEachOther(
    panel as unknown as NotebookPanel,
    text as unknown as ITextWidget
  );
}

it('A notebook and its text follow each other until one is closed, and again when it is opened', () => {
  const [first, text] = [fakeOpen(), fakeOpen()];
  follow(first, text);
  first.context.saveState.emit('completed');
  expect(text.context.revert).toHaveBeenCalledTimes(1);
  first.disposed.emit();
  first.context.saveState.emit('completed');
  text.context.saveState.emit('completed');
  expect(text.context.revert).toHaveBeenCalledTimes(1);
  expect(first.context.revert).not.toHaveBeenCalled();
  const second = fakeOpen();
  follow(second, text);
  second.context.saveState.emit('completed');
  expect(text.context.revert).toHaveBeenCalledTimes(2);
});

it('A view that cannot be read again is told to the log, and the next save is tried again', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  const [panel, text] = [fakeOpen(), fakeOpen()];
  follow(panel, text);
  const reason = new Error('no such file');
  const failed = Promise.reject(reason);
  text.context.revert.mockReturnValueOnce(failed);
  panel.context.saveState.emit('completed');
  await expect(failed).rejects.toBe(reason);
  expect(warn).toHaveBeenCalledWith(expect.any(String), reason);
  panel.context.saveState.emit('completed');
  expect(text.context.revert).toHaveBeenCalledTimes(2);
  warn.mockRestore();
});
