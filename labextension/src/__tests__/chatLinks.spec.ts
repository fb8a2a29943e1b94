import { DocumentRegistry } from '@jupyterlab/docregistry/lib/registry';

import { openLinksAsNotebooks } from '../plugins/newChat';

/** A registry with JupyterLab's viewers of notebooks and of Markdown, and our files. */
function registry(): DocumentRegistry {
  const made = new DocumentRegistry();
  const add = (name: string, fileTypes: string[], rendered: string[]) =>
    made.addWidgetFactory({
      name,
      modelName: 'text',
      fileTypes,
      defaultFor: fileTypes,
      defaultRendered: rendered
    } as unknown as DocumentRegistry.WidgetFactory);
  made.addFileType({ name: 'markdown', extensions: ['.md'] });
  add('Markdown Preview', ['markdown'], ['markdown']);
  add('Editor', ['markdown'], []);
  add('Notebook', ['notebook'], []);
  const ours = { msgbook: '\\.msg\\.md$', 'msgbook-agent': '\\.mtm$' };
  for (const [name, pattern] of Object.entries(ours)) {
    made.addFileType({ name, pattern }, ['Notebook', 'Editor']);
  }
  return made;
}

it('a link to a chat opens what a double click on it opens', () => {
  const files = registry();
  expect(files.defaultRenderedWidgetFactory('a.msg.md').name).not.toBe(
    files.defaultWidgetFactory('a.msg.md').name
  );
  openLinksAsNotebooks(files);
  expect(files.defaultRenderedWidgetFactory('a.msg.md').name).toBe('Notebook');
  expect(files.defaultRenderedWidgetFactory('a.md').name).toBe(
    'Markdown Preview'
  );
  expect(files.defaultRenderedWidgetFactory('a.mtm').name).toBe('Notebook');
  files.setDefaultWidgetFactory('msgbook', 'Editor');
  expect(files.defaultRenderedWidgetFactory('a.msg.md').name).toBe('Editor');
  expect(files.defaultRenderedWidgetFactory('a.mtm').name).toBe('Notebook');
});
