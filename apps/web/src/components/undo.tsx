import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { useTranslate } from '../language/language.tsx';
import { isTyping } from './is-typing.ts';
import { useNotifyProblem } from './use-notify-problem.ts';

const UNDO_MS = 6_000;

interface Delayed {
  /** What is told meanwhile, such as "3 documents deleted". */
  readonly message: string;
  /** Does it for good. */
  readonly commit: () => Promise<unknown>;
  /** Shows again what was hidden: after an undo, and where `commit` fails. */
  readonly restore: () => void;
}

/** Those that nobody took back yet: they are done when the page is left. */
const pending = new Set<() => void>();
const commitAll = (): void => {
  for (const commit of pending) commit();
};
globalThis.addEventListener('pagehide', commitAll);

/** The last of them that can be taken back. */
const undoable: (() => void)[] = [];
globalThis.addEventListener('keydown', (event) => {
  if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping(event.target)) return;
  undoable.at(-1)?.();
});

interface LineProps {
  readonly message: string;
  readonly onUndo: () => void;
  /** Whether somebody is at it, so that it has to wait. */
  readonly onHold: (isHeld: boolean) => void;
}

const UndoLine = ({ message, onUndo, onHold }: LineProps): ReactNode => {
  const t = useTranslate();
  return (
    <Group
      justify="space-between"
      wrap="nowrap"
      gap="sm"
      onMouseEnter={() => onHold(true)}
      onMouseLeave={() => onHold(false)}
      onFocus={() => onHold(true)}
      onBlur={() => onHold(false)}
    >
      <Text size="sm" className="stranger">
        {message}
      </Text>
      <Button size="xs" variant="light" onClick={onUndo} style={{ flex: 'none' }} aria-keyshortcuts="Control+Z">
        {t('common.undo')}
      </Button>
    </Group>
  );
};

/**
 * Does what cannot be taken back only after the time in which people notice a mistake; who is at the button has all the time. The caller hides what
 * is going at once; leaving the page does it at once too.
 */
export const useUndoable = (): ((delayed: Delayed) => void) => {
  const notifyProblem = useNotifyProblem();
  return useCallback(
    ({ message, commit, restore }) => {
      let id = '';
      let timer: ReturnType<typeof setTimeout> | undefined;
      const settle = (): boolean => {
        clearTimeout(timer);
        const index = undoable.indexOf(undo);
        if (index !== -1) undoable.splice(index, 1);
        return pending.delete(finish);
      };
      const finish = (): void => {
        if (!settle()) return;
        notifications.hide(id);
        commit().catch((error: unknown) => {
          restore();
          notifyProblem(error);
        });
      };
      const undo = (): void => {
        if (!settle()) return;
        notifications.hide(id);
        restore();
      };
      const hold = (isHeld: boolean): void => {
        clearTimeout(timer);
        if (!isHeld && pending.has(finish)) timer = setTimeout(finish, UNDO_MS);
      };
      pending.add(finish);
      undoable.push(undo);
      hold(false);
      id = notifications.show({
        message: <UndoLine message={message} onUndo={undo} onHold={hold} />,
        autoClose: false,
        withCloseButton: false,
      });
    },
    [notifyProblem],
  );
};

let going: ReadonlySet<string> = new Set();
const watchers = new Set<() => void>();
const setGoing = (ids: ReadonlySet<string>): void => {
  going = ids;
  for (const watcher of watchers) watcher();
};

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

const hide = (ids: readonly string[]): void => setGoing(new Set([...going, ...ids]));
const show = (ids: readonly string[]): void => setGoing(new Set([...going].filter((id) => !ids.includes(id))));

/** Ids that are hidden, on all screens, while their deletion can still be taken back. */
export const useHidden = () => ({ hidden: useSyncExternalStore(subscribe, () => going), hide, show });

/** Hides a record at once and deletes it when nobody has taken that back; `restored` runs when it is shown again. */
export const useUndoableRemoval = (): ((id: string, message: string, commit: () => Promise<unknown>, restored?: () => void) => void) => {
  const undoable = useUndoable();
  return useCallback(
    (id, message, commit, restored) => {
      hide([id]);
      const restore = (): void => {
        show([id]);
        restored?.();
      };
      undoable({ message, commit, restore });
    },
    [undoable],
  );
};
