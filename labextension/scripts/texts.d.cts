export interface IText {
  key: string;
  text: string;
  plural: string | undefined;
  place: string;
}
export interface ITexts {
  texts: IText[];
  faults: string[];
}
export function read(file: string): string;
export function readTexts(): ITexts;
export function textsOfSchema(name: string, schema: object): ITexts;
export function textsOfSource(name: string, source: string): ITexts;
