import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { fileTypePlugin } from './plugins/fileType';
import { liveCellsPlugin } from './plugins/liveCells';
import { newChatFilePlugin } from './plugins/newChatFile';
import { pairingPlugin } from './plugins/pairing';
import { turnsPlugin } from './plugins/turns';

const plugins: JupyterFrontEndPlugin<void>[] = [
  turnsPlugin,
  fileTypePlugin,
  newChatFilePlugin,
  liveCellsPlugin,
  pairingPlugin
];

export default plugins;
