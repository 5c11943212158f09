import { useState, useSyncExternalStore } from 'react';

/** How long nothing must have moved for the window to be at rest. */
const REST_MS = 120;

let isMoving = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const rest = (): void => {
  isMoving = false;
  for (const listener of listeners) listener();
};
const move = (): void => {
  isMoving = true; // nobody is told: what is shown stays
  clearTimeout(timer);
  timer = setTimeout(rest, REST_MS);
};

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) addEventListener('scroll', move, { passive: true });
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    removeEventListener('scroll', move);
    clearTimeout(timer);
    isMoving = false;
  };
};

/** Whether the window has been at rest since this was first shown: what flies by is not worth a picture. */
export const useHasRested = (): boolean => {
  const isAtRest = useSyncExternalStore(subscribe, () => !isMoving);
  const [hasRested, setHasRested] = useState(isAtRest);
  if (isAtRest && !hasRested) setHasRested(true);
  return hasRested;
};
