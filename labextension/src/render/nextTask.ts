/** Resolve in a task of its own, so that the page can draw and answer a person before. */
export function nextTask(): Promise<void> {
  const { scheduler } = globalThis as {
    scheduler?: { yield?(): Promise<void> };
  };
  return (
    scheduler?.yield?.() ?? new Promise(done => window.setTimeout(done, 0))
  );
}
