import { nullTranslator } from '@jupyterlab/translation';
import { isHarmless } from '../rich/diagrams';
import { displayPlan } from '../rich/displayView';
import { jsonTree, treeOfText } from '../rich/jsonTree';
import { isLong, LongText, resultText } from '../rich/resultText';
import { shownHtml } from '../safe/safeHtml';

const trans = nullTranslator.load('msgbook');
const VEGA = 'application/vnd.vegalite.v5+json';
const PLOTLY = 'application/vnd.plotly.v1+json';

describe('displayPlan', () => {
  it('prefers the richest type that is drawn', () => {
    const data = { 'text/html': '<b>x</b>', [VEGA]: {} };
    expect(displayPlan(data)?.drawing).toBe('vega-lite');
    expect(displayPlan({ ...data, [VEGA]: 'x' })?.drawing).toBe('html');
  });

  it.each([PLOTLY, 'application/geo+json', VEGA])(
    'shows the data of %p where nothing safe draws it',
    mimeType => {
      expect(displayPlan({ [mimeType]: [1] })).toEqual({
        drawing: 'data',
        mimeType,
        value: [1]
      });
    }
  );

  it('joins the lines of nbformat', () => {
    const plan = displayPlan({ 'text/html': ['<b>', 'x</b>'] });
    expect(plan?.value).toBe('<b>x</b>');
  });

  it.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])(
    'draws a picture of the type %p',
    mimeType => {
      expect(displayPlan({ [mimeType]: 'iVBO\nRw==' })).toEqual({
        drawing: 'picture',
        mimeType,
        value: 'iVBORw=='
      });
    }
  );

  it('draws no picture of a value that could leave its address', () => {
    const data = { 'image/png': 'x" onerror="alert(1)' };
    expect(displayPlan(data)).toBeNull();
  });

  it.each([
    null,
    undefined,
    1,
    'text',
    [],
    {},
    { 'text/html': 1 },
    { 'text/html': ['a', 1] },
    { 'application/javascript': 'alert(1)' },
    { 'application/pdf': 'x' },
    { 'video/mp4': 'x' },
    { 'application/vnd.jupyter.widget-view+json': {} },
    { 'application/vnd.other.v1+json': { url: 'x' } },
    { 'text/html': '  ' }
  ])('draws nothing of %p', data => {
    expect(displayPlan(data)).toBeNull();
  });
});

describe('shownHtml', () => {
  it('keeps a table and drops its style sheet', () => {
    const { html, isReduced } = shownHtml(
      '<style scoped>td { color: red }</style><table border="1"><tr><td style="x" onclick="y">7</td></tr></table>'
    );
    expect(html).toBe(
      '<table dir="auto"><tbody><tr><td>7</td></tr></tbody></table>'
    );
    expect(isReduced).toBe(false);
  });

  it.each([
    '<script>alert(1)</script>',
    '<iframe srcdoc="x"></iframe>',
    '<svg onload="alert(1)"></svg>',
    '<object data="x"></object>',
    '<noscript>x</noscript>'
  ])('shows nothing of %p and says so', source => {
    expect(shownHtml(`a${source}b`)).toEqual({ html: 'ab', isReduced: true });
  });
});

describe('treeOfText', () => {
  it.each(['{"a": 1, "b": [true, null, "x\\u00e9"]}', '[]', ' [1.0, 1e3]\n'])(
    'reads %p',
    text => {
      expect(treeOfText(text)).toEqual(JSON.parse(text));
    }
  );

  it.each([
    'text',
    '1',
    '"x"',
    '{"a": 1',
    '{"a": 1, "a": 2}',
    '[12345678901234567890]',
    '[0.12345678901234567890]',
    ''
  ])('leaves %p a text', text => {
    expect(treeOfText(text)).toBeUndefined();
  });
});

