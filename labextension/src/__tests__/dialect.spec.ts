import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { createMarkdownParser } from '@jupyterlab/markedparser-extension';
import { MimeModel } from '@jupyterlab/rendermime';

import { safeMarkdown } from '../safe/markdown';

describe('Markdown of a model', () => {
  async function shown(source: string): Promise<HTMLElement> {
    const languages = {
      findBest: () => null,
      highlight: (text: string, _: null, node: HTMLElement) => {
        node.textContent = text;
        return Promise.resolve();
      }
    };
    const renderer = safeMarkdown({
      mimeType: 'text/markdown',
      sanitizer: new Sanitizer(),
      resolver: null,
      linkHandler: null,
      latexTypesetter: null,
      markdownParser: createMarkdownParser(languages as never)
    }).create();
    const data = { 'text/markdown': source };
    await renderer.renderModel(new MimeModel({ data }));
    return renderer.node;
  }

  it('looks for the ends of formulas in a bounded number of lines', async () => {
    const alone = async (lines: number) =>
      (await shown('\\[\n'.repeat(lines) + '\n$$\nx\n$$\n')).querySelector(
        'div > .msgbook-Formula'
      );

    expect(await alone(100)).not.toBeNull();
    expect(await alone(1000)).toBeNull();
  });

  it.each([
    'Use the <div> tag',
    'List<String> xs',
    '<think>',
    '<div>\n\nbetween\n\n</div>',
    '<script>x()</script> after',
    '<!-- a comment --> after',
    '<!-- open',
    '<video> after',
    '<style> after',
    '<textarea> after',
    '<select><option> after',
    '<plaintext> after',
    '<frameset> after',
    '| a | b |\n| - | - |\n| x<hr>y | <i> |',
    'a<b>c, a < b, a<b',
    '$a<b>c$ and $x <!-- y$',
    '$$\n<b>\n$$',
    'from `<b>` to ``<i> ` <u>``',
    'an open ` and <b>',
    'a\n\n    <b>indented</b>',
    '- a\n\n      <b>',
    '> ```html\n> <b>\n> ```',
    '```html\n<b>\n<textarea>\n```\n<i>',
    '```\n<b>',
    '<p title="a long secret">x</p>',
    '[a](b "d") <e>',
    '&amp; <kept>'
  ])('shows every tag of %j', async source => {
    const { textContent } = await shown(source);
    const tags = source.match(/<(?=[a-z/!])[^>\n|$]*/gi) ?? [];
    for (const tag of [...tags, ...(source.match(/after|between/g) ?? [])]) {
      expect(textContent).toContain(tag);
    }
  });

  it('has emphasis, links and code beside tags', async () => {
    const node = await shown(
      '**Note:**<hr>x _y_<hr> <https://a.b/c> [`<T>`](https://d.e/<f>) \\<g>'
    );
    expect(node.querySelector('strong')?.textContent).toBe('Note:');
    expect(node.querySelector('em')?.textContent).toBe('y');
    expect(node.querySelector('code')?.textContent).toBe('<T>');
    expect(
      Array.from(node.querySelectorAll('a'), a => a.getAttribute('href'))
    ).toEqual(['https://a.b/c', 'https://d.e/%3Cf%3E']);
    expect(node.textContent).toContain(
      'Note:<hr>x y<hr> https://a.b/c <T> <g>'
    );
  });

  it('hides nothing behind a tag where the parser sees the end of a fence elsewhere', async () => {
    const node = await shown('```\na\n``` \t\n<b>\n```\n<style> after');
    expect(node.textContent).toContain('<style> after');
  });
});
