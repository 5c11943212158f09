import { useEffect, useRef, useState } from 'react';
import { networkIdle } from '../interface/network-idle.ts';

const PATIENCE_MS = 3_000;
/** For browsers without requestIdleCallback, which is Safari. */
const LATER_MS = 300;

const whenIdle = (work: () => void): (() => void) => {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(work, { timeout: PATIENCE_MS });
    return () => cancelIdleCallback(id);
  }
  const timer = setTimeout(work, LATER_MS);
  return () => clearTimeout(timer);
};

/** Does `work` when the first screen is complete and nothing else is to be done; returns what dismisses it. */
export const afterFirstScreen = (work: () => void): (() => void) => {
  let cancelWork: (() => void) | undefined;
  const cancelWait = networkIdle.whenIdle(() => {
    cancelWork = whenIdle(work);
  });
  return () => {
    cancelWait();
    cancelWork?.();
  };
};

/** Does `work` once, then: what the first screen need not wait for. */
export const useIdle = (work: () => void): void => {
  const current = useRef(work);
  useEffect(() => afterFirstScreen(() => current.current()), []);
};

/** Whether that time has come. */
export const useHasBeenIdle = (): boolean => {
  const [hasBeen, setHasBeen] = useState(false);
  useIdle(() => setHasBeen(true));
  return hasBeen;
};
