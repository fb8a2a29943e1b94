import type { TranslationBundle } from '@jupyterlab/translation';

import type { IMarkdownRenderer } from '../safe/markdown';

/** Let the keyboard reach blocks of code, which have buttons while they are focused. */
export function focusableCode(
  markdown: IMarkdownRenderer,
  trans: TranslationBundle
): IMarkdownRenderer {
  const label = trans.__('Code');
  return {
    ...markdown,
    create: () => {
      const widget = markdown.create();
      const render = widget.renderModel.bind(widget);
      widget.renderModel = async model => {
        await render(model);
        for (const pre of Array.from(widget.node.querySelectorAll('pre'))) {
          pre.tabIndex = 0;
          pre.setAttribute('role', 'group');
          pre.setAttribute('aria-label', label);
        }
      };
      return widget;
    }
  };
}
