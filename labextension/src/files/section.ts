import { isObject } from '../turn/model';

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
