import type { JupyterFrontEnd } from '@jupyterlab/application';
import { plugin } from '../../plugins/plugin';
import { URLExt } from '@jupyterlab/coreutils';
import type {
  DiffFactory,
  IGitExtension,
  IDiffModel,
  IDiffWidget
} from '@jupyterlab/git';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ServerConnection, type Contents } from '@jupyterlab/services';
import {
  type IChatCell,
  parseCells,
  readVersions,
  type ReadCells,
  type Versions
} from './chatCell';
import { type IDiffTools, foldedView, rowView } from './rowView';
import { Panel, Widget } from '@lumino/widgets';
import { button, element, withCodeSpans } from '../../render/dom';
import { controlsVisible } from '../../turn/text';
import { diffCells, groupRows, type RowGroup } from './rows';

/** Ends of names, as jupyterlab-git knows them: what follows the last dot. */
const EXTENSIONS = ['.md', '.mtm', '.mutsumi-notebook'];

/** Its plugin for all files for which there is no other diff. */
const PLAIN_TEXT = '@jupyterlab/git:plain-text-diff';

/** Plugin that shows the changes of a chat where jupyterlab-git shows changes. */
export const gitDiffPlugin = plugin({
  id: '@msgbook/labextension:git-diff',
  description: 'Shows two versions of a chat cell by cell in jupyterlab-git.',
  requires: [IRenderMimeRegistry],
  activate: (app, trans, rendermime) => {
    const { sanitizer, latexTypesetter, markdownParser } = rendermime;
    const renderers = {
      mimeType: 'text/markdown',
      resolver: null,
      linkHandler: null,
      sanitizer,
      latexTypesetter,
      markdownParser
    };
    // Not awaited: JupyterLab does not wait for another extension.
    void join(app, { renderers, trans });
  }
});

/** Register with jupyterlab-git, if it is installed and hands out its plain text diff. */
async function join(app: JupyterFrontEnd, tools: IDiffTools): Promise<void> {
  // It has no copy of its own here: without jupyterlab-git the import fails.
  const module = await import('@jupyterlab/git').catch(() => null);
  const plugin = module?.default.find(({ id }) => id === PLAIN_TEXT);
  if (!module || !plugin) {
    return;
  }
  const git = await app.resolveOptionalService(module.IGitExtension);
  if (git === null) {
    return;
  }
  let plain: DiffFactory | undefined;
  const catcher: Partial<IGitExtension> = {
    registerFallbackDiffProvider: factory => {
      plain = factory;
    }
  };
  const services = await Promise.all(
    (plugin.requires ?? []).map(async (token): Promise<unknown> =>
      token === module.IGitExtension
        ? catcher
        : app.resolveRequiredService(token)
    )
  );
  await plugin.activate(app, ...services);
  if (plain !== undefined) {
    const read = (path: string, text: string) =>
      readCells(path, text, app.serviceManager.serverSettings);
    git.registerDiffProvider(
      'Chat',
      EXTENSIONS,
      chatDiffFactory(plain, read, tools)
    );
  }
}

function chatDiffFactory(
  plain: DiffFactory,
  read: (path: string, text: string) => Promise<IChatCell[] | null>,
  tools: IDiffTools
): DiffFactory {
  return async options => {
    const { model } = options;
    const versions = model.hasConflict ? null : await readVersions(model, read);
    if (versions === null) {
      return plain(options);
    }
    const diff = new ChatDiff({
      model,
      read,
      tools,
      plain: () => plain(options)
    });
    await diff.showVersions(versions);
    return diff;
  };
}

/** Ask the server for the cells of a text; reject with its reason if it cannot tell. */
async function readCells(
  path: string,
  text: string,
  settings: ServerConnection.ISettings
): Promise<IChatCell[] | null> {
  const url = URLExt.join(settings.baseUrl, 'msgbook/cells');
  const body = JSON.stringify({ path, text });
  const response = await ServerConnection.makeRequest(
    url,
    { method: 'POST', body },
    settings
  );
  if (!response.ok) {
    throw await ServerConnection.ResponseError.create(response);
  }
  return parseCells(await response.json());
}

