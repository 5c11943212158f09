import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { useMe } from '../../session/session.tsx';
import { type Column, columnsOf, DEFAULT_COLUMNS } from './document-columns.ts';
import type { ChangeListState, ListState } from './list-state.ts';

/** The columns of a list, and what changes them. */
export interface ListColumns {
  readonly columns: readonly Column[];
  /** Whether the address has them, as that of a saved search does, in place of the user's own. */
  readonly areOfAddress: boolean;
  readonly choose: (columns: readonly Column[]) => void;
  /** Goes back from those of the address to the user's own, and from these to those of everybody. */
  readonly reset: () => void;
}

/** The columns that the address names, else those that the user chose in this browser. */
export const useListColumns = (state: Pick<ListState, 'columns'>, change: ChangeListState): ListColumns => {
  const [chosen, choose] = useChosenColumns();
  const { columns: named } = state;
  if (named === undefined) return { columns: chosen, areOfAddress: false, choose, reset: () => choose(DEFAULT_COLUMNS) };
  return {
    columns: columnsOf(named),
    areOfAddress: true,
    choose: (columns) => change({ columns: columns.join(',') }, { replace: true }),
    reset: () => change({ columns: undefined }, { replace: true }),
  };
};

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
