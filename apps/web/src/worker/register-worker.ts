import { afterFirstScreen } from '../app/use-idle.ts';

/** Registers the service worker after the first screen. Browsers have none over plain http; the client works without. */
export const registerWorker = (): void => {
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    afterFirstScreen(() => void navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined));
};
