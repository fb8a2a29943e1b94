import React from 'react';

/**
 * Return what a box shows, and how a person sets it: at once as it was set, until the kernel has told of it.
 *
 * @param told - What holds `isOn`, another object each time the kernel tells of it.
 */
export function useWanted(
  isOn: boolean,
  told: object
): [boolean, (wanted: boolean) => void] {
  const [wanted, want] = React.useState<boolean | null>(null);
  React.useEffect(() => want(null), [told]);
  return [wanted ?? isOn, want];
}
