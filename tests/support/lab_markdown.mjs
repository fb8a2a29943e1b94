// Markdown as JupyterLab renders it in a trusted cell: formulas cut out, marked, formulas put back.
// Reads one JSON string per line, writes the HTML as one JSON string per line, ends with its input.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const modules = process.argv[2];
const load = path => import(pathToFileURL(join(modules, path)).href);
globalThis.navigator ??= { appName: '' };
const { removeMath, replaceMath } = await load('@jupyterlab/rendermime/lib/latex.js');
const { marked } = await load('marked/lib/marked.esm.js');

for await (const line of createInterface({ input: process.stdin })) {
  const { text, math } = removeMath(JSON.parse(line));
  const html = marked.parse(text, { async: false, gfm: true, breaks: false });
  console.log(JSON.stringify(replaceMath(html, math)));
}
