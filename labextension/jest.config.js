const jestJupyterLab = require('@jupyterlab/testutils/lib/jest-config');

// These packages are published as ES modules only, which jest has to translate.
const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@microsoft',
  '@rjsf',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

module.exports = {
  ...jestJupyterLab(__dirname),
  automock: false,
  coverageDirectory: 'coverage',
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/lib'],
  reporters: ['default'],
  testRegex: 'src/__tests__/.*\\.spec\\.tsx?$',
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
