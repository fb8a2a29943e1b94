import { proposeOtherKernel } from '../live/chatNotebook';

function options(...groups: string[][]) {
  return {
    disabled: false,
    groups: groups.map(names => ({
      label: '',
      options: names.map(name => ({
        text: name,
        value: JSON.stringify(name === 'none' ? null : { name }),
        selected: undefined as boolean | undefined
      }))
    }))
  };
}

/** The kernels that are selected among these. */
function proposed(groups: string[][], defaultName?: string, chosen?: string) {
  const given = options(...groups);
  const all = given.groups.flatMap(group => group.options);
  all
    .filter(({ text }) => text === chosen)
    .forEach(one => {
      one.selected = true;
    });
  proposeOtherKernel(given, defaultName);
  return all.filter(({ selected }) => selected).map(({ text }) => text);
}

describe('the kernel that a dialog proposes', () => {
  it("is the server's default where ours would be the first", () => {
    expect(
      proposed([['msgbook', 'ir', 'python3'], ['none']], 'python3')
    ).toEqual(['python3']);
  });

  it('is the next one where the default is not offered', () => {
    const groups = [['msgbook-python', 'python3'], ['none'], ['ir']];
    expect(proposed(groups, 'ir')).toEqual(['python3']);
    expect(proposed([['msgbook', 'python3']])).toEqual(['python3']);
  });

  it('stays where a kernel is selected, or another one is the first', () => {
    expect(proposed([['msgbook', 'python3']], 'python3', 'msgbook')).toEqual([
      'msgbook'
    ]);
    expect(proposed([['ir', 'msgbook', 'python3']], 'python3')).toEqual([]);
  });

  it('stays where only ours are offered, or nothing is', () => {
    expect(proposed([['msgbook'], ['none'], ['python3']], 'python3')).toEqual(
      []
    );
    expect(proposed([], 'python3')).toEqual([]);
    expect(proposed([['none']], 'python3')).toEqual([]);
  });
});
