/** What stands for something else in a prompt. */
export interface ITag {
  readonly from: number;
  readonly to: number;
}

// A reference to a file or a call of a tool, whose arguments may hold brackets; a macro.
const TAG =
  /(\\?)(@\[(?:[^[\]{}\n]|\{[^\n]*?\}(?=\])|\[[^[\]\n]*\]|\{\{[^{}\n]*\}\})*\]|\{\{[^{}\n]+\}\})/g;

/**
 * Return the references and macros of one line, in order.
 *
 * What is sent is decided by the kernel; this only says where a prompt is coloured and explained.
 */
export function tagsOf(line: string): ITag[] {
  return Array.from(line.matchAll(TAG))
    .filter(match => match[1] === '')
    .map(match => ({ from: match.index, to: match.index + match[0].length }));
}
