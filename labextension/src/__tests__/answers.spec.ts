import { MimeModel } from '@jupyterlab/rendermime';

import answers from '../../../tests/format/turn/fixtures/answers.json';
import { outline } from './outline';
import { markdown } from './pageMarkdown';

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
