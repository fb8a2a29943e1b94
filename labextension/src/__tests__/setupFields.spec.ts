import {
  EMPTY,
  fileLines,
  parseFindings,
  parseState,
  presetOf,
  withPreset
} from '../setup/fields';

const HOSTED = {
  name: 'hosted',
  title: '',
  baseUrl: 'https://h/v1',
  keyVariable: 'H_KEY',
  api: ''
};

describe('the fields of the form that connects a model', () => {
  it('take what a preset says, with the keyring where one works', () => {
    expect(withPreset(HOSTED, 'Keys')).toMatchObject({ keyFrom: 'keyring' });
    expect(withPreset(HOSTED, null)).toMatchObject({
      keyFrom: 'session',
      keyVariable: 'H_KEY'
    });
    expect(withPreset({ ...HOSTED, keyVariable: '' }, 'Keys').keyFrom).toBe(
      'none'
    );
    expect(withPreset({ ...HOSTED, api: 'anthropic' }, null).api).toBe(
      'anthropic'
    );
    expect(withPreset(undefined, 'Keys')).toBe(EMPTY);
  });

  it('belong to the preset with their server, whatever their name is', () => {
    const at = (baseUrl: string) => ({ ...EMPTY, name: 'mine', baseUrl });

    expect(presetOf(at('https://h/v1/'), [HOSTED])).toBe('hosted');
    expect(presetOf(at('https://h/v2'), [HOSTED])).toBe('main');
    expect(presetOf(EMPTY, [])).toBe('main');
  });

  it('are those of what is connected', () => {
    const current = { name: 'a', base_url: 'u', key_from: 'file', model: 'm' };

    expect(parseState({ current }).current).toEqual({
      name: 'a',
      baseUrl: 'u',
      keyFrom: 'file',
      keyVariable: '',
      model: 'm',
      api: ''
    });
    const odd = { current: { key_from: 'drawer', name: 1 } };
    expect(parseState(odd).current).toEqual({ ...EMPTY });
  });

  it('survive answers of any shape', () => {
    expect(parseState({ presets: [1, { title: 2 }], overriding: 'x' })).toEqual(
      {
        path: '',
        exists: false,
        overriding: [],
        keyring: null,
        presets: [
          { name: 'main', title: '', baseUrl: '', keyVariable: '', api: '' }
        ],
        current: null
      }
    );
    expect(parseFindings({ findings: [null, {}] })).toHaveLength(1);
  });
});

describe('the lines of the new file', () => {
  it('are new if the old file has not got them', () => {
    const lines = fileLines('# a\n[x]\n', 'm = 1\n# a\n[y]\n[x]\n');

    expect(lines.filter(({ isNew }) => isNew).map(({ text }) => text)).toEqual([
      'm = 1',
      '[y]'
    ]);
  });
});
