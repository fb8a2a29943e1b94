import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachNotebook, plugin } from './plugin';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IMermaidManager } from '@jupyterlab/mermaid';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type ISignal, Signal } from '@lumino/signaling';
import { addCommand, CommandIDs } from '../commands';
import { CHAT_CLASS } from '../cells/activePrompt';
import { bareCellIn, onKernelChoice, openNotebook } from '../live/chatNotebook';
import { PageConnection } from '../live/pageConnection';
import { tellUnheard } from '../live/approvals';
import { IChatSettings, IPageConnections } from '../tokens';
import { TURN_RANK, turnRendererFactory } from '../render/factory';
import { loadVega } from '../rich/vegaChart';

const GO_TO_APPROVAL = 'msgbook:go-to-approval';

/**
 * Plugin that connects each notebook to its msgbook kernel, for live cells, turns and approvals.
 *
 * The command focuses the question and none of its buttons, so that a key pressed before approves
 * nothing.
 */
export const pageConnectionsPlugin = plugin({
  id: '@msgbook/labextension:conversations',
  description:
    'Gives the msgbook kernel the live cells of its notebook, shows turns as they grow and asks for approval.',
  provides: IPageConnections,
  requires: [INotebookTracker],
  optional: [ICommandPalette, IMermaidManager, IChatSettings],
  activate: (app, trans, notebooks, palette, diagrams, settings) => {
    const connections = new PageConnections(notebooks);
    const join = (panel: NotebookPanel) => {
      markChat(panel);
      const connection = connect(app, panel, settings, trans);
      connections.add(connection);
      showTurns(connection, diagrams, trans);
    };
    forEachNotebook(notebooks, join);
    addGoToApproval(app, connections, trans, palette);
    return connections;
  }
});

/** Return a new connection of a notebook. */
function connect(
  app: JupyterFrontEnd,
  panel: NotebookPanel,
  settings: IChatSettings | null,
  trans: TranslationBundle
): PageConnection {
  const connection = new PageConnection(
    panel,
    app.serviceManager.contents,
    path => void openNotebook(app, path),
    {
      noKernel: trans.__('The kernel of this notebook is not running.'),
      noAnswer: trans.__('The kernel does not answer: it may be busy.')
    },
    () => settings?.get('saveTurns') ?? true
  );
  connection.connectModel = () =>
    void app.commands.execute(CommandIDs.connectModel);
  connection.approvals.unheard.connect((_, one) => tellUnheard(one, trans));
  return connection;
}

/** Let a notebook show its turns as they grow. */
function showTurns(
  connection: PageConnection,
  diagrams: IMermaidManager | null,
  trans: TranslationBundle
): void {
  const { rendermime } = connection.panel.content;
  rendermime.addFactory(
    turnRendererFactory(
      trans,
      connection,
      { charts: loadVega, diagrams },
      renderer => connection.cells.track(renderer)
    ),
    TURN_RANK
  );
}

function addGoToApproval(
  app: JupyterFrontEnd,
  connections: IPageConnections,
  trans: TranslationBundle,
  palette: ICommandPalette | null
): void {
  addCommand(app, palette, trans, GO_TO_APPROVAL, {
    label: trans.__('Go to the Call That Waits for Approval'),
    caption: trans.__(
      'Show the first call of this notebook that waits for your approval'
    ),
    isEnabled: () => (connections.current?.approvals.all.length ?? 0) > 0,
    execute: () => connections.current?.goToQuestion()
  });
}

class PageConnections implements IPageConnections {
  constructor(private readonly _notebooks: INotebookTracker) {
    this._notebooks.currentChanged.connect(() =>
      this._currentChanged.emit(this.current)
    );
  }

  add(connection: PageConnection): void {
    const { panel } = connection;
    this._connections.set(panel, connection);
    panel.disposed.connect(() => this._connections.delete(panel));
    this._added.emit(connection);
    if (this.current === connection) {
      // The tracker names a new notebook before it is known to have been added.
      this._currentChanged.emit(connection);
    }
  }

  of(panel: NotebookPanel): PageConnection | undefined {
    return this._connections.get(panel);
  }

  get all(): readonly PageConnection[] {
    return [...this._connections.values()];
  }

  get current(): PageConnection | null {
    const panel = this._notebooks.currentWidget;
    return (panel && this.of(panel)) ?? null;
  }

  get currentChanged(): ISignal<IPageConnections, PageConnection | null> {
    return this._currentChanged;
  }

  get added(): ISignal<IPageConnections, PageConnection> {
    return this._added;
  }

  private readonly _connections = new Map<NotebookPanel, PageConnection>();
  private readonly _currentChanged = new Signal<
    IPageConnections,
    PageConnection | null
  >(this);
  private readonly _added = new Signal<IPageConnections, PageConnection>(this);
}

/** Mark a notebook that is a chat for the style sheet. */
function markChat(panel: NotebookPanel): void {
  const { content, sessionContext } = panel;
  const mark = () => {
    const bare = bareCellIn(sessionContext);
    content.toggleClass(CHAT_CLASS, bare !== null);
    content.toggleClass('msgbook-mod-python', bare === 'python');
  };
  onKernelChoice(panel, mark);
  mark();
}
