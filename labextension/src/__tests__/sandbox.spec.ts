import { sandboxedFrame, staticHtml } from '../safe/safeHtml';

const URL_ = 'http://leak.invalid/x';

/** HTML that runs something, connects or goes elsewhere. */
const ACTIVE = [
  '<script>1</script>',
  `<script type="speculationrules">{"prefetch": [{"urls": ["${URL_}"]}]}</script>`,
  ...['preconnect', 'dns-prefetch', 'prefetch', 'preload', 'stylesheet'].map(
    rel => `<link rel="${rel}" href="${URL_}">`
  ),
  `<meta http-equiv="refresh" content="0;url=${URL_}">`,
  `<base href="${URL_}">`,
  `<iframe src="${URL_}"></iframe>`,
  `<iframe srcdoc="<img src=${URL_}>"></iframe>`,
  `<frameset><frame src="${URL_}"></frameset>`,
  `<object data="${URL_}"></object>`,
  `<embed src="${URL_}">`,
  `<portal src="${URL_}"></portal>`,
  `<fencedframe src="${URL_}"></fencedframe>`,
  `<a href="${URL_}" ping="${URL_}" target="_top">x</a>`,
  `<map><area href="${URL_}"></map>`,
  `<form action="${URL_}"><button formaction="${URL_}">x</button></form>`,
  `<img src="${URL_}" srcset="${URL_} 2x" onerror="1">`,
  `<input type="image" src="${URL_}">`,
  `<video src="${URL_}" poster="${URL_}"><track src="${URL_}"></video>`,
  `<table background="${URL_}"><tr><td background="${URL_}">x</table>`,
  `<svg><a href="${URL_}"><text>x</text></a></svg>`,
  `<svg><a xlink:href="${URL_}"><text>x</text></a></svg>`,
  `<svg><a><set attributeName="href" to="${URL_}"/><text>x</text></a></svg>`,
  `<svg><a><animate attributeName="href" values="${URL_}"/></a></svg>`,
  `<svg><use href="${URL_}#a"/><image href="${URL_}"/></svg>`,
  `<math><mtext href="${URL_}">x</mtext></math>`,
  `<div><template shadowrootmode="open"><a href="${URL_}">x</a></template></div>`,
  `<style>@import '${URL_}';</style><p style="background: url(${URL_})">x</p>`,
  `<style>p { cursor: \\75 rl(${URL_}), auto }</style><p>x</p>`,
  `<p style="background: image-set('${URL_}' 1x)">x</p>`,
  `<svg><rect fill="url(${URL_})" filter="url( '${URL_}#a')"/></svg>`,
  `<body background="${URL_}" onload="1">`,
  `<a href="java&#10;script:1">x</a><a href=" ${URL_}">x</a><a href="//leak.invalid">x</a>`
];

/** Places in which a parser may read HTML in another way when it reads it again. */
const PLACES: readonly ((html: string) => string)[] = [
  html => html,
  html => `<svg>${html}</svg>`,
  html => `<svg><style>${html}</style></svg>`,
  html => `<svg><desc>${html}</desc></svg>`,
  html => `<math><mtext>${html}</mtext></math>`,
  html =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${html.replace(/"/g, '&quot;')}">`,
  html =>
    `<form><math><mtext></form><form><mglyph><style></math>${html}</style>`,
  html => `<noscript><p title="</noscript>${html.replace(/"/g, "'")}">`,
  html => `<template>${html}</template>${html}`,
  html => `<table>${html}</table>`,
  html => `<select><option>${html}</select>`,
  html => `<style>a{}</style>${html}<!-- ${html} -->`,
  html => `<textarea></textarea><title>${html}</title>${html}`,
  html => `</body></html>${html}`,
  html => `<!--><p>${html}`
];

const ELEMENTS =
  'script, iframe, frame, frameset, object, embed, portal, fencedframe, link, meta, base, template, noscript, set, animate';

describe('HTML with its styles and drawings', () => {
  it('holds nothing active, wherever it stood and however it is read again', () => {
    const faults = [];
    for (const [number, place] of PLACES.entries()) {
      for (const html of [...ACTIVE, ACTIVE.join('')]) {
        const page = `<!doctype html><body>${staticHtml(place(html))}`;
        const { body } = new DOMParser().parseFromString(page, 'text/html');
        const nodes = Array.from(body.querySelectorAll('*'));
        const addresses = nodes
          .flatMap(node => Array.from(node.attributes))
          .filter(
            ({ name, value }) =>
              /^(?:on|srcdoc|target|ping)/.test(name) ||
              (/^(?!title$)/.test(name) && /leak|java/.test(value))
          );
        const hasSheet = nodes.some(
          ({ localName, textContent }) =>
            localName === 'style' && /import|rl\(/.test(textContent ?? '')
        );
        const hasActive = body.querySelector(ELEMENTS) !== null;
        if (hasActive || hasSheet || addresses.length > 0) {
          faults.push(`${number}: ${html} -> ${body.innerHTML}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  it('keeps styles, drawings, text and embedded images', () => {
    const html =
      '<style>td { color: red; content: "\\2014" }</style><table><tbody><tr><td style="color: blue">x</td></tr></tbody></table>' +
      '<svg viewBox="0 0 1 1"><defs><g id="a"></g></defs><use href="#a" fill="url(#b)"></use></svg><img src="data:image/png;base64,AA==">';
    expect(staticHtml(html)).toBe(html);
  });

  it('stands in a frame without any right', () => {
    const frame = sandboxedFrame('"><script>1</script>', 'HTML');
    expect(frame.getAttribute('sandbox')).toBe('');
    const { srcdoc } = frame as HTMLIFrameElement;
    expect(srcdoc).toContain("default-src 'none'");
    expect(srcdoc).not.toContain('script');
  });
});
