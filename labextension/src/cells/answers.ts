import type { TurnJson } from '../turn/delta';
import { asText, parseTurn } from '../turn/model';
import { withoutMsgLine } from './msgLine';

/** Return the text of a turn as the model wrote it, without reasoning and calls; empty if there is none. */
export function answerText(turn: TurnJson | null): string {
  const blocks = parseTurn(turn)?.blocks ?? [];
  return blocks
    .map(block => (block.type === 'text' ? asText(block.text) : undefined))
    .filter(text => text !== undefined)
    .join('\n\n');
}

/** Return a prompt, quoted, and its answer as Markdown. */
export function asMarkdown(source: string, turn: TurnJson | null): string {
  const quoted = withoutMsgLine(source)
    .trim()
    .split('\n')
    .map(line => `> ${line}`.trimEnd());
  return [quoted.join('\n'), answerText(turn)]
    .filter(text => text !== '')
    .join('\n\n');
}