/** Rows that are drawn at once. */
const PAGE = 200;

/** What a diff shows and how it gets it. */
export interface IChatDiffOptions {
  readonly model: IDiffModel;
  readonly read: ReadCells;
  /** Make the plain text diff of the same versions. */
  readonly plain: () => Promise<IDiffWidget>;
  readonly tools: IDiffTools;
}

/** Two versions of a chat, cell by cell; their texts, if a version cannot be read. */
export class ChatDiff extends Panel implements IDiffWidget {
  constructor(private readonly _options: IChatDiffOptions) {
    super();
    this.addClass('msgbook-ChatDiff');
    this.node.tabIndex = 0;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute(
      'aria-label',
      this._options.tools.trans.__(
        'Changes of the chat %1',
        this.model.filename
      )
    );
  }

  get model(): IDiffModel {
    return this._options.model;
  }

  /** Conflicts are resolved in the plain text diff. */
  readonly isFileResolved = true;

  async getResolvedFile(): Promise<Partial<Contents.IModel>> {
    const content = await this.model.challenger.content();
    return { type: 'file', format: 'text', content };
  }

  /** Read both versions again. */
  async refresh(): Promise<void> {
    const { model, read } = this._options;
    await this.showVersions(await readVersions(model, read));
  }

  /** Show what was read. */
  async showVersions(versions: Versions): Promise<void> {
    const { plain, tools } = this._options;
    const { trans } = tools;
    if (versions === null || 'reason' in versions) {
      const words =
        versions === null
          ? trans.__('One of the versions is no chat.')
          : trans.__('The chat cannot be shown: %1', versions.reason);
      const text = await plain();
      this._clear();
      const notice = element(
        'div',
        'msgbook-Notice msgbook-mod-warning',
        ...withCodeSpans(controlsVisible(words))
      );
      this.addWidget(new Widget({ node: notice }));
      this.addWidget(text);
      return;
    }
    this._clear();
    const { reference, challenger } = this.model;
    const labels = element(
      'div',
      'msgbook-ChatDiff-versions',
      element('span', 'msgbook-Diff-removed', reference.label),
      element('span', 'msgbook-Diff-added', challenger.label)
    );
    this.addWidget(new Widget({ node: labels }));
    const groups = groupRows(diffCells(versions.before, versions.after));
    this._showGroups(groups);
    if (!groups.some(group => 'row' in group)) {
      const words = trans.__('No cell was changed.');
      const node = element('div', 'msgbook-ChatDiff-none', words);
      this.addWidget(new Widget({ node }));
    }
  }

  private _showGroups(groups: readonly RowGroup[]): void {
    const { tools } = this._options;
    for (const group of groups.slice(0, PAGE)) {
      this.addWidget(groupView(group, tools));
    }
    const rest = groups.slice(PAGE);
    if (rest.length > 0) {
      const { trans } = tools;
      const words = trans._n('%1 more row', '%1 more rows', rest.length);
      const node = button('msgbook-Diff-toggle', words, () => {
        more.dispose();
        this._showGroups(rest);
      });
      const more = new Widget({ node });
      this.addWidget(more);
    }
  }

  private _clear(): void {
    while (this.widgets.length > 0) {
      this.widgets[0].dispose();
    }
  }
}

function groupView(group: RowGroup, tools: IDiffTools): Widget {
  if ('row' in group) {
    return rowView(group.row, tools);
  }
  const { same } = group;
  const { trans } = tools;
  return foldedView(
    trans._n('%1 unchanged cell', '%1 unchanged cells', same.length),
    '',
    panel => same.forEach(row => panel.addWidget(rowView(row, tools)))
  );
}
