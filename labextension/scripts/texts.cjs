/** The texts that a person reads on the page: of its sources, and of the schemas of its settings. */
const fs = require('fs');
const path = require('path');
const ts = require('typescript');

const ROOT = path.resolve(__dirname, '..');

/** Stands in a key between the context and the text, as in gettext's files. */
const CONTEXT = '\u0004';

/** Methods of a TranslationBundle, with the places of their arguments. */
const METHODS = {
  __: { text: 0 },
  _n: { text: 0, plural: 1 },
  _p: { context: 0, text: 1 },
  _np: { context: 0, text: 1, plural: 2 }
};

/** Texts of a schema that JupyterLab translates, by the path of their key, with their context. */
const SCHEMA_TEXTS = [
  [/^\/(title|description)$/, 'schema'],
  [/^\/(definitions\/.*\/)?properties\/.*\/(title|description)$/, 'settings'],
  [/^\/jupyter\.lab\.setting-icon-label$/, 'settings'],
  [/^\/jupyter\.lab\.menus\/.*\/label$/, 'menu'],
  [/^\/jupyter\.lab\.toolbars\/.*\/label$/, 'toolbar']
];

/**
 * Return the texts in a TypeScript source.
 *
 * @returns Texts, each `{ key, text, plural, place }`, and faults, each a line.
 */
function textsOfSource(name, source) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const texts = [];
  const faults = [];
  const visit = node => {
    const method = methodOf(node);
    if (method) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      const place = `${name}:${line + 1}`;
      const wanted = Object.entries(method).map(([role, i]) => [
        role,
        literal(node.arguments[i])
      ]);
      if (wanted.some(([, value]) => value === undefined)) {
        faults.push(`${place}: a text is not one literal`);
      } else {
        texts.push(entry({ ...Object.fromEntries(wanted), place }));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { texts, faults };
}

function methodOf(node) {
  return ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    Object.hasOwn(METHODS, node.expression.name.text)
    ? METHODS[node.expression.name.text]
    : undefined;
}

function literal(node) {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function entry({ context, text, plural, place }) {
  return {
    key: context ? context + CONTEXT + text : text,
    text,
    plural,
    place
  };
}

/** Return the texts of a schema, which JupyterLab's server translates, and faults, each a line. */
function textsOfSchema(name, schema) {
  const texts = [];
  const faults = [];
  const domain = schema['jupyter.lab.internationalization']?.domain;
  const visit = (value, at) => {
    for (const [key, child] of Object.entries(value)) {
      const here = Array.isArray(value) ? `${at}[${key}]` : `${at}/${key}`;
      if (typeof child === 'string') {
        const context = SCHEMA_TEXTS.find(([path]) => path.test(here))?.[1];
        if (context) {
          texts.push(entry({ context, text: child, place: `${name}${here}` }));
        }
      } else if (child && typeof child === 'object') {
        visit(child, here);
      }
    }
  };
  visit(schema, '');
  if (texts.length > 0 && domain !== 'msgbook') {
    faults.push(
      `${name}: needs "jupyter.lab.internationalization": {"domain": "msgbook"}`
    );
  }
  return { texts, faults };
}

/** Return all texts of the page, and faults. */
function readTexts() {
  const sources = files(path.join(ROOT, 'src'), /\.tsx?$/)
    .filter(file => !file.includes('__tests__'))
    .map(file => textsOfSource(path.relative(ROOT, file), read(file)));
  const schemas = files(path.join(ROOT, 'schema'), /\.json$/).map(file =>
    textsOfSchema(path.relative(ROOT, file), JSON.parse(read(file)))
  );
  const found = [...sources, ...schemas];
  return {
    texts: found.flatMap(({ texts }) => texts),
    faults: found.flatMap(({ faults }) => faults)
  };
}

function files(folder, name) {
  return fs
    .readdirSync(folder, { recursive: true })
    .filter(file => name.test(file))
    .sort()
    .map(file => path.join(folder, file));
}

function read(file) {
  return fs.readFileSync(file, 'utf8');
}

module.exports = {
  CONTEXT,
  ROOT,
  files,
  read,
  readTexts,
  textsOfSchema,
  textsOfSource
};
