import {
  TranslationManager,
  TranslatorConnector
} from '@jupyterlab/translation';

import {
  read,
  readTexts,
  textsOfSchema,
  textsOfSource
} from '../../scripts/texts.cjs';
import {
  catalogueFiles,
  check,
  formatted,
  parsed
} from '../../scripts/translations.cjs';

const [text] = textsOfSource('a.ts', "trans.__('Ask `%1`')").texts;

describe('the translations of the page', () => {
  it('are complete', () => {
    const { texts, faults } = readTexts();

    expect(texts.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
    for (const file of catalogueFiles()) {
      const catalogue = read(file);
      expect(check(texts, parsed(catalogue))).toEqual([]);
      expect(JSON.parse(catalogue)).toEqual(parsed(catalogue));
    }
  });

  it('are what JupyterLab shows, with and without a plural', async () => {
    const catalogue = JSON.parse(read(catalogueFiles()[0])) as object;
    const connector = new TranslatorConnector();
    const data = { msgbook: catalogue };
    connector.fetch = (() =>
      Promise.resolve({ data, message: '' })) as typeof connector.fetch;
    const manager = new TranslationManager('', '', undefined, connector);
    await manager.fetch('zh_CN');
    const trans = manager.load('msgbook');

    expect(trans.__('Approve')).toBe('批准');
    for (const number of [1, 2]) {
      const told = trans._n('%1 earlier cell', '%1 earlier cells', number);
      expect(told).toBe(`前面 ${number} 个单元格`);
    }
  });
});

describe('the texts of the page', () => {
  it('are found with their contexts and plurals, also in what React renders', () => {
    const source = `
      const shown = <p title={props.trans._p('verb', 'Open')}>{trans._n('%1 cell', '%1 cells', n)}</p>;
      this._trans._np('noun', 'a turn', '%1 turns', 2);
    `;

    const { texts, faults } = textsOfSource('a.tsx', source);

    expect(faults).toEqual([]);
    expect(texts).toEqual([
      {
        key: 'verb\u0004Open',
        text: 'Open',
        plural: undefined,
        place: 'a.tsx:2'
      },
      { key: '%1 cell', text: '%1 cell', plural: '%1 cells', place: 'a.tsx:2' },
      {
        key: 'noun\u0004a turn',
        text: 'a turn',
        plural: '%1 turns',
        place: 'a.tsx:3'
      }
    ]);
  });

  it('have to be literals', () => {
    const { faults } = textsOfSource('a.ts', "trans.__('a' + b)");

    expect(faults).toEqual(['a.ts:1: a text is not one literal']);
  });

  it('of a schema are those that JupyterLab translates, and need its domain', () => {
    const schema = JSON.parse(`{
      "title": "Chat",
      "properties": {"a": {"title": "A", "default": "no text", "oneOf": [{"title": "B"}]}},
      "jupyter.lab.toolbars": {"Notebook": [{"name": "n", "label": "L"}]}
    }`) as object;

    const { texts, faults } = textsOfSchema('s.json', schema);

    expect(texts.map(({ key }) => key)).toEqual([
      'schema\u0004Chat',
      'settings\u0004A',
      'settings\u0004B',
      'toolbar\u0004L'
    ]);
    expect(faults).toHaveLength(1);
  });
});

describe('a fault of a catalogue', () => {
  it.each([
    ['a missing translation', {}, 'has no translation'],
    ['an empty translation', { 'Ask `%1`': [''] }, 'has no translation'],
    ['a lost placeholder', { 'Ask `%1`': ['`问`'] }, 'has other placeholders'],
    ['other code', { 'Ask `%1`': ['问 %1'] }, 'has other code'],
    [
      'space at an end',
      { 'Ask `%1`': ['问 `%1` '] },
      'has other surrounding space'
    ],
    [
      'a plural that the text has not',
      { 'Ask `%1`': ['问 `%1`', ''] },
      'needs a list of 1'
    ]
  ])('is %s', (_, catalogue, fault) => {
    expect(check([text], catalogue).join()).toContain(fault);
  });

  it('is a translation of what the page does not say', () => {
    expect(check([], { Gone: ['没了'], '': {} })).toEqual(['stale: "Gone"']);
  });
});

describe('a catalogue', () => {
  it('keeps the translation of a line that a merge has doubled', () => {
    const merged = '{\n"a": [""],\n"a": ["甲"],\n"": {}\n}\n';

    expect(formatted(parsed(merged))).toBe('{\n"a": ["甲"],\n"": {}\n}\n');
  });
});
