/** Ids of the commands that more than one plugin names. */
export const CommandIDs = {
  newChat: 'msgbook:new-chat',
  newChatFile: 'msgbook:new-chat-file',
  connectModel: 'msgbook:connect-model',
  openTour: 'msgbook:open-tour'
} as const;

/** Rank of the section "Chat" in the launcher, below "Notebook" and above "Console". */
export const LAUNCHER_RANK = 10;
