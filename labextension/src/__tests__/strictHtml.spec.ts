import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer';

import tex from '../../../tests/format/turn/fixtures/tex_commands.json';
import { StrictSanitizer, withoutDiagrams } from '../safe/markdown';
import {
  isEmbeddedImage,
  linkUrl,
  showForeignTags,
  strictHtml
} from '../safe/strictHtml';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** What the browser would get, as an inert tree. */
function parsed(html: string): HTMLElement {
  return new DOMParser().parseFromString(html, 'text/html').body;
}

const LOADING = [
  '<img src="https://evil.example/a.png">',
  '<img src="//evil.example/a.png">',
  '<img src="a.png">',
  '<img srcset="https://evil.example/a.png 2x">',
  `<img src="${PIXEL}" srcset="https://evil.example/a.png 2x">`,
  '<img src="data:image/svg+xml,<svg/>">',
  '<picture><source srcset="https://evil.example/a.png"><img></picture>',
  '<video src="https://evil.example/v" poster="https://evil.example/p"></video>',
  '<audio src="https://evil.example/a"><track src="https://evil.example/t"></audio>',
  '<object data="https://evil.example/o"></object>',
  '<embed src="https://evil.example/e">',
  '<iframe src="https://evil.example/i" srcdoc="x"></iframe>',
  '<input type="image" src="https://evil.example/i">',
  '<table background="https://evil.example/b"><tr><td>x</td></tr></table>',
  '<div style="background: url(https://evil.example/s)">x</div>',
  '<style>@import url(https://evil.example/s);</style>',
  '<link rel="stylesheet" href="https://evil.example/s">',
  '<svg><image href="https://evil.example/i"/><use href="https://evil.example/u"/></svg>',
  '<math><mglyph src="https://evil.example/m"></mglyph></math>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
  '<body background="https://evil.example/b">x</body>'
];

const RUNNING = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)></svg>',
  '<details open ontoggle=alert(1)>x</details>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="&#1;javascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '<form action="https://evil.example"><button>x</button></form>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<template><script>alert(1)</script></template>'
];

