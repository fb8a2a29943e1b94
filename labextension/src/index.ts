import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { conversationsPlugin } from './plugins/conversations';
import { fileTypePlugin } from './plugins/fileType';
import { newChatFilePlugin } from './plugins/newChatFile';
import { pairingPlugin } from './plugins/pairing';
import { turnsPlugin } from './plugins/turns';

const plugins: JupyterFrontEndPlugin<void>[] = [
  turnsPlugin,
  fileTypePlugin,
  newChatFilePlugin,
  conversationsPlugin,
  pairingPlugin
];

export default plugins;
