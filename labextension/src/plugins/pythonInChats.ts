import { forEachNotebook, plugin } from './plugin';
import { Dialog, type ISessionContext, showDialog } from '@jupyterlab/apputils';
import type { CodeCell } from '@jupyterlab/cells';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { openingOf } from '../cells/cellFacts';
import {
  isPythonNotebook,
  markPython,
  unmarkedCode
} from '../cells/changeKind';
import { bareCellOf } from '../comm/ourKernels';
import { bareCellIn } from '../live/chatNotebook';
import { askBeforeRuns, type Question } from '../prompts/askFirst';
import {
  type IPythonParser,
  readsLikePython
} from '../prompts/readsLikePython';
import { IChatSettings } from '../tokens';

/** Plugin that keeps Python from being sent as messages by mistake. */
export const pythonInChatsPlugin = plugin({
  id: '@msgbook/labextension:python-in-chats',
  description:
    'Asks what the code of a Python notebook is that becomes a chat, and about messages that read like Python.',
  requires: [INotebookTracker],
  optional: [IEditorLanguageRegistry, IChatSettings],
  activate: (_, trans, notebooks, languages, settings) => {
    let parser: IPythonParser | null = null;
    const load = async () => {
      const python = await languages?.getLanguage('text/x-python');
      // JupyterLab has no other parser of Python.
      parser =
        (python?.support?.language as { parser?: IPythonParser })?.parser ??
        null;
    };
    const join = (panel: NotebookPanel) => {
      watchKernel(panel, trans);
      // It is loaded for Python's cells anyway.
      if (parser === null) {
        void load().catch(console.error);
      }
    };
    forEachNotebook(notebooks, join);
    const offers = new RunOffers(
      () => ((settings?.get('offerPython') ?? true) ? parser : null),
      trans
    );
    askBeforeRuns((cell, session) => offers.questionOf(cell, session));
  }
});

/** Ask what the code of a Python notebook is when it becomes a chat: once, unless it is undone. */
function watchKernel(panel: NotebookPanel, trans: TranslationBundle): void {
  const { sessionContext } = panel;
  let wasAsked = false;
  const onKernel: Parameters<ISessionContext['kernelChanged']['connect']>[0] = (
    _,
    { newValue }
  ) => {
    const { model } = panel.content;
    // The notebook's metadata still tell of the kernel before.
    if (
      wasAsked ||
      model === null ||
      model.readOnly ||
      bareCellOf(newValue?.name) !== 'message' ||
      !isPythonNotebook(model) ||
      unmarkedCode(model).length === 0
    ) {
      return;
    }
    wasAsked = true;
    void askAboutCode(panel, trans);
  };
  sessionContext.kernelChanged.connect(onKernel);
  panel.disposed.connect(() =>
    sessionContext.kernelChanged.disconnect(onKernel)
  );
}

async function askAboutCode(
  panel: NotebookPanel,
  trans: TranslationBundle
): Promise<void> {
  const { content, sessionContext } = panel;
  const { specs } = sessionContext.specsManager;
  const names = Object.keys(specs?.kernelspecs ?? {});
  const other = names.find(name => bareCellOf(name) === 'python');
  const count = unmarkedCode(content.model!).length;
  const { button } = await showDialog({
    title: trans.__('Mark the Code as Python?'),
    body: trans._n(
      'In a chat, a cell without a first line is a message: running it sends it to a model. This notebook has %1 such cell of Python code.',
      'In a chat, a cell without a first line is a message: running it sends it to a model. This notebook has %1 such cells of Python code.',
      count
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Go On') }),
      ...(other === undefined
        ? []
        : [
            Dialog.okButton({
              label: trans.__('Use Python + Chat'),
              caption: trans.__(
                'Use the kernel on which code stays as it is, and messages begin with %1',
                '%%msg'
              ),
              actions: ['other']
            })
          ]),
      Dialog.okButton({
        label: trans.__('Mark as Python'),
        caption: trans.__('Begin each of these cells with %1', '%%python'),
        actions: ['mark']
      })
    ],
    defaultButton: other === undefined ? 1 : 2
  });
  if (panel.isDisposed || content.model === null) {
    return;
  }
  if (button.actions.includes('mark')) {
    markPython(content.model, unmarkedCode(content.model));
  } else if (button.actions.includes('other')) {
    await sessionContext.changeKernel({ name: other });
  }
}

/** Offers to run messages as Python that read like it, before they are sent. */
class RunOffers {
  constructor(
    /** Returns the parser of Python; null if nothing is to be offered. */
    private readonly _parser: () => IPythonParser | null,
    private readonly _trans: TranslationBundle
  ) {}

  questionOf(cell: CodeCell, session: ISessionContext): Question | null {
    const { model } = cell;
    const source = model.sharedModel.getSource();
    const parser = this._parser();
    return parser !== null &&
      bareCellIn(session) === 'message' &&
      !this._declined.has(session) &&
      this._sent.get(model) !== source &&
      openingOf(source) === undefined &&
      // A cell of a console is in no notebook.
      model.sharedModel.notebook !== null &&
      readsLikePython(source, parser)
      ? () => this._ask(cell, session)
      : null;
  }

  private async _ask(
    cell: CodeCell,
    session: ISessionContext
  ): Promise<boolean> {
    const trans = this._trans;
    const { button, isChecked } = await showDialog({
      title: trans.__('Run This as Python?'),
      body: trans.__(
        'The cell reads like Python. As a message, it is sent to the model.'
      ),
      checkbox: {
        label: trans.__('Do not ask again in this notebook'),
        caption: trans.__('All cells without a first line are sent')
      },
      buttons: [
        Dialog.cancelButton(),
        Dialog.okButton({
          label: trans.__('Send as a Message'),
          actions: ['send']
        }),
        Dialog.okButton({
          label: trans.__('Run as Python'),
          actions: ['python']
        })
      ],
      defaultButton: 2
    });
    if (!button.accept || cell.isDisposed) {
      return false;
    }
    if (isChecked === true) {
      this._declined.add(session);
    }
    const { model } = cell;
    const { notebook } = model.sharedModel;
    if (button.actions.includes('send')) {
      this._sent.set(model, model.sharedModel.getSource());
    } else if (notebook !== null) {
      markPython({ sharedModel: notebook }, [model]);
    }
    return true;
  }

  private readonly _declined = new WeakSet<ISessionContext>();
  /** What a person has sent as a message although it reads like Python. */
  private readonly _sent = new WeakMap<object, string>();
}
