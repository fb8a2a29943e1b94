import type * as Vega from 'vega';
import type * as VegaLite from 'vega-lite';
import type { DiagramRenderer } from './diagrams';

/** JupyterLab's own Vega. */
export interface IVega {
  readonly vega: Pick<typeof Vega, 'View' | 'None' | 'logger' | 'parse'>;
  readonly vegaLite: Pick<typeof VegaLite, 'compile'>;
}

/** Loads Vega when the first chart is drawn; rejects where JupyterLab has none. */
export type LoadVega = () => Promise<IVega>;

export const loadVega: LoadVega = async () => {
  const [vega, vegaLite] = await Promise.all([
    import('vega'),
    import('vega-lite')
  ]);
  return { vega, vegaLite };
};

/** A chart as a picture. */
export interface IChartPicture {
  readonly svg: string;
  /** What the chart asked to load, as it named it in the end; none of it was loaded. */
  readonly refused: readonly string[];
}

/** A chart without a place in the page listens to nothing, not even to a clock. */
const NO_EVENTS = {
  view: false,
  window: false,
  selector: false,
  timer: false,
  defaults: {}
};

/**
 * Draw a chart of Vega or Vega-Lite as a picture, with a loader that loads nothing.
 *
 * JupyterLab's own renderer loads what a chart names, with the session's cookie, and an expression
 * of the chart can make up the address. Its settings (`usermeta`), input fields and links would act
 * on the page. So the chart gets no element of the page, and only its picture is kept.
 */
export async function chartPicture(
  spec: unknown,
  isLite: boolean,
  load: LoadVega
): Promise<IChartPicture> {
  const { vega, vegaLite } = await load();
  const refused = new Set<string>();
  const refuse = (uri: unknown) => {
    refused.add(String(uri));
    return Promise.reject(new Error('A chart loads nothing.'));
  };
  const loader: Vega.ILoader = {
    load: refuse,
    http: refuse,
    file: refuse,
    // A link of a mark is no load: the picture has none.
    sanitize: (uri, options) =>
      options?.context === 'href'
        ? Promise.reject(new Error('A picture has no links.'))
        : refuse(uri)
  };
  const logger = vega.logger(vega.None);
  const runtime = vega.parse(
    isLite ? vegaLite.compile(spec, { logger }).spec : spec
  );
  runtime.eventConfig = NO_EVENTS;
  const view = new vega.View(runtime, {
    loader,
    logLevel: vega.None,
    renderer: 'none'
  });
  try {
    return { svg: await view.toSVG(), refused: [...refused] };
  } finally {
    view.finalize();
  }
}

/** What JupyterLab has to draw charts and diagrams with; null for what it has not. */
export interface IDrawers {
  readonly charts: LoadVega | null;
  readonly diagrams: DiagramRenderer | null;
}

export const NO_DRAWERS: IDrawers = { charts: null, diagrams: null };
