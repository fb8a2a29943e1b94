import type { ISwitch, ISwitches, SwitchKind } from '../comm/contextAnswers';
import { listChange } from '../live/switches';

function item(name: string, is_on: boolean, is_fixed = false): ISwitch {
  return {
    name,
    shown: name,
    origin: '',
    note: '',
    is_on,
    is_fixed,
    tokens: 1
  };
}

function group(kind: SwitchKind, ...items: ISwitch[]): ISwitches {
  return { kind, by: '', items };
}

describe('a tool that is switched', () => {
  const tools = group('tools', item('read', true), item('shell', false, true));

  it('leaves the names off that nothing has at the moment', () => {
    const ours = { disabled_tools: ['mcp__x'] };
    expect(listChange(tools, 'read', false, ours)).toEqual({
      disabled_tools: ['mcp__x', 'read']
    });
    const off = group('tools', item('read', false));
    const both = { disabled_tools: ['mcp__x', 'read'] };
    expect(listChange(off, 'read', true, both)).toEqual({
      disabled_tools: ['mcp__x']
    });
  });

  it('takes the place of a wildcard that switched it off, and of no other', () => {
    const off = group('tools', item('read', false), item('ready', false));
    const ours = { disabled_tools: ['re*', 'mcp__*'] };
    expect(listChange(off, 'read', true, ours)).toEqual({
      disabled_tools: ['mcp__*', 'ready']
    });
  });

  it('removes the key with its last name', () => {
    const off = group('tools', item('read', false));
    const ours = { disabled_tools: 'read' };
    expect(listChange(off, 'read', true, ours)).toEqual({
      disabled_tools: undefined
    });
  });

  it.each([7, [1], null])('replaces a list that cannot be read: %p', value => {
    const off = group('tools', item('read', false), item('grep', false));
    const ours = { disabled_tools: value };
    expect(listChange(off, 'read', true, ours)).toEqual({
      disabled_tools: ['grep']
    });
  });

  it('is compared with a pattern of many wildcards in no time', () => {
    const ours = { disabled_tools: ['*a'.repeat(5000)] };
    const name = 'a'.repeat(60) + 'b';
    const off = group('tools', item(name, false));
    expect(listChange(off, name, true, ours)).toEqual(ours);
  });
});

describe('a rule that is switched', () => {
  const rules = group('rules', item('a', true), item('b', true));

  it('leaves all others, also those of a wildcard', () => {
    for (const ours of [{}, { rules: '*' }, { rules: ['*'] }]) {
      expect(listChange(rules, 'a', false, ours)).toEqual({ rules: ['b'] });
    }
  });

  it('removes the list when it is the last that was off', () => {
    const off = group('rules', item('a', false), item('b', true));
    expect(listChange(off, 'a', true, { rules: ['b'] })).toEqual({
      rules: undefined
    });
  });
});
