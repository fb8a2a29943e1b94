import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import {
  agentsPlugin,
  approvalsPlugin,
  contextPlugin,
  statusBarPlugin
} from './plugins/panels';
import { chatNamePlugin } from './plugins/chatName';
import { cellsPlugin, codeInAnswersPlugin } from './plugins/codeInAnswers';
import {
  codeProsePlugin,
  promptFilesPlugin,
  promptsPlugin
} from './plugins/prompts';
import { askAboutPlugin } from './plugins/askAbout';
import { pageConnectionsPlugin } from './plugins/pageConnections';
import { fileTypePlugin, newChatPlugin } from './plugins/newChat';
import { filesPlugin } from './plugins/files';
import { extraPlugins } from './extras';
import { contentsPlugin } from './plugins/contents';
import { openingPlugin } from './plugins/opening';
import { notificationsPlugin } from './plugins/notifications';
import {
  proposedKernelPlugin,
  searchPlugin,
  turnRenderersPlugin,
  windowingPlugin
} from './plugins/turnRenderers';
import { promptHelpPlugin } from './plugins/promptHelp';
import { pickersPlugin } from './plugins/pickers';
import { pythonInChatsPlugin } from './plugins/pythonInChats';
import { settingsPlugin } from './plugins/settings';
import { setupPlugin, tourPlugin } from './plugins/setup';
import { staleTurnsPlugin } from './plugins/staleTurns';

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
  pythonInChatsPlugin,
  askAboutPlugin,
  cellsPlugin,
  approvalsPlugin,
  statusBarPlugin,
  searchPlugin,
  notificationsPlugin,
  ...extraPlugins
];

export default plugins;
