import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { createMarkdownParser } from '@jupyterlab/markedparser-extension';
import { MimeModel } from '@jupyterlab/rendermime';

import answers from '../../../tests/format/turn/fixtures/answers.json';
import { safeMarkdown } from '../safe/markdown';
import { outline } from './outline';

const languages = new EditorLanguageRegistry();
EditorLanguageRegistry.getDefaultLanguages().forEach(language =>
  languages.addLanguage(language)
);

const markdown = safeMarkdown({
  mimeType: 'text/markdown',
  sanitizer: new Sanitizer(),
  resolver: null,
  linkHandler: null,
  latexTypesetter: null,
  markdownParser: createMarkdownParser(languages)
});

describe('an answer is on the page what it is in an export', () => {
  it.each(answers.map(({ text, outline }) => [text, outline]))(
    '%j',
    async (text, expected) => {
      const widget = markdown.create();
      const data = { 'text/markdown': text };
      await widget.renderModel(new MimeModel({ data }));
      expect(outline(widget.node)).toBe(expected);
    }
  );
});
