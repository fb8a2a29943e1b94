import { nullTranslator } from '@jupyterlab/translation';

import cases from '../../../tests/format/turn/fixtures/agent_rows.json';
import { agentRows, conversationPath, isSubagentPath } from '../turn/agentRows';

const trans = nullTranslator.load('msgbook');

describe('a row of a sub-agent', () => {
  it.each(cases)('is shown as in Markdown: $title', ({ row, live, shown }) => {
    const block = { type: 'tool_result', agents: [row] };
    expect(agentRows(block, live, trans).rows).toEqual([shown]);
  });

  it('is over when its call is over', () => {
    const agents = [{ name: 'n', status: 'running' }];
    const block = { type: 'tool_result', agents };
    expect(agentRows(block, true, trans).rows[0].status).toBe('running');
    const ended = { ...block, status: 'success' };
    expect(agentRows(ended, true, trans).rows[0].status).toBe('interrupted');
  });

  it.each([undefined, null, {}, 'x', 3, [null, 'x', 3]])(
    'is not made from %p',
    agents => {
      const { rows } = agentRows({ type: 'tool_result', agents }, true, trans);
      expect(rows).toEqual([]);
    }
  );

  it('is counted if there are many', () => {
    const agents = Array.from({ length: 5000 }, () => ({ name: 'n' }));
    const { rows, further } = agentRows(
      { type: 'tool_result', agents },
      true,
      trans
    );
    expect([rows.length, further]).toEqual([100, 4900]);
  });
});

describe('the path of a sub-agent', () => {
  const file = '.msgbook/subagents/a.msg.md';

  it.each([
    ['chat.msg.md', file],
    ['my/chat.msg.md', `my/${file}`],
    ['drive:my/chat.ipynb', `drive:my/${file}`]
  ])('is below the folder of %s', (parent, path) => {
    expect(conversationPath(parent, file)).toBe(path);
    expect(isSubagentPath(path)).toBe(true);
  });

  it('is that of a folder above, but not above the server', () => {
    const above = `../../${file}`;
    expect(conversationPath('a/b/c/d.ipynb', above)).toBe(`a/${file}`);
    expect(conversationPath('a/b/c.ipynb', above)).toBe(file);
    expect(conversationPath('a/b.ipynb', above)).toBeNull();
    expect(conversationPath(`a/${file}`, above)).toBe(`a/${file}`);
  });

  it.each(['a.msg.md', 'x.msgbook/subagents/a.msg.md', '.msgbook/config.toml'])(
    'is not %s',
    path => expect(isSubagentPath(path)).toBe(false)
  );
});
