import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { agentsPlugin } from './plugins/agents';
import { codeProsePlugin } from './plugins/codeProse';
import { contextPlugin } from './plugins/context';
import { pageConnectionsPlugin } from './plugins/pageConnections';
import { fileTypePlugin } from './plugins/fileType';
import { newChatFilePlugin } from './plugins/newChatFile';
import { pairingPlugin } from './plugins/pairing';
import { settingsPlugin } from './plugins/settings';
import { turnRenderersPlugin } from './plugins/turnRenderers';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  settingsPlugin,
  turnRenderersPlugin,
  codeProsePlugin,
  fileTypePlugin,
  newChatFilePlugin,
  pageConnectionsPlugin,
  agentsPlugin,
  contextPlugin,
  pairingPlugin
];

export default plugins;
