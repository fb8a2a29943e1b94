import type { DiagramRenderer } from './diagrams';
import type { LoadVega } from './vegaChart';

/** What JupyterLab has to draw charts and diagrams with; null for what it has not. */
export interface IDrawers {
  readonly charts: LoadVega | null;
  readonly diagrams: DiagramRenderer | null;
}

export const NO_DRAWERS: IDrawers = { charts: null, diagrams: null };
