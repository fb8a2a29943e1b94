import type { SessionContextDialogs } from '@jupyterlab/apputils';

import { KERNEL_NAME } from '../comm/kernelLink';
import { asText, isObject } from '../turn/model';

/** Return whether a kernel is one of msgbook: `msgbook` itself, or one with that in front of its name. */
export function isOurKernel(name: string): boolean {
  return name === KERNEL_NAME || name.startsWith(`${KERNEL_NAME}-`);
}

type Options = SessionContextDialogs.IKernelOptions;

/**
 * Select what a dialog would have proposed without our kernels, if it selects nothing itself.
 *
 * JupyterLab sorts kernels by their names, and where it knows no better the first one is proposed: a
 * "Chat" before any "Python".
 *
 * @param defaultName - Name of the server's default kernel.
 */
export function proposeOtherKernel(
  options: Options,
  defaultName: string | undefined
): Options {
  const all = options.groups.flatMap(group => group.options);
  const first = options.groups[0]?.options ?? [];
  const nameOf = ({ value }: { value?: string }) => kernelName(value);
  if (all.some(({ selected }) => selected) || !first.length) {
    return options;
  }
  if (isOurKernel(nameOf(first[0]) ?? '')) {
    const others = first.filter(one => !isOurKernel(nameOf(one) ?? ''));
    const proposed =
      others.find(one => nameOf(one) === defaultName) ?? others[0];
    if (proposed !== undefined) {
      proposed.selected = true;
    }
  }
  return options;
}

/** Return the kernel's name in the value of an option, JSON that JupyterLab made. */
function kernelName(value: string | undefined): string | undefined {
  const choice: unknown = JSON.parse(value ?? 'null');
  return isObject(choice) ? (asText(choice.name) ?? undefined) : undefined;
}
