import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { agentsPlugin } from './plugins/agents';
import { chatNamePlugin } from './plugins/chatName';
import { codeInAnswersPlugin } from './plugins/codeInAnswers';
import { cellsPlugin } from './plugins/cells';
import { approvalsPlugin } from './plugins/approvals';
import { codeProsePlugin } from './plugins/codeProse';
import { contextPlugin } from './plugins/context';
import { pageConnectionsPlugin } from './plugins/pageConnections';
import { fileTypePlugin } from './plugins/fileType';
import { filesPlugin } from './plugins/files';
import { gitDiffPlugin } from './plugins/gitDiff';
import { newChatPlugin } from './plugins/newChat';
import { contentsPlugin } from './plugins/contents';
import { openingPlugin } from './plugins/opening';
import { notificationsPlugin } from './plugins/notifications';
import { pairingPlugin } from './plugins/pairing';
import { proposedKernelPlugin } from './plugins/proposedKernel';
import { promptFilesPlugin } from './plugins/promptFiles';
import { promptHelpPlugin } from './plugins/promptHelp';
import { promptsPlugin } from './plugins/prompts';
import { pickersPlugin } from './plugins/pickers';
import { searchPlugin } from './plugins/search';
import { settingsPlugin } from './plugins/settings';
import { setupPlugin } from './plugins/setup';
import { tourPlugin } from './plugins/tour';
import { staleTurnsPlugin } from './plugins/staleTurns';
import { statusBarPlugin } from './plugins/statusBar';
import { turnRenderersPlugin } from './plugins/turnRenderers';
import { windowingPlugin } from './plugins/windowing';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  settingsPlugin,
  turnRenderersPlugin,
  codeInAnswersPlugin,
  codeProsePlugin,
  windowingPlugin,
  promptsPlugin,
  promptHelpPlugin,
  promptFilesPlugin,
  fileTypePlugin,
  filesPlugin,
  gitDiffPlugin,
  newChatPlugin,
  proposedKernelPlugin,
  chatNamePlugin,
  contentsPlugin,
  openingPlugin,
  setupPlugin,
  tourPlugin,
  pageConnectionsPlugin,
  agentsPlugin,
  staleTurnsPlugin,
  contextPlugin,
  pickersPlugin,
  cellsPlugin,
  approvalsPlugin,
  statusBarPlugin,
  searchPlugin,
  notificationsPlugin,
  pairingPlugin
];

export default plugins;
