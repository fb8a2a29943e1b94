/**
 * The translations of the page's texts.
 *
 * `node scripts/translations.cjs` says what is wrong with them; with `--write` it first adds the
 * texts that are missing, takes out the stale ones, and sorts the rest.
 */
const fs = require('fs');
const path = require('path');
const { CONTEXT, ROOT, files, read, readTexts } = require('./texts.cjs');

const LOCALES = path.resolve(ROOT, '../jupytext_format/msgbook_format/locale');

/**
 * Return what is wrong with a catalogue, one line a fault.
 *
 * @param catalogue - By key, the forms of the translation. JupyterLab takes one for a text and
 * two for a text with a plural, also in a language without plurals: there the first one counts.
 */
function check(texts, catalogue) {
  const faults = [];
  const known = new Map();
  for (const text of texts) {
    const before = known.get(text.key);
    if (before && before.plural !== text.plural) {
      faults.push(
        `${text.place}: ${shown(text.key)} has another plural at ${before.place}`
      );
    }
    known.set(text.key, text);
  }
  for (const [key, text] of known) {
    const forms = Object.hasOwn(catalogue, key) ? catalogue[key] : undefined;
    const fault = forms ? faultOf(text, forms) : 'has no translation';
    if (fault) {
      faults.push(`${text.place}: ${shown(key)} ${fault}`);
    }
  }
  for (const key of Object.keys(catalogue)) {
    if (key !== '' && !known.has(key)) {
      faults.push(`stale: ${shown(key)}`);
    }
  }
  return faults;
}

function faultOf({ text, plural }, forms) {
  const [form] = forms;
  if (!form) {
    return 'has no translation';
  }
  const count = plural === undefined ? 1 : 2;
  if (forms.length !== count) {
    return `needs a list of ${count}`;
  }
  const wanted = plural ?? text;
  for (const [what, pattern] of [
    ['placeholders', /%\d+/g],
    ['code', /`[^`]*`/g],
    ['surrounding space', /^\s+|\s+$/g]
  ]) {
    const [ours, theirs] = [wanted, form].map(words =>
      (words.match(pattern) ?? []).sort().join(' ')
    );
    if (ours !== theirs) {
      return `has other ${what}: ${form}`;
    }
  }
  return '';
}

function shown(key) {
  return JSON.stringify(key.replace(CONTEXT, '|'));
}

/** Return the catalogue with all texts, sorted; the new ones are empty. */
function completed(texts, catalogue) {
  const entries = texts.map(({ key, plural }) => [
    key,
    catalogue[key] ?? (plural === undefined ? [''] : ['', ''])
  ]);
  const byKey = new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...Object.fromEntries(byKey), '': catalogue[''] };
}

/** Return a catalogue as text: a line for each entry, the header last, so that lines merge well. */
function formatted(catalogue) {
  const lines = Object.entries(catalogue)
    .filter(([key]) => key !== '')
    .map(([key, forms]) => `${json(key)}: [${forms.map(json).join(', ')}],`);
  const header = `"": ${JSON.stringify(catalogue[''])}`;
  return ['{', ...lines, header, '}', ''].join('\n');
}

function json(text) {
  return JSON.stringify(text).replaceAll(CONTEXT, '\\u0004');
}

/** Return a catalogue; of a key that a merge has doubled, the translation counts. */
function parsed(text) {
  const catalogue = {};
  for (const line of text.split('\n').filter(line => line.startsWith('"'))) {
    const [[key, forms]] = Object.entries(
      JSON.parse(`{${line.replace(/,$/, '')}}`)
    );
    if (key === '' || !catalogue[key]?.[0]) {
      catalogue[key] = forms;
    }
  }
  return catalogue;
}

/** Return the paths of all catalogues. */
function catalogueFiles() {
  return files(LOCALES, /msgbook\.json$/);
}

function main() {
  const { texts, faults } = readTexts();
  for (const file of catalogueFiles()) {
    let catalogue = parsed(read(file));
    if (process.argv.includes('--write')) {
      catalogue = completed(texts, catalogue);
      fs.writeFileSync(file, formatted(catalogue));
    }
    faults.push(...check(texts, catalogue));
  }
  for (const fault of faults) {
    console.log(fault);
  }
  process.exitCode = faults.length > 0 ? 1 : 0;
}

module.exports = {
  catalogueFiles,
  check,
  formatted,
  parsed
};

if (require.main === module) {
  main();
}
