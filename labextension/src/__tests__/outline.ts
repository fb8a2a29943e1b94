/*
 * What a reader sees of an answer's HTML, as one line. The tests in Python make the same line of an
 * export's HTML: `tests/support/outline.py`.
 */

const BLOCKS =
  'p ul ol li table tr th td blockquote h1 h2 h3 h4 h5 h6 hr pre details summary br';
const SHOWN = new Set(`${BLOCKS} em strong del sub sup kbd code`.split(' '));
const AROUND_BLOCK = new RegExp(
  `\\s*(</?(?:${BLOCKS.replaceAll(' ', '|')})(?: [^<>]*)?>)\\s*`,
  'g'
);

/** Return the outline of an answer on the page. */
export function outline(node: Element): string {
  const line = contentOf(node).replace(/\s+/g, ' ');
  return line.replace(AROUND_BLOCK, '$1').trim();
}

function contentOf(node: Node): string {
  return Array.from(node.childNodes, one =>
    one instanceof Element ? elementOf(one) : escaped(one.textContent ?? '')
  ).join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function elementOf(element: Element): string {
  const content = contentOf(element);
  const name = element.localName === 's' ? 'del' : element.localName;
  if (element.classList.contains('msgbook-Formula')) {
    return element.textContent!.startsWith('\\[') ? '<$$>' : '<$>';
  }
  if (element.classList.contains('jp-InternalAnchorLink')) {
    return '';
  }
  switch (name) {
    case 'a': {
      const href = element.getAttribute('href');
      return href
        ? `<a ${escaped(decodeURIComponent(href))}>${content.replace('🖼 ', '')}</a>`
        : content;
    }
    case 'input':
      return element.hasAttribute('checked') ? '<x>' : '<o>';
    case 'img':
      return '<img>';
    case 'br':
    case 'hr':
      return `<${name}>`;
    case 'td':
    case 'th': {
      const align = element.getAttribute('align');
      return `<${name}${align ? ` ${align}` : ''}>${content}</${name}>`;
    }
    case 'code': {
      if (element.parentElement?.localName !== 'pre') {
        return `<code>${content}</code>`;
      }
      const language = element.className.replace(/^language-/, '');
      return language === '' ? content : `[${language}]${content}`;
    }
    default:
      return SHOWN.has(name) ? `<${name}>${content}</${name}>` : content;
  }
}
