import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useMe } from '../../session/session.tsx';
import { type Column, columnsOf } from './document-columns.ts';

/** Of each user of this browser; there is nothing in it but names of columns. */
const keyOf = (user: string): string => `sheaf-columns-${user}`;

/** Where the browser keeps nothing, a choice holds until the page is left. */
const unkept = new Map<string, string>();
const watchers = new Set<() => void>();

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(key) ?? unkept.get(key) ?? null;
  } catch {
    return unkept.get(key) ?? null;
  }
};
const write = (key: string, text: string): void => {
  try {
    localStorage.setItem(key, text);
  } catch {
    unkept.set(key, text);
  }
  for (const watcher of watchers) watcher();
};
const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  globalThis.addEventListener('storage', watcher);
  return () => {
    watchers.delete(watcher);
    globalThis.removeEventListener('storage', watcher);
  };
};

/** The columns that the user chose in this browser. */
export const useChosenColumns = (): readonly [columns: readonly Column[], choose: (columns: readonly Column[]) => void] => {
  const key = keyOf(useMe().id);
  const kept = useSyncExternalStore(subscribe, () => read(key));
  const columns = useMemo(() => columnsOf(kept), [kept]);
  const choose = useCallback((chosen: readonly Column[]) => write(key, chosen.join(',')), [key]);
  return [columns, choose];
};
