import type { NotebookPanel } from '@jupyterlab/notebook';
import type {
  ISearchProvider,
  ISearchProviderRegistry
} from '@jupyterlab/documentsearch';

/** The filter of JupyterLab's search that counts outputs in. */
const OUTPUT = 'output';

/** Class that JupyterLab gives to the match that is shown. */
const CURRENT = 'jp-current-match';

/**
 * Let the search in a document find answers, too.
 *
 * JupyterLab leaves outputs out until a person turns its filter on, each time anew; in a chat they are
 * the text. The filter stays, and what a person chooses there counts.
 *
 * @param chatOf - Returns the notebook if a document is a chat in which answers are searched.
 */
export function searchAnswers(
  registry: Pick<ISearchProviderRegistry, 'getProvider'>,
  chatOf: (document: unknown) => NotebookPanel | null
): void {
  // The first provider that fits is taken, which is JupyterLab's own.
  const getProvider = registry.getProvider.bind(registry);
  registry.getProvider = document => {
    const provider = getProvider(document);
    const chat = chatOf(document);
    if (provider !== undefined && chat !== null) {
      turnOn(provider, OUTPUT);
      // JupyterLab would ask whether to draw them all, which happens anyway.
      provider.validateFilter = (_, isOn) => Promise.resolve(isOn);
      showFound(provider, chat.node);
      drawAll(chat.content);
    }
    return provider;
  };
}

/** Make a filter one that is on by default. */
function turnOn(provider: ISearchProvider, name: string): void {
  const getFilters = provider.getFilters?.bind(provider);
  provider.getFilters = () => {
    const filters = getFilters?.() ?? {};
    return Object.hasOwn(filters, name)
      ? { ...filters, [name]: { ...filters[name], default: true } }
      : filters;
  };
}

type Step = 'highlightNext' | 'highlightPrevious';

type Go = (
  loop?: boolean,
  options?: { readonly scroll?: boolean }
) => ReturnType<ISearchProvider[Step]>;

/** Open what is folded around a match when a person goes to it. */
function showFound(provider: ISearchProvider, node: HTMLElement): void {
  // The one for notebooks takes options that the interface does not name.
  const steps = provider as Record<Step, Go>;
  for (const step of ['highlightNext', 'highlightPrevious'] as const) {
    const go = steps[step].bind(provider);
    steps[step] = async (loop, options) => {
      const found = await go(loop, options);
      // The search itself looks for the first match with each key, and scrolls nowhere.
      if (options?.scroll !== false) {
        reveal(() => node.querySelector(`.${CURRENT}`));
      }
      return found;
    };
  }
}

/** Open the folded parts around a match, and scroll as little as shows it. */
export function reveal(find: () => Element | null): void {
  for (
    let around = find()?.parentElement?.closest('details');
    around;
    around = around.parentElement?.closest('details')
  ) {
    around.open = true;
  }
  // In the next frame JupyterLab scrolls to the editor of the cell, also for a match in its output.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => find()?.scrollIntoView({ block: 'nearest' }))
  );
}

/** Draw the answers that have never been on the screen, a few at a time: only what is drawn is found. */
function drawAll(content: NotebookPanel['content']): void {
  const next = () => {
    const index = content.isDisposed
      ? -1
      : content.widgets.findIndex(cell => cell.isPlaceholder());
    if (index !== -1) {
      content.renderCellOutputs(index);
      window.setTimeout(next);
    }
  };
  next();
}
