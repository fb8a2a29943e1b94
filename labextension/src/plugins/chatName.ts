import { forEachConnection, plugin } from './plugin';
import { Notification } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { factsOf } from '../cells/changes';
import { chatTitle, freeName, isUntitled } from '../files/chatName';
import { errorText } from '../turn/text';
import type { PageConnection } from '../live/pageConnection';
import { saving } from '../live/turnSaver';
import { button, element } from '../render/dom';
import { IChatSettings, IPageConnections } from '../tokens';

/** Plugin that offers to name a new chat by its first message. */
export const chatNamePlugin = plugin({
  id: '@msgbook/labextension:chat-name',
  description: 'Offers a name for a new chat, made of its first message.',
  requires: [IPageConnections],
  optional: [IChatSettings],
  activate: (app, trans, connections, settings) => {
    const { contents } = app.serviceManager;
    const join = (connection: PageConnection) => {
      const offer = new NameOffer(connection, contents, trans);
      connection.turnEnded.connect(() => {
        if (settings?.get('offerName') ?? true) {
          offer.show();
        }
      });
    };
    forEachConnection(connections, join);
  }
});

/** The line above an untitled chat that offers a name. */
class NameOffer {
  constructor(
    private readonly _connection: PageConnection,
    private readonly _contents: Contents.IManager,
    private readonly _trans: TranslationBundle
  ) {
    this._connection.panel.context.pathChanged.connect(() => this._hide());
  }

  /** Offer a name, unless the file has one or the person has declined. */
  show(): void {
    const { panel, bareCell } = this._connection;
    const { contentsModel, canSave } = panel.context;
    const isFixed = contentsModel?.writable === false || canSave === false;
    // A Python notebook is about its code.
    const isChat = bareCell === 'message';
    if (this._isOver || this._line || !isChat || isFixed) {
      return;
    }
    const title = isUntitled(this._name) ? chatTitle(this._message()) : null;
    if (title === null) {
      return;
    }
    this._line = new Widget({ node: this._draw(title) });
    this._line.addClass('msgbook-NameOffer');
    panel.contentHeader.addWidget(this._line);
  }

  private _draw(title: string): HTMLElement {
    const trans = this._trans;
    const rename = button('msgbook-Action', trans.__('Rename'), () => {
      rename.disabled = true;
      void this._rename(title).finally(() => (rename.disabled = false));
    });
    const decline = button('msgbook-Action', trans.__('No'), () => {
      this._isOver = true;
      this._hide();
    });
    decline.title = trans.__('Keep the name that the file has');
    const words = element(
      'span',
      'msgbook-NameOffer-words',
      trans.__('Name this chat “%1”?', title)
    );
    words.title = title;
    const node = element('div', '', words, rename, decline);
    node.setAttribute('role', 'status');
    return node;
  }

  private async _rename(title: string): Promise<void> {
    const { panel } = this._connection;
    const { context } = panel;
    const folder = PathExt.dirname(context.path);
    try {
      // A save that is under way would write the file under its old name once more.
      await saving(context).add(async () => {
        const found = await this._contents.get(folder, { content: true });
        const names = (found.content as Contents.IModel[]).map(
          ({ name }) => name
        );
        await context.rename(freeName(title, this._name, names));
      });
      // JupyterLab asks for a name at the first save of a file without one.
      (panel as { isUntitled?: boolean }).isUntitled = false;
    } catch (reason) {
      Notification.warning(errorText(reason));
    }
  }

  private get _name(): string {
    return PathExt.basename(this._connection.panel.context.localPath);
  }

  /** Return the first message of the chat. */
  private _message(): string {
    for (const cell of this._connection.panel.content.model?.cells ?? []) {
      if (factsOf(cell, 'message').kind === 'prompt') {
        return cell.sharedModel.getSource();
      }
    }
    return '';
  }

  private _hide(): void {
    this._line?.dispose();
    this._line = null;
  }

  private _line: Widget | null = null;
  /** Whether the person has declined. */
  private _isOver = false;
}
