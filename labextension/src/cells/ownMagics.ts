/** msgbook's line magics, as in tests/notebook/fixtures/own_magics.json: their cells are not sent. */
export const OWN_MAGICS: readonly string[] = [
  '%agent',
  '%approvals',
  '%cache',
  '%compact',
  '%context',
  '%display',
  '%help',
  '%macros',
  '%mcp',
  '%model',
  '%models',
  '%prune',
  '%rules',
  '%skills',
  '%stale',
  '%tool',
  '%tools',
  '%usage'
];
