import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

import type { DiagramRenderer } from './diagrams';

/** The part of JupyterLab's registry that draws charts. */
export type ChartRenderers = Pick<
  IRenderMimeRegistry,
  'mimeTypes' | 'createRenderer'
>;

/** What JupyterLab has to draw charts and diagrams with; null for what it has not. */
export interface IDrawers {
  readonly charts: ChartRenderers | null;
  readonly diagrams: DiagramRenderer | null;
}

export const NO_DRAWERS: IDrawers = { charts: null, diagrams: null };
