import type { NotebookPanel } from '@jupyterlab/notebook';

import { reveal, searchAnswers } from '../live/answerSearch';
import { GrowingText } from '../render/dom';

/** A filter of JupyterLab's search. */
function filter(title: string, isOn: boolean) {
  return { title, default: isOn };
}

/** What JupyterLab's registry gives for a chat in which answers are searched, or for another document. */
function provided(
  isChat: boolean,
  node: HTMLElement = document.createElement('div')
) {
  const drawn: number[] = [];
  const cells = [false, true, true];
  const content = {
    isDisposed: false,
    get widgets() {
      return cells.map(isThere => ({ isPlaceholder: () => !isThere }));
    },
    renderCellOutputs: (index: number) => {
      drawn.push(index);
      cells[index] = true;
    }
  };
  const own = {
    getFilters: () => ({
      output: filter('Outputs', false),
      selection: filter('Selection', false)
    }),
    highlightNext: () => Promise.resolve({ text: 'x', position: 0 }),
    highlightPrevious: () => Promise.resolve(undefined),
    validateFilter: () => Promise.resolve(false)
  };
  const registry = { getProvider: () => own as never };
  const panel = { node, content } as unknown as NotebookPanel;
  searchAnswers(registry, () => (isChat ? panel : null));
  const provider = registry.getProvider() as unknown as {
    getFilters: () => Record<string, { default: boolean; title: string }>;
    highlightNext: (loop: boolean, options?: object) => Promise<unknown>;
    validateFilter: (name: string, isOn: boolean) => Promise<boolean>;
  };
  return { provider, drawn };
}

/** A match in two folded parts. */
function folded(): HTMLElement {
  const node = document.createElement('div');
  node.innerHTML =
    '<details><details><p>a <mark class="jp-current-match">b</mark></p></details></details>';
  return node;
}

it('answers are searched in chats, where the filter can be turned off, and in no other document', () => {
  const { provider, drawn } = provided(true);
  expect(provider.getFilters().output).toEqual(filter('Outputs', true));
  expect(provider.getFilters().selection.default).toBe(false);
  // What was never on the screen can be found.
  expect(drawn).toEqual([0]);

  const other = provided(false);
  expect(other.provider.getFilters().output.default).toBe(false);
  expect(other.drawn).toEqual([]);
});

it('the filter is turned on without JupyterLab’s question whether to draw all outputs', async () => {
  const { provider } = provided(true);
  expect(await provider.validateFilter('output', true)).toBe(true);
  expect(await provider.validateFilter('output', false)).toBe(false);
  const other = provided(false).provider;
  expect(await other.validateFilter('output', true)).toBe(false);
});

it('what is folded around a match is opened when a person goes to it', async () => {
  const node = folded();
  const { provider } = provided(true, node);
  const open = () => node.querySelectorAll('details[open]').length;
  node.querySelector('mark')!.scrollIntoView = () => undefined;

  await provider.highlightNext(true, { scroll: false });
  expect(open()).toBe(0);
  await provider.highlightNext(true);
  expect(open()).toBe(2);
});

it('nothing is opened without a match', () => {
  expect(() => reveal(() => null)).not.toThrow();
});

describe('a text that grows while a search marks it', () => {
  /** Mark the first match, as JupyterLab does. */
  function mark(node: HTMLElement, word: string): HTMLElement {
    const text = node.firstChild as Text;
    const rest = text.splitText(text.data.indexOf(word));
    rest.data = rest.data.slice(word.length);
    const marked = document.createElement('mark');
    marked.textContent = word;
    return node.insertBefore(marked, rest);
  }

  /** Take the mark away, as JupyterLab does. */
  function unmark(marked: HTMLElement): void {
    const parent = marked.parentNode!;
    parent.replaceChild(document.createTextNode(marked.textContent!), marked);
    parent.normalize();
  }

  it.each(['one', 'two', 'three'])('stays whole: %s', word => {
    const text = new GrowingText();
    text.show('one two three');
    const marked = mark(text.node, word);
    text.show('one two three four');
    expect(text.node.textContent).toBe('one two three four');
    unmark(marked);
    expect(text.node.textContent).toBe('one two three four');
    unmark(mark(text.node, word));
    text.show('one two three four five');
    expect(text.node.textContent).toBe('one two three four five');
  });
});
