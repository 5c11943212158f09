import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useId, useSyncExternalStore } from 'react';
import { useTranslate } from '../language/language.tsx';
import { useReturnFocus } from './use-return-focus.ts';

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

/** Mantine's own layer of modals. */
const LOWEST_LAYER = 200;

/** How many are below this one, and whether none is above it. */
const usePlace = (isOpen: boolean): { readonly below: number; readonly isTopmost: boolean } => {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    setOpen([...open, id]);
    return () => setOpen(open.filter((one) => one !== id));
  }, [isOpen, id]);
  const ids = useSyncExternalStore(subscribe, () => open);
  return { below: Math.max(0, ids.indexOf(id)), isTopmost: ids.at(-1) === id };
};

/** A window above the screen, with all that those need who hear it. Escape is for the topmost alone: what is typed in one below it stays. */
export const Dialog = ({ closeOnEscape = true, ...props }: ModalProps): ReactNode => {
  const t = useTranslate();
  const { below, isTopmost } = usePlace(props.opened);
  useReturnFocus(props.opened);
  return (
    <Modal
      closeButtonProps={{ 'aria-label': t('common.close') }}
      classNames={{ title: 'stranger' }}
      attributes={NO_LANDMARK}
      closeOnEscape={closeOnEscape && isTopmost}
      // what opened last is above, not what was made last: some wait in the page, closed, from the beginning
      zIndex={LOWEST_LAYER + below}
      {...props}
    />
  );
};