describe('jsonTree', () => {
  it('makes entries when they are opened', () => {
    const tree = jsonTree({ a: { b: { c: 1 } } }, n => `${n} more`);
    expect(tree.querySelectorAll('details')).toHaveLength(2);
    const inner = tree.querySelectorAll('details')[1];
    inner.open = true;
    inner.dispatchEvent(new Event('toggle'));
    expect(tree.querySelectorAll('details')).toHaveLength(3);
  });

  it('shows a long list in pieces', () => {
    const tree = jsonTree(Array.from(Array(250).keys()), n => `${n} more`);
    expect(tree.querySelectorAll('.msgbook-Json-leaf')).toHaveLength(100);
    tree.querySelector('button')!.click();
    tree.querySelector('button')!.click();
    expect(tree.querySelectorAll('.msgbook-Json-leaf')).toHaveLength(250);
    expect(tree.querySelector('button')).toBeNull();
  });

  it('shows markup and control characters as text', () => {
    const tree = jsonTree({ '<b>\u202e': '<img src=x>\u0007' }, String);
    expect(tree.querySelector('b, img')).toBeNull();
    expect(tree.textContent).not.toContain('\u202e');
  });
});

describe('a result', () => {
  const lines = Array.from(Array(100).keys())
    .map(n => `line ${n}.`)
    .join('\n');

  it('is shown as it is if it is short', () => {
    expect(resultText('short', trans).className).toBe('msgbook-Pre');
  });

  it('switches between tree and text', () => {
    const node = resultText('{"a": 1}', trans);
    expect(node.querySelector('.msgbook-Json')).not.toBeNull();
    node.querySelector('button')!.click();
    expect(node.querySelector('.msgbook-Json')).toBeNull();
    expect(node.querySelector('pre')!.textContent).toBe('{"a": 1}');
  });

  it('is searched without regard to case, as a text and not as a pattern', () => {
    expect(isLong(lines)).toBe(true);
    const { node } = new LongText(lines, trans);
    const input = node.querySelector('input')!;
    input.value = 'LINE 9.';
    input.dispatchEvent(new Event('input'));
    expect(node.querySelectorAll('mark')).toHaveLength(1);
    expect(node.querySelector('[role=status]')!.textContent).toBe('1 match');
    expect(node.querySelector('pre')!.textContent).toBe(lines);
    input.value = '.*';
    input.dispatchEvent(new Event('input'));
    expect(node.querySelectorAll('mark')).toHaveLength(0);
  });

  it('goes from match to match with Enter, and round', () => {
    const { node } = new LongText('a b a b', trans);
    const input = node.querySelector('input')!;
    input.value = 'a';
    input.dispatchEvent(new Event('input'));
    const current = () =>
      Array.from(node.querySelectorAll('mark')).findIndex(mark =>
        mark.hasAttribute('aria-current')
      );
    const seen = [current()];
    for (const shiftKey of [false, false, true]) {
      input.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', shiftKey })
      );
      seen.push(current());
    }
    expect(seen).toEqual([0, 1, 0, 1]);
  });
});

describe('a diagram', () => {
  it.each([
    'graph TD\n A[Docker image] --> B & C<br/>\n B <--> C',
    'sequenceDiagram\n Alice->>Bob: clicks the link',
    'classDiagram\n Animal <|-- Duck',
    'graph TD\n A --> B\n style A fill:#f9f',
    'classDiagram\n Animal : +names() List~String~'
  ])('is drawn: %p', source => {
    expect(isHarmless(source)).toBe(true);
  });

  it.each([
    'graph TD\n A@{ img: "/api/x", label: "y" }',
    'graph TD\n A --> B\n style A fill:url(x)',
    'graph TD\n A["<img src=x>"]',
    'graph TD\n A["&lt;img src=x&gt;"]',
    'graph TD\n A["#60;img#62;"]',
    '%%{init: {"themeCSS": "* { background: red }"}}%%\ngraph TD\n A',
    '\n---\nconfig:\n  theme: dark\n---\ngraph TD\n A',
    'C4Context\n Person(a, "b", $sprite="x")',
    'graph TD\n A --> B\n click A "https://x.invalid"',
    'graph TD\n A\n style A fill:\\75rl(x)',
    'classDiagram\n Animal : +names() List~img src=/api/x~',
    'classDiagram\n class A["~img\n src=/api/x~"]',
    `graph TD\n ${'A --> B\n'.repeat(1000)}`
  ])('stays its source: %p', source => {
    expect(isHarmless(source)).toBe(false);
  });
});
