import { nullTranslator } from '@jupyterlab/translation';

import visibleCharacters from '../../../tests/display/fixtures/visible_characters.json';
import finishReasons from '../../../tests/format/turn/fixtures/finish_reasons.json';
import resultPartCases from '../../../tests/format/turn/fixtures/result_parts.json';
import turnValues from '../../../tests/format/turn/fixtures/turn_values.json';
import { callOf, parseTurn, resultParts } from '../turn/model';
import { indentJson, controlsVisible, visible } from '../turn/text';
import {
  describeEnding,
  describeHistory,
  formatDuration,
  shownStatus,
  describeTokens
} from '../turn/wording';

const trans = nullTranslator.load('msgbook');

describe('parseTurn', () => {
  it.each(turnValues)(
    'finds a turn where it has what every version requires: $title',
    ({ value, is_turn }) => {
      expect(parseTurn(value) !== null).toBe(is_turn);
    }
  );

  it('finds none in undefined', () => {
    expect(parseTurn(undefined)).toBeNull();
  });

  it('takes optional keys of a wrong type as absent', () => {
    const turn = parseTurn({
      version: 1,
      status: 'done',
      blocks: [{ type: 'text', text: 5 }],
      model: {},
      duration: '4',
      started: 'yesterday',
      usage: [1],
      context: { cells: -1, source: null }
    });
    expect(turn).toMatchObject({ status: 'done', usage: {}, context: {} });
    expect(turn?.model).toBeUndefined();
    expect(turn?.duration).toBeUndefined();
    expect(turn?.started).toBeUndefined();
    expect(turn?.context.cells).toBeUndefined();
  });
});

describe('resultParts', () => {
  it('distinguishes text, images and unknown parts', () => {
    const other = { type: 'audio' };
    expect(
      resultParts([
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:x' } },
        other,
        { type: 'image_url', image_url: 1 }
      ]).map(part => part.kind)
    ).toEqual(['text', 'image', 'other', 'other']);
    expect(resultParts('a')).toEqual([{ kind: 'text', text: 'a' }]);
    expect(resultParts(undefined)).toEqual([]);
    expect(resultParts({ a: 1 })).toEqual([{ kind: 'other', json: { a: 1 } }]);
  });

  it.each(resultPartCases as [string, unknown, string | null][])(
    'finds the URL of an image: %s',
    (_, part, url) => {
      const [found] = resultParts([part]);
      expect(found.kind === 'image' ? found.url : null).toBe(url);
    }
  );

  it('finds the call that a result belongs to: the nearest with its id', () => {
    const call = (id: string, name: string) => ({
      type: 'tool_call',
      id,
      name
    });
    const result = (id: string) => ({ type: 'tool_result', id });
    const blocks = [
      call('a', 'read'),
      call('b', 'grep'),
      result('a'),
      result('b'),
      call('a', 'edit'),
      result('a'),
      result('c')
    ];
    const names = [2, 3, 5, 6].map(i => callOf(blocks, blocks[i])?.call.name);
    expect(names).toEqual(['read', 'grep', 'edit', undefined]);
  });
});

describe('characters that are not seen', () => {
  it.each(visibleCharacters)('are written out: $title', shown => {
    expect(controlsVisible(shown.text)).toBe(shown.controls_visible);
    expect(visible(shown.text)).toBe(shown.visible);
  });
});

describe('indentJson', () => {
  it('indents without changing a token', () => {
    expect(
      indentJson(
        '{"n":12345678901234567890,"n":1.0,"s":"a\\u0041{,}","e":[],"l":[1,{}]}'
      )
    ).toBe(
      [
        '{',
        '  "n": 12345678901234567890,',
        '  "n": 1.0,',
        '  "s": "a\\u0041{,}",',
        '  "e": [],',
        '  "l": [',
        '    1,',
        '    {}',
        '  ]',
        '}'
      ].join('\n')
    );
  });

  it('shows what is no JSON as it came', () => {
    expect(indentJson('{"a": ')).toBe('{"a": ');
    const long = JSON.stringify({ a: '\n'.repeat(10_000_000) });
    expect(indentJson(long) === long).toBe(true);
    expect(indentJson('')).toBe('');
  });
});

describe('the words of the header', () => {
  const turn = parseTurn({ version: 1, status: 'running', blocks: [] })!;

  it('call a running turn that nothing runs interrupted', () => {
    expect(shownStatus(turn, 'running')).toBe('running');
    expect(shownStatus(turn, 'idle')).toBe('interrupted');
  });

  it('say nothing of how a turn ended that is done, and why another did not', () => {
    expect(describeEnding('done', 'stop', trans)).toBe('');
    expect(describeEnding('incomplete', undefined, trans)).toBe(
      'incomplete; %continue goes on'
    );
    expect(describeEnding('incomplete', 'new_reason', trans)).toBe(
      'incomplete: “new_reason”'
    );
    expect(describeEnding('error', undefined, trans)).toBe('failed');
  });

  it.each(finishReasons)(
    'name the finish reason $reason as the Markdown does, and say how to go on',
    ({ reason, words }) => {
      const goesOn = ['incomplete', 'insufficient_system_resource', 'length'];
      expect(describeEnding('incomplete', reason, trans)).toBe(
        `incomplete: ${words}${goesOn.includes(reason) ? '; %continue goes on' : ''}`
      );
    }
  );

  it('say where the earlier cells were read from', () => {
    expect(describeHistory({ source: 'live', cells: 1 }, trans)).toBe(
      '1 earlier cell, as on this page'
    );
    expect(describeHistory({ source: 'memory', cells: 3 }, trans)).toBe(
      '3 earlier cells, as this session remembers them'
    );
    expect(describeHistory({ cells: 0 }, trans)).toBe('no earlier cells');
    expect(describeHistory({ source: 'live' }, trans)).toBe('');
    expect(describeHistory({}, trans)).toBe('');
  });

  it('give durations and tokens in readable units', () => {
    expect([0.02, 4.23, 12.4, 125].map(n => formatDuration(n, trans))).toEqual([
      '< 0.1 s',
      '4.2 s',
      '12 s',
      '2 min 5 s'
    ]);
    expect(describeTokens(turn, trans)).toBe('');
    expect(
      describeTokens(
        { ...turn, usage: { inputTokens: 1234, outputTokens: 5 } },
        trans
      )
    ).toBe('1,234 → 5 tokens');
    const incomplete = { inputTokens: 11, outputTokens: 7, untoldSteps: 1 };
    expect(describeTokens({ ...turn, usage: incomplete }, trans)).toBe(
      'at least 11 → 7 tokens'
    );
  });
});