describe('strictHtml', () => {
  it.each([...LOADING, ...RUNNING])(
    'gives nothing that loads or runs from %s',
    html => {
      const clean = parsed(strictHtml(html));
      for (const element of clean.querySelectorAll('*')) {
        for (const { name, value } of Array.from(element.attributes)) {
          expect(name).not.toMatch(/^on|srcset|style|poster|background|action/);
          if (name === 'src') {
            expect(isEmbeddedImage(value)).toBe(true);
          }
          if (name === 'href') {
            expect(value).toMatch(/^(https:|\/\/|a\.png$|x$)/);
          }
        }
        expect(element.localName).not.toMatch(
          /^(script|style|svg|math|form|button|iframe|object|embed|link|meta|base|video|audio|template)$/
        );
      }
    }
  );

  it('gives the same again from what it gave', () => {
    for (const html of [...LOADING, ...RUNNING]) {
      const once = strictHtml(html);
      expect(strictHtml(once)).toBe(once);
    }
  });

  it.each(
    'script style video svg iframe math object noscript title'.split(' ')
  )('keeps the text in and after a <%s> that is left open', tag => {
    expect(strictHtml(`<p>a <${tag}>b`)).toContain('b');
  });

  it('makes a link with the alternative text of an image from elsewhere', () => {
    const link = parsed(
      strictHtml('<img src="https://evil.example/a.png" alt="a <b>cat</b>">')
    ).querySelector('a')!;
    expect(link.textContent).toBe('🖼 a <b>cat</b>');
    expect(link.getAttribute('href')).toBe('https://evil.example/a.png');
    expect(link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(link.getAttribute('target')).toBe('_blank');
  });

  it('keeps embedded images, tables, task lists and highlighted code', () => {
    const html =
      `<p><img src="${PIXEL}" alt="dot"></p>` +
      '<table dir="auto"><thead><tr><th align="right">a</th></tr></thead></table>' +
      '<ul dir="auto"><li><input type="checkbox" checked="" disabled=""> done</li></ul>' +
      '<pre><code class="language-python"><span class="ͼ5">def</span></code></pre>';
    expect(strictHtml(html)).toBe(html);
    expect(strictHtml(html.replaceAll(' dir="auto"', ''))).toBe(html);
  });

  it('drops classes and ids with which a text could look like the page', () => {
    expect(strictHtml('<div class="jp-Dialog" id="main">x</div>')).toBe(
      '<div>x</div>'
    );
    expect(strictHtml('<span class="jp-Dialog ͼ1">x</span>')).toBe(
      '<span class="ͼ1">x</span>'
    );
  });

  it.each(tex.broken)('breaks TeX that would load or mark: %s', tex => {
    const broken = parsed(strictHtml(`<p>$${tex}$</p>`)).textContent;
    expect(broken).toMatch(/\\\u2060/);
    expect(broken?.replaceAll('\u2060', '')).toBe(`$${tex}$`);
  });

  it.each(tex.kept)('leaves TeX that does neither: %s', tex => {
    expect(strictHtml(`<p>$${tex}$</p>`)).toBe(`<p>$${tex}$</p>`);
  });

  it('breaks such TeX when a tag that goes had cut it', () => {
    expect(strictHtml('<p>$\\requ<x>ire{x}</x>$</p>')).toBe(
      '<p>$\\\u2060require{x}$</p>'
    );
  });

  it('leaves code and longer commands as they are', () => {
    const html = '<p>$\\datafoo \\displaystyle$</p><code>\\require{x}</code>';
    expect(strictHtml(html)).toBe(html);
  });
});

describe('showForeignTags', () => {
  it.each([
    ['<video poster=x>', '&lt;video poster=x>'],
    ['</Script >', '&lt;/Script >'],
    ['<!-- <p> -->', '&lt;!-- <p> -->'],
    ['<?x?> < <', '&lt;?x?> &lt; &lt;'],
    ['<b<script>', '<b&lt;script>'],
    ['<constructor>', '&lt;constructor>'],
    ['<p>a</p><H1/>', '<p>a</p><H1/>']
  ])('writes %s as %s', (html, expected) => {
    expect(showForeignTags(html)).toBe(expected);
  });
});

describe('linkUrl', () => {
  it.each([
    'https://a.b/c',
    'http://a.b',
    'mailto:a@b.c',
    'a.py',
    '#x',
    '?q=a:b'
  ])('lets a person follow %s', url => {
    expect(linkUrl(url)).toBe(url);
  });

  it.each([
    'javascript:x',
    ' JavaScript:x',
    'data:text/html,x',
    'file:///etc',
    'blob:x'
  ])('does not lead to %s', url => {
    expect(linkUrl(url)).toBeNull();
  });
});

describe('StrictSanitizer', () => {
  it('neutralises the string that is inserted, before any node is made of it', () => {
    const sanitizer = new StrictSanitizer(new Sanitizer());
    const html = [...LOADING, ...RUNNING].join('\n');
    const inserted = parsed(sanitizer.sanitize(html));
    expect(
      inserted.querySelector(
        'script, style, video, audio, svg, iframe, object, form, [style]'
      )
    ).toBeNull();
    for (const element of inserted.querySelectorAll('*')) {
      for (const { name, value } of Array.from(element.attributes)) {
        expect(name).not.toMatch(/^on/);
        expect(value).not.toMatch(/javascript:/);
        expect(name === 'src' && !isEmbeddedImage(value)).toBe(false);
      }
    }
  });

  it('allows neither names nor command links, whatever the user settings', () => {
    const inner = new Sanitizer();
    inner.setAllowNamedProperties(true);
    const sanitizer = new StrictSanitizer(inner);
    expect(sanitizer.allowNamedProperties).toBe(false);
    expect(sanitizer.sanitize('<p id="x">x</p>')).toBe('<p>x</p>');
  });
});

describe('withoutDiagrams', () => {
  it.each(['```mermaid', '~~~~ mermaid ', '> ```mermaid', '   ```mermaid\r'])(
    'hides the language of the diagram in %j from the parser, and shows it',
    async fence => {
      const seen: string[] = [];
      const parser = withoutDiagrams({
        render: source => {
          seen.push(source);
          return Promise.resolve(source);
        }
      });
      const source = `a\n${fence}\nA --> B\n`;
      expect(await parser.render(source)).toBe(source);
      expect(seen[0]).not.toMatch(/mermaid\s*$/m);
    }
  );
});
