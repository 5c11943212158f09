import { type ReactNode, useEffect, useState } from 'react';
import { isTyping } from '../components/is-typing.ts';
import { late } from './late.ts';

const ShortcutsDialog = late(() => import('./shortcuts-dialog.tsx')).Part;

/** Tells the keys of the client where somebody presses `?`. */
export const Shortcuts = (): ReactNode => {
  const [state, setState] = useState<'never opened' | 'open' | 'closed'>('never opened');
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key === '?' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) setState('open');
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return state !== 'never opened' && <ShortcutsDialog isOpen={state === 'open'} onClose={() => setState('closed')} />;
};
