import type { JupyterFrontEnd } from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { openChat } from '../live/chatNotebook';
import { isObject } from '../turn/reading';
import { errorText } from '../turn/text';

/** Open an `.md` file as a notebook if the server finds a message section in it, else say why not. */
export async function openAsChat(
  app: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<IDocumentWidget | undefined> {
  const problem = await findProblem(app, path, trans);
  if (problem !== null) {
    await showErrorMessage(
      trans.__('This file cannot be opened as a chat'),
      problem
    );
    return undefined;
  }
  return openChat(app, path);
}

async function findProblem(
  { serviceManager }: JupyterFrontEnd,
  path: string,
  trans: TranslationBundle
): Promise<string | null> {
  try {
    const found = await serviceManager.contents.get(path, {
      type: 'notebook',
      content: true
    });
    const { metadata } = found.content as { metadata?: unknown };
    return isReadFromMessages(metadata)
      ? null
      : trans.__(
          '%1 has no message section. To keep a chat below its heading "Discussion", add the line message_section: true to its frontmatter, between two lines --- at the top of the file.',
          path
        );
  } catch (error) {
    return errorText(error);
  }
}

/** An entry of Jupytext's formats that names an `.md` file with a message section. */
const SECTION_ENTRY = /(?:^|,)\s*(?:[^,]*\/)?(?:md|auto):msg\s*(?:,|$)/;

/**
 * Return whether the server has read a notebook from a message file, by the notebook's metadata.
 *
 * Of an `.md` in a pair the formats say so: the server refuses them where there is no section.
 */
export function isReadFromMessages(metadata: unknown): boolean {
  const jupytext = isObject(metadata) ? metadata.jupytext : undefined;
  if (!isObject(jupytext)) {
    return false;
  }
  const { formats, text_representation: text } = jupytext;
  return (
    (isObject(text) && text.format_name === 'msg') ||
    (typeof formats === 'string' && SECTION_ENTRY.test(formats))
  );
}
