import { MimeModel } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';

import { TextView } from '../render/textView';
import { markdown } from './pageMarkdown';

const BLOCKS = [
  'A paragraph with **bold**, `code`, $x_1$ and a [link](https://example.org).',
  'Two lines\nwith a break  \nand <b>tags</b> & signs.',
  'It costs $5, and then $6.',
  '# A heading',
  '# A heading',
  'Under\n=====',
  '- one\n- two\n  - deeper\n- three',
  '- loose\n\n- list\n\n  with a paragraph',
  '1. **First**: words.\n\n2. **Second**: words.\n\n   ```python\n   x = 1\n   ```',
  '* other\n* mark',
  '- [ ] to do\n- [x] done',
  'Words, then\n- an item',
  '```python\ndef f(x):\n\n    return x[1:]\n```',
  '~~~\n```\n\n~~~',
  '```\n$a$\n\n- b\n```',
  '  ```\nx\n\ny\n  ```',
  '    indented\n\n    code',
  '| a | b |\n| --- | --: |\n| 1 | `2` |',
  '> A quote\n> of lines',
  '> - quoted item\n>\n> ```\n> code\n> ```',
  '$$\n\\int_0^1 x\n$$',
  '$$ a\n\nb $$',
  '---',
  '***',
  '![image](https://example.org/i.png)',
  'See [here][r] and [r].',
  '[^1] says it.\n\n[^1]: A note of words.',
  '- \n\n  empty item',
  '\\[\na\n+ b\n- c\n\\]',
  'So \\( x\n+ y \\) and $z$ for $5.',
  '| a | b |\n| - | - |\n| $|x|$ | `c|d` |',
  '<details>\n<summary>More</summary>\n\n- a\n\n</details>',
  'H<sub>2</sub>O<br>and an open <sup>',
  'A claim[^n].\n\n[^n]: Its source.',
  'Broken **bold\n\nand `code',
  '+ plus\n\n+ plus',
  '10) paren\n\n11) paren'
];
const DEFINITION = '[r]: https://example.org/r "R"';

/** A generator of the same numbers for the same seed, below `limit`. */
function numbers(seed: number): (limit: number) => number {
  let state = seed * 2654435761 + 1;
  return limit => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function generated(seed: number): string {
  const below = numbers(seed);
  const blocks = Array.from(
    { length: 2 + below(9) },
    () => BLOCKS[below(BLOCKS.length)]
  );
  if (below(4) === 0) {
    blocks.splice(below(blocks.length), 0, DEFINITION);
  }
  const gaps = ['\n\n', '\n\n', '\n\n', '\n', '\n\n\n'];
  return blocks
    .map(block => block + gaps[below(gaps.length)])
    .join('')
    .slice(0, below(5) === 0 ? -below(20) : undefined);
}

/** What JupyterLab makes of the text, rendered whole. */
async function whole(text: string): Promise<string> {
  const widget = markdown.create();
  await widget.renderModel(
    new MimeModel({ data: { 'text/markdown': text }, trusted: false })
  );
  return outline(widget.node);
}

async function streamed(text: string, seed: number): Promise<string> {
  const below = numbers(seed);
  const view = new TextView(markdown, 'plain');
  Widget.attach(view, document.body);
  for (let end = below(40); end < text.length; end += 1 + below(60)) {
    const shown = view.showText(text.slice(0, end), true);
    await (below(2) === 0 ? shown : null);
  }
  await view.showText(text, false);
  const found = outline(view.node.querySelector('.jp-RenderedMarkdown')!);
  view.dispose();
  return found;
}

function outline(node: Element): string {
  node.normalize();
  return node.innerHTML.trimEnd();
}

describe('a text that was streamed', () => {
  it.each([
    ...Array.from({ length: 150 }, (_, seed) => seed),
    1311,
    1480,
    1587
  ])('looks as if it was rendered whole: %i', async seed => {
    const text = generated(seed);
    expect([text, await streamed(text, seed)]).toEqual([
      text,
      await whole(text)
    ]);
  });
});
