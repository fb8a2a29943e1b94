import rows from '../../../tests/format/turn/fixtures/kinds.json';
import { VIEWS } from '../render/blockViews';
import { kindOf, KINDS } from '../turn/kinds';

test('both tables have the same rows', () => {
  expect(
    KINDS.map(({ name, content, sign, isAnswer }) => ({
      name,
      content,
      sign,
      is_answer: isAnswer
    }))
  ).toEqual(rows);
});

test.each(KINDS)('the type $name names its row, which has a view', kind => {
  expect(kindOf({ type: kind.name })).toBe(kind);
  expect(VIEWS.has(kind)).toBe(true);
});

test.each(['', 'hologram', 'constructor'])(
  'blocks of the type "%s" are in no row',
  type => {
    expect(KINDS).not.toContain(kindOf({ type }));
  }
);
