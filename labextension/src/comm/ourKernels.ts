import type { KernelSpec } from '@jupyterlab/services';

/** Name of the first kernelspec, and of the comm's target in all of our kernels. */
export const KERNEL_NAME = 'msgbook';

/** Name of the second kernelspec: Python's, with messages in it. */
export const PYTHON_KERNEL_NAME = 'msgbook-python';

/** What a code cell is without a first line such as `%%msg` or `%%python`. */
export type BareCell = 'message' | 'python';

/** The kernels that a server has, as far as they are known. */
type Specs = Pick<KernelSpec.ISpecModels, 'kernelspecs'> | null | undefined;

/**
 * Return what a bare cell of a kernel's notebook is; null for a kernel that is not ours.
 *
 * `msgbook kernel install` gives a kernel any name: what it runs says whose it is.
 */
export function bareCellOf(
  name: string | undefined,
  specs?: Specs
): BareCell | null {
  const argv = specs?.kernelspecs[name ?? '']?.argv ?? [];
  if (argv.includes('msgbook.kernel')) {
    return argv.includes('--code-first') ? 'python' : 'message';
  }
  switch (name) {
    case KERNEL_NAME:
      return 'message';
    case PYTHON_KERNEL_NAME:
      return 'python';
    default:
      return null;
  }
}
