import { startTransition, useEffect, useState } from 'react';

/** How long nothing must have moved for the window to be at rest. */
const REST_MS = 120;

let isMoving = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const waiting = new Set<() => void>();

const rest = (): void => {
  isMoving = false;
  for (const notify of waiting) notify();
  waiting.clear();
};
const move = (): void => {
  isMoving = true;
  clearTimeout(timer);
  timer = setTimeout(rest, REST_MS);
};

/** Follows the movements of the window; to be used once on a screen. */
export const useFollowScroll = (): void => {
  useEffect(() => {
    addEventListener('scroll', move, { passive: true });
    return () => {
      removeEventListener('scroll', move);
      clearTimeout(timer);
      rest();
    };
  }, []);
};

/** Whether the window has been at rest since this was first shown: what flies by is not worth a picture. */
export const useHasRested = (): boolean => {
  const [hasRested, setHasRested] = useState(() => !isMoving);
  useEffect(() => {
    if (hasRested) return;
    // many pictures at once may take longer than one frame: they come as there is time
    const notify = (): void => startTransition(() => setHasRested(true));
    if (!isMoving) return notify(); // it came to rest meanwhile
    waiting.add(notify);
    return () => void waiting.delete(notify);
  }, [hasRested]);
  return hasRested;
};
