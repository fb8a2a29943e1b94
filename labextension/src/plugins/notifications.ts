import type { JupyterFrontEnd } from '@jupyterlab/application';
import { forEachConnection, plugin } from './plugin';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookActions } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { PageConnection } from '../live/pageConnection';
import { IChatSettings, IPageConnections } from '../tokens';
import { asAmount } from '../turn/reading';
import { shortened, visible } from '../turn/text';

/** Characters of a file's name that a notification shows. */
const SHOWN = 60;

/** What is told of a notebook: that a turn has ended, or that a question waits. */
type Kind = 'end' | 'question';

/** A notification of the reader's system. */
type Notice = InstanceType<typeof window.Notification>;

/** Plugin that tells a reader who looks elsewhere that a long turn has ended, or that a question waits. */
export const notificationsPlugin = plugin({
  id: '@msgbook/labextension:notifications',
  description:
    'Notifies of long turns that have ended and of questions that wait.',
  requires: [IPageConnections, IChatSettings],
  activate: (app, trans, connections, settings) => {
    const notices = new Notices(app, settings, trans);
    const join = (connection: PageConnection) => notices.follow(connection);
    forEachConnection(connections, join);
    app.shell.currentChanged?.connect(() => notices.withdrawSeen());
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const found = connections.all.find(
        ({ panel }) => panel.content === notebook
      );
      if (found?.isChat) {
        notices.onEnd(found, cell.model.id);
      }
    });
    settings.changed.connect(() => askBrowser(settings));
  }
});

class Notices {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _settings: IChatSettings,
    private readonly _trans: TranslationBundle
  ) {}

  /** Tell of a notebook's questions, and withdraw what was told once the notebook is closed. */
  follow(connection: PageConnection): void {
    connection.approvals.changed.connect(() => this._onQuestions(connection));
    connection.panel.disposed.connect(() => this._withdraw(connection));
  }

  /** Tell that a turn has ended, if it was long. */
  onEnd(connection: PageConnection, cellId: string): void {
    const turn = connection.cells.turn(cellId);
    const seconds = this._settings.get('notifyAfter');
    const duration = asAmount(turn?.duration) ?? 0;
    if (turn === null || seconds <= 0 || duration < seconds) {
      return;
    }
    const file = nameOf(connection);
    const words =
      turn.status === 'done'
        ? this._trans.__('%1: the answer is ready.', file)
        : this._trans.__('%1: the turn has ended without an answer.', file);
    this._tell(connection, 'end', words, () => connection.cells.reveal(cellId));
  }

  /** Withdraw what was told of notebooks at which the reader looks now. */
  withdrawSeen(): void {
    [...this._told.keys()].filter(isSeen).forEach(seen => this._withdraw(seen));
  }

  /** Tell that questions wait if one is new, until none waits. */
  private _onQuestions(connection: PageConnection): void {
    const open = connection.approvals.all;
    const known = this._known.get(connection);
    const added = open.find(({ requestId }) => !known?.has(requestId));
    const ids = open.map(({ requestId }) => requestId);
    this._known.set(connection, new Set(ids));
    if (open.length === 0) {
      this._withdraw(connection, 'question');
    } else if (added && this._settings.get('notifyQuestions')) {
      const words = this._trans.__(
        '%1: a tool call waits for your approval.',
        nameOf(connection)
      );
      this._tell(connection, 'question', words, () =>
        connection.goToQuestion()
      );
    }
  }

  /** Tell a reader who looks elsewhere, in place of what was told of the same kind. */
  private _tell(
    connection: PageConnection,
    kind: Kind,
    words: string,
    show: () => Promise<unknown>
  ): void {
    if (isSeen(connection)) {
      return;
    }
    this._withdraw(connection, kind);
    const go = () => {
      this._withdraw(connection, kind);
      this._app.shell.activateById(connection.panel.id);
      void show();
    };
    const id = Notification.info(words, {
      autoClose: false,
      actions: [{ label: this._trans.__('Show'), callback: go }]
    });
    const outside = this._settings.get('notifyInBrowser')
      ? notifyOutside(words, go)
      : null;
    const told = this._told.get(connection) ?? new Map<Kind, () => void>();
    this._told.set(connection, told);
    told.set(kind, () => {
      Notification.dismiss(id);
      outside?.close();
    });
  }

  /** Withdraw what was told of a notebook, or one kind of it. */
  private _withdraw(connection: PageConnection, kind?: Kind): void {
    const told = this._told.get(connection);
    for (const key of kind === undefined ? [...(told?.keys() ?? [])] : [kind]) {
      told?.get(key)?.();
      told?.delete(key);
    }
    if (told?.size === 0) {
      this._told.delete(connection);
    }
  }

  /** Ids of the questions that each notebook had last. */
  private readonly _known = new WeakMap<PageConnection, Set<string>>();
  /** How to withdraw what was told of each notebook. */
  private readonly _told = new Map<PageConnection, Map<Kind, () => void>>();
}

/** Show a notification of the reader's system, if the browser allows it. */
function notifyOutside(words: string, go: () => void): Notice | null {
  if (window.Notification?.permission !== 'granted') {
    return null;
  }
  const notice = new window.Notification(words);
  notice.onclick = () => {
    window.focus();
    go();
  };
  return notice;
}

/** Return whether the reader looks at a notebook. */
function isSeen({ panel }: PageConnection): boolean {
  return panel.isVisible && !document.hidden && document.hasFocus();
}

function nameOf({ panel }: PageConnection): string {
  const name = visible(PathExt.basename(panel.context.path));
  return shortened(name, SHOWN);
}

/** Ask for the right to notify, once the settings want that. */
function askBrowser(settings: IChatSettings): void {
  if (
    settings.get('notifyInBrowser') &&
    window.Notification?.permission === 'default'
  ) {
    void window.Notification.requestPermission();
  }
}
