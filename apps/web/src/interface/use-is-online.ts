import { useSyncExternalStore } from 'react';

const watchNetwork = (changed: () => void): (() => void) => {
  globalThis.addEventListener('online', changed);
  globalThis.addEventListener('offline', changed);
  return () => {
    globalThis.removeEventListener('online', changed);
    globalThis.removeEventListener('offline', changed);
  };
};

/** Whether this computer has a network at all: a cable that is pulled is known to the browser long before the silence is noticed. */
export const useIsOnline = (): boolean => useSyncExternalStore(watchNetwork, () => navigator.onLine);
