/**
 * Hide a warning of Yjs in the tests of a file.
 *
 * Jupyter's own shared cells are read before they belong to a document, about which Yjs warns.
 */
export function hideYjsWarnings(): void {
  beforeEach(() => {
    jest.spyOn(console, 'warn').mockImplementation();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
}
