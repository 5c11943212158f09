import { useEffect } from 'react';

/** Whether the page may be left: asks the person while `isBusy`. */
export const useLeaveWarning = (isBusy: boolean): void => {
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    globalThis.addEventListener('beforeunload', warn);
    return () => globalThis.removeEventListener('beforeunload', warn);
  }, [isBusy]);
};
