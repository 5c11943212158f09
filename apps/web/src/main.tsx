import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { prepareScreen } from './app/screens.tsx';
import { styleNonce } from './app/style-nonce.ts';
import { registerWorker } from './worker/register-worker.ts';

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
