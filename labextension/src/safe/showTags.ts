import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { fenceAfter, type IFence } from '../turn/fences';

/** Markdown without tags, and the way back for the HTML that is made of it. */
export interface ITagless {
  /** The Markdown in which a mark stands for every `<` that could open a tag. */
  readonly source: string;
  /** HTML made of `source`, with the marks as `<` for the reader. */
  show(html: string): string;
}

// Punctuation to Markdown, as `<` is, so that emphasis beside a tag comes out right; all but unused.
const MARKS = ['\u2e3c', '\u2e40', '\u2e41', '\u2e43'];

// What stays: escaped characters, and URLs and addresses in angle brackets.
const TAG_START =
  /\\[\\<]|<(?:(?:https?:\/\/|mailto:)[^\s<>]+|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*)>|<(?=[a-z/!?])/gi;

/**
 * Take the tags out of Markdown, so that they are text to be read and not HTML.
 *
 * A model writes `List<String>`, `<think>` or `the <div> tag`; as HTML these words would vanish. A
 * mark in place of `<` is right in code, too, where `&lt;` would be read as four characters, so
 * nothing has to be known about code spans, indented code and formulas (which JupyterLab takes out
 * before). Only fenced code is left as it is, for its highlighting. Where code begins and ends is a
 * guess, and one that is wrong may cost looks, never safety: what is taken for code and is none
 * reaches `showForeignTags` and the sanitizers behind it.
 *
 * Linear in the length of the text. Null if the text has all the characters that can be marks.
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
    // With four columns and more it may be no fence, but indented code.
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

/** A Markdown parser that shows tags as they were written. */
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
