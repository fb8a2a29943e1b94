import type { IText } from './texts.cjs';

export type Catalogue = Record<string, string[]>;
export function catalogueFiles(): string[];
export function check(texts: IText[], catalogue: object): string[];
export function formatted(catalogue: Catalogue): string;
export function parsed(text: string): Catalogue;
