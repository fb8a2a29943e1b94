import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { createMarkdownParser } from '@jupyterlab/markedparser-extension';

import { safeMarkdown } from '../safe/markdown';

const languages = new EditorLanguageRegistry();
EditorLanguageRegistry.getDefaultLanguages().forEach(language =>
  languages.addLanguage(language)
);

/** Renders Markdown as the page does, without MathJax. */
export const markdown = safeMarkdown({
  mimeType: 'text/markdown',
  sanitizer: new Sanitizer(),
  resolver: null,
  linkHandler: null,
  latexTypesetter: null,
  markdownParser: createMarkdownParser(languages)
});
