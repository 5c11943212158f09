import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useId, useSyncExternalStore } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { close: 'Close' },
  de: { close: 'Schließen' },
});

/** Its head is none of the page. */
const NO_LANDMARK = { header: { role: 'presentation' } };

/** Those that are open, the topmost last. */
let open: readonly string[] = [];
const watchers = new Set<() => void>();
const setOpen = (ids: readonly string[]): void => {
  open = ids;
  for (const watcher of watchers) watcher();
};
const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

const useIsTopmost = (isOpen: boolean): boolean => {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    setOpen([...open, id]);
    return () => setOpen(open.filter((one) => one !== id));
  }, [isOpen, id]);
  return useSyncExternalStore(subscribe, () => open.at(-1) === id);
};

/** A window above the screen, with all that those need who hear it. Escape is for the topmost alone: what is typed in one below it stays. */
export const Dialog = ({ closeOnEscape = true, ...props }: ModalProps): ReactNode => {
  const t = useTexts(texts);
  const isTopmost = useIsTopmost(props.opened);
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t.close }}
      classNames={{ title: 'stranger' }}
      attributes={NO_LANDMARK}
      closeOnEscape={closeOnEscape && isTopmost}
      {...props}
    />
  );
};
