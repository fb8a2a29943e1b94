import type { JSONObject } from '@lumino/coreutils';

import type { TurnJson } from '../turn/delta';
import { parseTurn, resultParts, text, TURN_MIME, type IBlock } from '../turn/model';
import { controlsVisible } from '../turn/text';

/** Greatest length of a turn's `text/plain`, in characters, as the kernel has it. */
const PLAIN_LIMIT = 300;

/**
 * The data of an output for a turn that the kernel has not written itself, or not to its end.
 *
 * Other programs show its Markdown, so that it must be safe there: the kernel makes a text safe with
 * a parser, here it stands in a fence, as plain text. The kernel's own bundle takes its place.
 */
export function turnBundle(turn: TurnJson): JSONObject {
  return {
    [TURN_MIME]: turn,
    'text/markdown': fenced(words(turn)),
    'text/plain': plain(turn)
  };
}

function words(turn: TurnJson): string {
  const blocks = parseTurn(turn)?.blocks ?? [];
  return controlsVisible(blocks.map(blockWords).filter(Boolean).join('\n\n'));
}

function blockWords(block: IBlock): string {
  switch (block.type) {
    case 'text':
      return text(block.text) ?? '';
    case 'reasoning':
      return `💭 ${text(block.text) ?? ''}`;
    case 'tool_call':
      return `🔧 ${text(block.name) ?? '?'} ${text(block.arguments) ?? ''}`;
    case 'tool_result': {
      const parts = resultParts(block.content);
      const texts = parts.map(part => (part.kind === 'text' ? part.text : '…'));
      return `📝 ${texts.join('\n')}`;
    }
    default:
      return text(block.text) ?? text(block.message) ?? '';
  }
}

function fenced(words: string): string {
  if (words === '') {
    return '';
  }
  const runs: string[] = words.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${words}\n${fence}`;
}

function plain(turn: TurnJson): string {
  const parsed = parseTurn(turn);
  const head = [parsed?.status, parsed?.model].filter(Boolean).join(' · ');
  const answer = (parsed?.blocks ?? [])
    .filter(block => block.type === 'text')
    .map(block => (text(block.text) ?? '').slice(0, PLAIN_LIMIT))
    .join(' ');
  const line = controlsVisible(`[${head.slice(0, 100)}] ${answer}`)
    .split(/\s+/)
    .join(' ')
    .trim();
  return line.length <= PLAIN_LIMIT
    ? line
    : `${line.slice(0, PLAIN_LIMIT - 1)}…`;
}
