import { MimeModel } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';

import { closedMarkdown } from '../render/openMarkdown';
import { TextView } from '../render/textView';
import { markdown } from './pageMarkdown';

describe('a text that still grows', () => {
  it.each([
    ['This is **bold', 'This is **bold**'],
    ['This is **bold ', 'This is **bold** '],
    ['This is **bold*', 'This is **bold**'],
    ['This is **bold**', 'This is **bold**'],
    ['This is **', 'This is '],
    ['Both ***bold and slanted', 'Both ***bold and slanted***'],
    ['**One** and *two', '**One** and *two*'],
    ['**bold with *slanted', '**bold with *slanted***'],
    ['snake_case_nam', 'snake_case_nam'],
    ['3 * 4 * 5', '3 * 4 * 5'],
    ['Call `f(', 'Call `f(`'],
    ['Call `', 'Call '],
    ['Call ``a`', 'Call ``a``'],
    ['In `*a` and *b', 'In `*a` and *b*'],
    ['~~gone', '~~gone~~'],
    ['- **item', '- **item**'],
    ['- **item\n- next', '- **item\n- next'],
    ['| **a', '| **a**'],
    ['| *a | b', '| *a | b'],
    ['See [the page](https://exa', 'See the page'],
    ['See [the **page', 'See [the **page**'],
    ['Words\n--', 'Words'],
    ['Words\n1.', 'Words\n1.'],
    ['| a | b |\n|--', '| a | b |'],
    ['H<su', 'H'],
    ['Costs $5 and **much', 'Costs $5 and **much**'],
    ['Is $x_1$ or $a_b', 'Is $x_1$ or &#36;a&#95;b'],
    ['So **\\(a_1', 'So &#92;&#40;a&#95;1'],
    ['**a\n\n*b', '**a\n\n*b*'],
    ['```python\nx = **a', '```python\nx = **a'],
    ['```python\nx = 1\n``', '```python\nx = 1\n'],
    ['```mermaid\ngraph', '```\ngraph'],
    ['a \\*b', 'a \\*b'],
    ['a \\', 'a ']
  ])('is shown with its marks closed: %j', (source, shown) => {
    expect(closedMarkdown(source)).toBe(shown);
  });

  const TEXT =
    'Here is **bold, with *slanted* words** and `code()`, a [link](https://example.org/a_b) ' +
    'and $x_1 + y_2$.\n\n- **First**: `a`\n- *second* ~~gone~~\n\n```python\nx = 1\n```\n\n' +
    '| **a** | `b` |\n| --- | --- |\n| *c* | d |\n\n# The **head**\n\n> quoted `code` here';

  it('shows no mark at any of its lengths, and no word later than it comes', async () => {
    for (let end = 1; end <= TEXT.length; end++) {
      const shown = await rendered(closedMarkdown(TEXT.slice(0, end)));
      expect([end, shown.match(/\*\*|`|~~/)]).toEqual([end, null]);
    }
  });

  it('is drawn anew without a loss of the nodes that did not change', async () => {
    const view = new TextView(markdown, 'plain');
    Widget.attach(view, document.body);
    void view.showText('Some **bold words** and `co', true);
    const code = await found(view.node, 'code');
    const bold = view.node.querySelector('strong')!.firstChild;
    expect(code.textContent).toBe('co');
    void view.showText('Some **bold words** and `code` and more', true);
    await until(() => /more/.test(view.node.textContent ?? ''));
    expect(view.node.querySelector('code')).toBe(code);
    expect(view.node.querySelector('strong')!.firstChild).toBe(bold);
    expect(view.node.textContent?.trim()).toBe(
      'Some bold words and code and more'
    );
    view.dispose();
  });

  it('is shown as plain text behind its beginning once it is too long to be drawn anew', async () => {
    const view = new TextView(markdown, 'plain');
    Widget.attach(view, document.body);
    const begin = 'Some **bold** words';
    void view.showText(begin, true);
    await found(view.node, 'strong');
    const more = ' and more'.repeat(1000);
    void view.showText(begin + more, true);
    expect(view.node.textContent?.replaceAll('\n', '')).toBe(
      'Some bold words' + more
    );
    await view.showText(begin + more, false);
    expect(view.node.querySelectorAll('p')).toHaveLength(1);
    view.dispose();
  });
});

async function rendered(source: string): Promise<string> {
  const widget = markdown.create();
  await widget.renderModel(
    new MimeModel({ data: { 'text/markdown': source }, trusted: false })
  );
  return widget.node.textContent ?? '';
}

async function found(node: Element, selector: string): Promise<Element> {
  await until(() => node.querySelector(selector) !== null);
  return node.querySelector(selector)!;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await new Promise(resolve => setTimeout(resolve));
  }
}
