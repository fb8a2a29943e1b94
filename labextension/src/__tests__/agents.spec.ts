import {
  folderOf,
  foldersOutside,
  keepAgents,
  parseAgentList
} from '../panels/agentRows';

function row(path: string, depth: number, status = 'standby'): object {
  return { path, depth, status, name: path, uuid: path, changed: 1 };
}

describe('the agents of an answer', () => {
  it('are a tree by their depths', () => {
    const rows = [
      row('a', 0),
      row('b', 1),
      row('c', 2),
      row('d', 1),
      row('e', 0)
    ];
    const { roots } = parseAgentList({ agents: rows });
    expect(roots.map(agent => agent.name)).toEqual(['a', 'e']);
    expect(roots[0].children.map(agent => agent.name)).toEqual(['b', 'd']);
    expect(roots[0].children[0].children[0].name).toBe('c');
  });

  it.each([null, { agents: 1 }, { agents: [1, null] }])(
    'of another shape are none: %j',
    answer => {
      expect(parseAgentList(answer)).toEqual({
        roots: [],
        further: 0,
        running: []
      });
    }
  );

  it.each([-1, 99, Number.NaN, 'x', null])('may have any depth: %p', depth => {
    const rows = [row('a', 0), { ...row('b', 0), depth }];
    const { roots } = parseAgentList({ agents: rows });
    const all = roots.flatMap(agent => [agent, ...agent.children]);
    expect(all.map(agent => agent.name).sort()).toEqual(['a', 'b']);
  });

  it('are cut, with a number of those that are left out', () => {
    const rows = Array.from({ length: 600 }, (_, n) => row(`${n}`, 0));
    const { roots, further } = parseAgentList({ agents: rows });
    expect([roots.length, further]).toEqual([500, 100]);
  });

  it('are called as their files, sub-agents by what they do', () => {
    const rows = [
      { ...row('chats/untitled-fork.msg.md', 0), name: 'Copy of untitled' },
      { ...row('x/untitled-0a.msg.md', 1), name: 'Count…', prompt: 'Count all' }
    ];
    const [chat] = parseAgentList({ agents: rows }).roots;
    expect(chat.name).toBe('untitled-fork.msg.md');
    expect(chat.children[0].name).toBe('Count…');
  });

  it('cannot be read without a time of their last change', () => {
    const rows = [{ ...row('a', 0), changed: null, problem: 'no JSON' }];
    const [agent] = parseAgentList({ agents: rows }).roots;
    expect([agent.status, agent.problem]).toEqual(['unreadable', 'no JSON']);
  });

  it('have a place on the disk only where they have no path', () => {
    const outside = '/project/.msgbook/subagents/b-1.msg.md';
    const rows = [
      { ...row('a', 0), outside: '/etc/passwd' },
      { ...row('b', 1), path: null, outside },
      { ...row('c', 1), path: null, outside: 1 }
    ];
    const { roots } = parseAgentList({ agents: rows });
    expect(roots[0].outside).toBeNull();
    expect(roots[0].children.map(agent => agent.outside)).toEqual([
      outside,
      null
    ]);
    expect(foldersOutside(roots)).toEqual(['/project/.msgbook/subagents']);
  });

  it('come with the folders in which something runs', () => {
    const running = ['a', 1, null, 'b/c'];
    expect(parseAgentList({ running }).running).toEqual(['a', 'b/c']);
  });

  it('keep those above one that passes a test', () => {
    const rows = [row('a', 0), row('b', 1, 'running'), row('c', 0)];
    const { roots } = parseAgentList({ agents: rows });
    const kept = keepAgents(roots, ({ status }) => status === 'running');
    expect(kept.map(agent => agent.name)).toEqual(['a']);
  });
});

it.each([
  ['chat.ipynb', ''],
  ['work/chat.msg.md', 'work'],
  ['work/.msgbook/subagents/chat-1.msg.md', 'work'],
  ['.msgbook/subagents/chat-1.msg.md', '']
])('the folder of %s is "%s"', (path, folder) => {
  expect(folderOf(path)).toBe(folder);
});
