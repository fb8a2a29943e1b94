import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { ChatWindowing } from '../live/chatNotebook';

/** A notebook on a kernel, in the mode that JupyterLab's settings say. */
function notebook(kernel: string | null, mode = 'contentVisibility') {
  const sender = {};
  const kernelChanged = new Signal<object, void>(sender);
  const metadataChanged = new Signal<object, void>(sender);
  const model = { defaultKernelName: '', metadataChanged };
  const content = {
    notebookConfig: { windowingMode: mode, scrollPastEnd: 1 },
    model
  };
  const sessionContext = {
    session: kernel === null ? null : { kernel: { name: kernel } },
    kernelPreference: {} as { name?: string },
    kernelChanged,
    kernelPreferenceChanged: new Signal<object, void>(sender)
  };
  const panel = {
    content,
    sessionContext,
    disposed: new Signal(sender),
    isDisposed: false
  };
  const setting = { isOn: true };
  const windowing = new ChatWindowing(
    panel as unknown as NotebookPanel,
    () => setting.isOn
  );
  return {
    content,
    setting,
    windowing,
    mode: () => content.notebookConfig.windowingMode,
    /** Change the kernel. */
    use: (name: string) => {
      sessionContext.session = { kernel: { name } };
      kernelChanged.emit();
    },
    /** Know which kernel the notebook wants, before there is one. */
    want: (name: string) => {
      sessionContext.kernelPreference = { name };
      sessionContext.kernelPreferenceChanged.emit();
    },
    /** Read the file, which names a kernel. */
    read: (name: string) => {
      model.defaultKernelName = name;
      metadataChanged.emit();
    },
    /** Change JupyterLab's setting, which replaces the settings of all notebooks. */
    set: (windowingMode: string) => {
      content.notebookConfig = { ...content.notebookConfig, windowingMode };
      windowing.takeTheirs();
    }
  };
}

it.each(['contentVisibility', 'defer', 'none', 'full'])(
  'a chat has our mode, and another notebook the user’s: %s',
  mode => {
    expect(notebook('msgbook', mode).mode()).toBe('full');
    expect(notebook('python3', mode).mode()).toBe(mode);
    expect(notebook(null, mode).mode()).toBe(mode);
  }
);

it('a notebook that becomes a chat changes its mode, and changes it back', () => {
  const { mode, use, want } = notebook(null);
  want('msgbook');
  expect(mode()).toBe('full');
  use('python3');
  expect(mode()).toBe('contentVisibility');
  use('msgbook');
  expect(mode()).toBe('full');
});

it('it tells each time that it has become a chat, or is none any more', () => {
  const { use, want, windowing } = notebook(null);
  const told: boolean[] = [];
  windowing.changed.connect(() => told.push(windowing.isOurs));
  want('msgbook');
  use('msgbook');
  use('python3');
  expect(told).toEqual([true, false]);
});

it('the file tells of a chat before a kernel is chosen, and no longer after', () => {
  const { mode, read, want } = notebook(null);
  read('msgbook');
  expect(mode()).toBe('full');
  want('python3');
  expect(mode()).toBe('contentVisibility');
  read('msgbook');
  expect(mode()).toBe('contentVisibility');
});

it('what the user sets meanwhile for all notebooks holds as soon as ours does not', () => {
  const { mode, set, use } = notebook('msgbook');
  set('none');
  expect(mode()).toBe('full');
  set('defer');
  use('python3');
  expect(mode()).toBe('defer');
  set('full');
  use('msgbook');
  use('python3');
  expect(mode()).toBe('full');
});

it('our setting turns it on and off', () => {
  const { mode, setting, windowing } = notebook('msgbook', 'defer');
  setting.isOn = false;
  windowing.update();
  expect(mode()).toBe('defer');
  setting.isOn = true;
  windowing.update();
  expect(mode()).toBe('full');
});

it('no other setting of the notebook is touched, nor set without need', () => {
  const { content, windowing } = notebook('msgbook');
  expect(content.notebookConfig.scrollPastEnd).toBe(1);
  const before = content.notebookConfig;
  windowing.update();
  expect(content.notebookConfig).toBe(before);
});
