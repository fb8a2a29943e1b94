import type { JupyterFrontEnd } from '@jupyterlab/application';
import { plugin } from '../../plugins/plugin';
import { URLExt } from '@jupyterlab/coreutils';
import type { DiffFactory, IGitExtension } from '@jupyterlab/git';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ServerConnection } from '@jupyterlab/services';
import { type IChatCell, parseCells, readVersions } from './chatCell';
import { ChatDiff } from './chatDiff';
import type { IDiffTools } from './rowView';

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
