// An image, `![text](`, begins a message: no shell accepts it (docs/format.md).
const SHELL_COMMAND =
  /^\s*!(?!\[(?:[^[\]\\\r\n]|\\[^\r\n]|\[[^[\]\r\n]*\])*\]\()/;
const MAGIC = /^\s*(%{1,2}[A-Za-z_][\w.]*)/;

/** Return the magic that a source begins with, `!` for a shell command; undefined for a message. */
export function openingOf(source: string): string | undefined {
  return SHELL_COMMAND.test(source) ? '!' : MAGIC.exec(source)?.[1];
}
