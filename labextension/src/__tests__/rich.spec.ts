import { nullTranslator } from '@jupyterlab/translation';

import { isHarmless } from '../rich/diagrams';
import { displayPlan, loadedByChart } from '../rich/displayPlan';
import { jsonTree, treeOfText } from '../rich/jsonTree';
import { LongText, isLong } from '../rich/longText';
import { resultText } from '../rich/resultText';
import { sandboxedFrame, shownHtml } from '../rich/safeHtml';

const trans = nullTranslator.load('msgbook');
const VEGA = 'application/vnd.vegalite.v5+json';
const PLOTLY = 'application/vnd.plotly.v1+json';
const drawsAll = () => true;

describe('displayPlan', () => {
  it('prefers what an extension draws', () => {
    const data = { 'text/html': '<b>x</b>', [VEGA]: {} };
    expect(displayPlan(data, drawsAll)?.drawing).toBe('chart');
    expect(displayPlan(data, () => false)?.drawing).toBe('html');
  });

  it('shows the JSON of a chart that nothing draws', () => {
    expect(displayPlan({ [PLOTLY]: { a: 1 } }, () => false)).toEqual({
      drawing: 'json',
      mimeType: PLOTLY,
      value: { a: 1 }
    });
  });

  it('joins the lines of nbformat', () => {
    const plan = displayPlan({ 'text/html': ['<b>', 'x</b>'] }, drawsAll);
    expect(plan?.value).toBe('<b>x</b>');
  });

  it.each(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])(
    'draws a picture of the type %p',
    mimeType => {
      expect(displayPlan({ [mimeType]: 'iVBO\nRw==' }, drawsAll)).toEqual({
        drawing: 'picture',
        mimeType,
        value: 'iVBORw=='
      });
    }
  );

  it('draws no picture of a value that could leave its address', () => {
    const data = { 'image/png': 'x" onerror="alert(1)' };
    expect(displayPlan(data, drawsAll)).toBeNull();
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
    { 'text/html': '  ' }
  ])('draws nothing of %p', data => {
    expect(displayPlan(data, drawsAll)).toBeNull();
  });
});

describe('loadedByChart', () => {
  it.each([
    { $schema: 'https://vega.github.io/schema/vega-lite/v5.json', mark: 'bar' },
    { data: [{ type: 'scatter', x: [1], y: [2] }], layout: { name: 'a/b' } },
    { data: { values: [{ a: 1 }] }, encoding: { x: { field: 'a' } } }
  ])('is empty for a chart that holds its data: %p', chart => {
    expect(loadedByChart(chart)).toEqual([]);
  });

  it.each([
    [{ data: { url: 'cars.json' } }, 'cars.json'],
    [{ a: [{ b: { c: 'see https://x.invalid/a' } }] }, 'https://x.invalid/a'],
    [{ mark: { url: '\\\\x.invalid\\a' } }, 'x.invalid'],
    [{ usermeta: { embedOptions: { patch: 'p.json' } } }, 'p.json'],
    [{ layout: { images: [{ source: '/api/x' }] } }, '/api/x'],
    [{ data: [{ type: 'choropleth' }] }, 'choropleth'],
    [{ layout: { geo: {} } }, 'geo'],
    [{ config: { a: 'url(x)' } }, 'url(x)'],
    [{ inner: { $schema: 'https://x.invalid' } }, 'https://x.invalid']
  ])('names what %p loads', (chart, loaded) => {
    expect(loadedByChart(chart).join()).toContain(loaded);
  });

  it('ends for very deep JSON', () => {
    let chart: unknown = 'https://x.invalid';
    for (let i = 0; i < 100_000; i++) {
      chart = [chart];
    }
    expect(loadedByChart(chart)).toHaveLength(1);
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

  it('gives a sandboxed page no rights but its scripts', () => {
    const frame = sandboxedFrame('"><script>1</script>', 'HTML');
    expect(frame.getAttribute('sandbox')).toBe('allow-scripts');
    expect((frame as HTMLIFrameElement).srcdoc).toContain("default-src 'none'");
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
    'graph TD\n A --> B\n style A fill:#f9f'
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
    `graph TD\n ${'A --> B\n'.repeat(1000)}`
  ])('stays its source: %p', source => {
    expect(isHarmless(source)).toBe(false);
  });
});
