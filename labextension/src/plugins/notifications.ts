import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { NotebookActions } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import type { PageConnection } from '../live/pageConnection';
import { IChatSettings, IPageConnections } from '../tokens';
import { asAmount } from '../turn/model';
import { visible } from '../turn/text';

/** Characters of a file's name that a notification shows. */
const SHOWN = 60;

/** Plugin that tells a reader who looks elsewhere that a long turn has ended, or that a question waits. */
export const notificationsPlugin: JupyterFrontEndPlugin<void> = {
  id: '@msgbook/labextension:notifications',
  description:
    'Notifies of long turns that have ended and of questions that wait.',
  autoStart: true,
  requires: [IPageConnections, IChatSettings],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    connections: IPageConnections,
    settings: IChatSettings,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('msgbook');
    const notices = new Notices(app, settings, trans);
    const join = (connection: PageConnection) => {
      const tell = () => notices.onQuestions(connection);
      connection.approvals.changed.connect(tell);
      connection.panel.disposed.connect(tell);
    };
    connections.all.forEach(join);
    connections.added.connect((_, connection) => join(connection));
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
};

class Notices {
  constructor(
    app: JupyterFrontEnd,
    settings: IChatSettings,
    trans: TranslationBundle
  ) {
    this._app = app;
    this._settings = settings;
    this._trans = trans;
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
        ? this._trans.__('%1: the answer is there.', file)
        : this._trans.__('%1: the turn has ended without an answer.', file);
    this._tell(connection, words, () => connection.cells.reveal(cellId));
  }

  /** Tell of the questions that are new, and withdraw what was told of those that are closed. */
  onQuestions(connection: PageConnection): void {
    const open = connection.panel.isDisposed ? [] : connection.approvals.all;
    const asked = new Set(open.map(({ requestId }) => requestId));
    const told = this._told.get(connection) ?? new Map<string, string>();
    for (const [requestId, id] of Array.from(told)) {
      if (!asked.has(requestId)) {
        told.delete(requestId);
        if (id !== '') {
          Notification.dismiss(id);
        }
      }
    }
    this._told.set(connection, told);
    for (const question of this._settings.get('notifyQuestions') ? open : []) {
      if (!told.has(question.requestId)) {
        const words = this._trans.__(
          '%1: a tool call waits for your approval.',
          nameOf(connection)
        );
        const show = () => connection.goToQuestion(question);
        told.set(question.requestId, this._tell(connection, words, show));
      }
    }
  }

  /** Tell a reader who looks elsewhere; return the notification's id, empty if there is none. */
  private _tell(
    connection: PageConnection,
    words: string,
    show: () => Promise<unknown>
  ): string {
    if (isSeen(connection)) {
      return '';
    }
    const go = () => {
      this._app.shell.activateById(connection.panel.id);
      void show();
    };
    if (
      this._settings.get('notifyInBrowser') &&
      window.Notification?.permission === 'granted'
    ) {
      const notification = new window.Notification(words);
      notification.onclick = () => {
        window.focus();
        go();
      };
    }
    return Notification.info(words, {
      autoClose: false,
      actions: [{ label: this._trans.__('Show'), callback: go }]
    });
  }

  private readonly _app: JupyterFrontEnd;
  private readonly _settings: IChatSettings;
  private readonly _trans: TranslationBundle;
  /** Ids of notifications by the ids of questions; empty where the reader saw the question. */
  private readonly _told = new WeakMap<PageConnection, Map<string, string>>();
}

/** Return whether the reader looks at a notebook. */
function isSeen({ panel }: PageConnection): boolean {
  return panel.isVisible && !document.hidden && document.hasFocus();
}

function nameOf({ panel }: PageConnection): string {
  const name = visible(PathExt.basename(panel.context.path));
  return name.length > SHOWN ? `${name.slice(0, SHOWN - 1)}…` : name;
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
