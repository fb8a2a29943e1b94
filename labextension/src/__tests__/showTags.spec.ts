import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { createMarkdownParser } from '@jupyterlab/markedparser-extension';
import { MimeModel } from '@jupyterlab/rendermime';

import { safeMarkdown } from '../safe/markdown';
import { withoutTags } from '../safe/showTags';

/** The source with a plain `‹` for each mark. */
function marked(source: string): string {
  return withoutTags(source)!.source.replaceAll('\u2e3c', '‹');
}

describe('withoutTags', () => {
  it.each([
    ['a tag', 'the <div> tag', 'the ‹div> tag'],
    ['a closing tag', '</think>', '‹/think>'],
    ['generics', 'List<String> xs', 'List‹String> xs'],
    ['a comment', '<!-- x -->', '‹!-- x -->'],
    ['a declaration', '<!DOCTYPE html>', '‹!DOCTYPE html>'],
    ['a processing instruction', '<?xml?>', '‹?xml?>'],
    ['a tag of two lines', '<a\nhref=x>', '‹a\nhref=x>'],
    ['a tag behind an escaped backslash', '\\\\<b>', '\\\\‹b>'],
    ['a tag that looks like a URL at first', '<https:x>', '‹https:x>'],
    ['a URL with a tag in it', '<https://x<b>', '‹https://x‹b>'],
    ['code of a quote', '> ```\n> <b>\n> ```', '> ```\n> ‹b>\n> ```'],
    ['a tag after a fence', '```\n<b>\n```\n<b>', '```\n<b>\n```\n‹b>'],
    ['a tag after a list with an open fence', '- ```\n\n<b>', '- ```\n\n‹b>'],
    ['a tag after an indented fence', '- a\n  ```\nb <b>', '- a\n  ```\nb ‹b>'],
    ['an info string', '~~~<b>\n<i>', '~~~‹b>\n<i>'],
    ['what four columns make no fence', '    ```\n    <b>', '    ```\n    ‹b>'],
    ['backticks in a line', '``` a` <b>', '``` a` ‹b>']
  ])('takes out %s', (_, source, expected) => {
    expect(marked(source)).toBe(expected);
  });

  it.each([
    ['a comparison', 'a < b, 1<2, a <- b, x<=y, <3'],
    ['an escaped tag', '\\<div>'],
    ['a URL', '<https://a.b/c?d=e#f> <http://localhost> <mailto:a@b.c>'],
    ['an address', '<first.last+tag@sub.example.org>'],
    ['a fence', '```html\n<b>\n```'],
    ['a fence in a longer fence', '````\n```\n<b>\n```\n<b>\n````'],
    ['a fence of tildes around backticks', '~~~\n```\n<b>\n~~~'],
    ['a fence that is never closed', '```\n<b>\n\n<b>'],
    ['a fence with a deep line like its end', '```\n    ```\n<b>'],
    ['a fence of a list item', '1. a\n\n   ```\n   <b>\n\n   <b>\n   ```\n'],
    ['a fence with Windows line ends', '```html\r\n<b>\r\n```\r\n']
  ])('leaves %s as it is', (_, source) => {
    expect(marked(source)).toBe(source);
  });

  it('takes another mark when the text has one, and none when it has all', () => {
    const tagless = withoutTags('\u2e3c %E2%B9%80 <b>')!;
    expect(tagless.source).toBe('\u2e3c %E2%B9%80 \u2e41b>');
    expect(tagless.show(tagless.source)).toBe('\u2e3c %E2%B9%80 &lt;b>');
    expect(withoutTags('\u2e3c\u2e40\u2e41\u2e43')).toBeNull();
  });

  it('takes linear time', () => {
    for (const part of [
      '<',
      '<a',
      '<a@',
      '<https://',
      '\\',
      '`<',
      '```\n<b '
    ]) {
      const source = part.repeat(200_000);
      expect(withoutTags(source)?.show(source).length).toBeGreaterThan(0);
    }
  });
});

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
    '| a | b |\n| - | - |\n| x<br>y | <i> |',
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
    '[a](<b c> "d") <e>',
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
      '**Note:**<br>x _y_<br> <https://a.b/c> [`<T>`](https://d.e/<f>) \\<g>'
    );
    expect(node.querySelector('strong')?.textContent).toBe('Note:');
    expect(node.querySelector('em')?.textContent).toBe('y');
    expect(node.querySelector('code')?.textContent).toBe('<T>');
    expect(
      Array.from(node.querySelectorAll('a'), a => a.getAttribute('href'))
    ).toEqual(['https://a.b/c', 'https://d.e/%3Cf%3E']);
    expect(node.textContent).toContain(
      'Note:<br>x y<br> https://a.b/c <T> <g>'
    );
  });

  it('hides nothing behind a tag where the parser sees the end of a fence elsewhere', async () => {
    const node = await shown('```\na\n``` \t\n<b>\n```\n<style> after');
    expect(node.textContent).toContain('<style> after');
  });
});
