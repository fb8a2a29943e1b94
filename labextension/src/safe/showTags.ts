import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { fenceAfter, type IFence } from '../turn/fences';

/** Markdown without tags, and a function that restores them in its HTML. */
export interface ITagless {
  /** The Markdown in which a mark replaces every `<` that could open a tag. */
  readonly source: string;
  /** Return HTML that was made of `source` with `<` for each mark. */
  show(html: string): string;
}

// Rare characters that are punctuation like `<`, so that emphasis beside a tag comes out right.
const MARKS = ['\u2e3c', '\u2e40', '\u2e41', '\u2e43'];

// Escaped characters, and URLs and addresses in angle brackets, are matched to stay unchanged.
const TAG_START =
  /\\[\\<]|<(?:(?:https?:\/\/|mailto:)[^\s<>]+|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*)>|<(?=[a-z/!?])/gi;

/**
 * Replace the tags in Markdown by marks, so that they are shown as text.
 *
 * A model writes `List<String>`, `<think>` or `the <div> tag`; as HTML these words would vanish. A
 * mark for `<` is right in code, too, where `&lt;` would be shown as four characters. So code
 * spans, indented code and formulas need no special case. Only fenced code is left unchanged, for
 * its highlighting. The place of fences is a guess; a wrong one may cost looks, never safety, since
 * text that was taken for code still passes `showForeignTags` and the sanitizers.
 *
 * Linear in the length of the text. Returns null if the text has all characters that can be marks.
 */
export function withoutTags(source: string): ITagless | null {
  const mark = MARKS.find(
    mark => !source.includes(mark) && !source.includes(encodeURI(mark))
  );
  if (mark === undefined) {
    return null;
  }
  let fence: IFence | null = null;
  const lines = source.split('\n').map(line => {
    const before: IFence | null = fence;
    fence = fenceAfter(line, before);
    // With four columns or more it may be indented code and no fence.
    const isCode = before !== null && before === fence && before.indent < 4;
    return isCode
      ? line
      : line.replace(TAG_START, found => (found === '<' ? mark : found));
  });
  return {
    source: lines.join('\n'),
    show: html =>
      html.replaceAll(mark, '&lt;').replaceAll(encodeURI(mark), '%3C')
  };
}

/** Return a Markdown parser that shows tags literally. */
export function showingTags(
  parser: IRenderMime.IMarkdownParser
): IRenderMime.IMarkdownParser {
  return {
    render: async source => {
      const tagless = withoutTags(source);
      if (tagless === null) {
        throw new Error('The text leaves no character to mark its tags with.');
      }
      return tagless.show(await parser.render(tagless.source));
    }
  };
}
