import {
  useLayoutEffect,
  useRef,
  type FocusEventHandler,
  type RefObject
} from 'react';

/**
 * Keep the focus in a part of a panel: when the element that has it is removed, another gets it.
 *
 * @returns Handlers of the part.
 */
export function useKeptFocus(other: RefObject<HTMLElement>): {
  readonly onFocus: FocusEventHandler;
  readonly onBlur: FocusEventHandler;
} {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (focused.current?.isConnected === false) {
      focused.current = null;
      if (document.activeElement === document.body) {
        other.current?.focus({ preventScroll: true });
      }
    }
  });
  return {
    onFocus: event => {
      focused.current = event.target;
    },
    // React tells of no element that it removes itself.
    onBlur: () => {
      focused.current = null;
    }
  };
}
