/** Name of the first kernelspec, and of the comm's target in all of our kernels. */
export const KERNEL_NAME = 'msgbook';

/** Name of the second kernelspec: Python's, with messages in it. */
export const PYTHON_KERNEL_NAME = 'msgbook-python';

/** What a code cell is without a first line such as `%%msg` or `%%python`. */
export type BareCell = 'message' | 'python';

/**
 * Return what a bare cell of a kernel's notebook is; null for a kernel that is not ours.
 *
 * `msgbook kernel install` makes kernels for other environments; their names begin with one of ours. In
 * Python: `msgbook_format.syntax.cell_rule`.
 */
export function bareCellOf(name: string | undefined): BareCell | null {
  const begins = (kernel: string) =>
    name === kernel || (name?.startsWith(`${kernel}-`) ?? false);
  if (begins(PYTHON_KERNEL_NAME)) {
    return 'python';
  }
  return begins(KERNEL_NAME) ? 'message' : null;
}
