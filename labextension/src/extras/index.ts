import { gitDiffPlugin } from './diff/plugin';
import { pairingPlugin } from './pairing/plugin';

/** Plugins beside a chat, each of which can be switched off. The core imports nothing of this folder. */
export const extraPlugins = [gitDiffPlugin, pairingPlugin];
