/*
 * What is used of Vega, which JupyterLab has for its own charts and shares with its extensions. The
 * packages are large and not needed to build, so the types stand here; ui-tests/test_loads.py
 * tests them with JupyterLab.
 */
declare module 'vega' {
  /** Loads what a chart names. */
  export interface ILoader {
    load(uri: unknown): Promise<never>;
    sanitize(uri: unknown, options?: { context?: string }): Promise<never>;
    http(uri: unknown): Promise<never>;
    file(uri: unknown): Promise<never>;
  }

  export interface IRuntime {
    eventConfig?: Record<string, unknown>;
  }

  export interface ILogger {
    warn(...words: unknown[]): ILogger;
  }

  export class View {
    constructor(
      runtime: IRuntime,
      options: { loader: ILoader; logLevel: number; renderer: 'none' }
    );
    toSVG(): Promise<string>;
    finalize(): void;
  }

  export const None: number;
  export function logger(level: number): ILogger;
  export function parse(spec: unknown): IRuntime;
}

declare module 'vega-lite' {
  import type { ILogger } from 'vega';

  export function compile(
    spec: unknown,
    options: { logger: ILogger }
  ): { spec: unknown };
}
