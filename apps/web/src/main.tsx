import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, styleNonce } from './app/app.tsx';
import { afterFirstScreen } from './app/late.ts';
import { prepareScreen } from './app/screens.tsx';

/** Registers the service worker after the first screen. Browsers have none over plain http; the client works without. */
const registerWorker = (): void => {
  if (import.meta.env.PROD && 'serviceWorker' in navigator)
    afterFirstScreen(() => void navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined));
};

// where libraries that make style elements look for it
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

prepareScreen();
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
registerWorker();
