import {
  asAmount,
  asText,
  fields,
  isTrue,
  listOf,
  nullOr,
  oneOf,
  or,
  whole
} from '../turn/reading';

const part = whole({ cellId: asText }, { count: or(asAmount, 0) });
const read = fields({
  agentName: asText,
  kind: oneOf('own', 'answer'),
  known: isTrue,
  parts: listOf(part)
});

it('a field is read from the name with underscores', () => {
  const json = { agent_name: 'a', kind: 'own', known: true, parts: [] };
  expect(read(json)).toEqual({
    ...json,
    agent_name: undefined,
    agentName: 'a'
  });
});

it.each([null, undefined, 1, 'text', [], [{}], {}])(
  'of %j, no field is there',
  value => expect(read(value)).toEqual({ known: false, parts: [] })
);

it.each([
  { agent_name: 1, kind: 'constructor', known: 'true', parts: {} },
  { agent_name: '', kind: {}, known: 1, parts: [null, 'part', [], {}] }
])('fields of a wrong type are absent: %j', value =>
  expect(read(value)).toEqual({ known: false, parts: [] })
);

it('an object without a field that is needed is none', () => {
  expect(part({ cell_id: 'c', count: -1 })).toEqual({ cellId: 'c', count: 0 });
  expect(part({ cell_id: '', count: 1 })).toBeNull();
  expect(part(null)).toBeNull();
});

it('null is another value than none where a field may be null', () => {
  const writer = whole({ writer: nullOr(asText) });
  expect(writer({ writer: null })).toEqual({ writer: null });
  expect(writer({})).toBeNull();
});
