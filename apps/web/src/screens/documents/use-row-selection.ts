import { notifications } from '@mantine/notifications';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import type { DocumentWindow, ListedDocument } from './document-window.ts';
import { moveEnd, type Rows } from './row-keys.ts';

/** Of one range: what lies between its ends is loaded for it. */
const MOST_ROWS = 1_000;

interface RowSelection {
  readonly toggle: (index: number, isRange: boolean) => void;
  /** Selects from where the extending began up to `to`; rows that are left behind on the way back are no longer selected. */
  readonly extend: (from: number, to: number) => void;
  /** The next range begins where the focus is then. */
  readonly endExtending: () => void;
}

/** Selects rows by their place in the list. */
export const useRowSelection = (window: Pick<DocumentWindow, 'at' | 'load'>, selection: Selection): RowSelection => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const lastToggled = useRef<number>(undefined);
  const anchor = useRef<number>(undefined);

  const withRows = (rows: Rows, use: (documents: readonly ListedDocument[]) => void): void => {
    if (rows === undefined) return;
    const [first, last] = rows;
    if (last - first >= MOST_ROWS) {
      notifications.show({ message: t('documents.rangeTooLong', { count: format.number(MOST_ROWS) }), color: 'yellow' });
      return;
    }
    const known = Array.from({ length: last - first + 1 }, (_, step) => window.at(first + step)).filter((one) => one !== undefined);
    if (known.length === last - first + 1) use(known);
    else window.load(first, last).then(use, notifyProblem);
  };

  const toggle = (index: number, isRange: boolean): void => {
    const from = lastToggled.current;
    if (isRange && from !== undefined) withRows([Math.min(from, index), Math.max(from, index)], selection.add);
    else {
      const document = window.at(index);
      if (document !== undefined) selection.toggle(document);
    }
    lastToggled.current = index;
    anchor.current = undefined;
  };
  const extend = (from: number, to: number): void => {
    if (anchor.current === undefined) withRows([from, from], selection.add);
    anchor.current ??= from;
    lastToggled.current = anchor.current;
    const { added, removed } = moveEnd(anchor.current, from, to);
    withRows(removed, selection.remove);
    withRows(added, selection.add);
  };
  const endExtending = (): void => {
    anchor.current = undefined;
  };
  return { toggle, extend, endExtending };
};

type Selected = Pick<ListedDocument, 'id' | 'owner_id'>;

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whose those are. */
  readonly owners: ReadonlySet<string>;
  /** Everything that fits the filters, seen or not. */
  readonly isAll: boolean;
  readonly has: (id: string) => boolean;
  readonly toggle: (document: Selected) => void;
  readonly add: (documents: readonly Selected[]) => void;
  readonly remove: (documents: readonly Selected[]) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Which documents an action is for. */
export const useSelection = (): Selection => {
  const [ownerById, setOwnerById] = useState<ReadonlyMap<string, string>>(new Map());
  const [isAll, setAll] = useState(false);
  const toggle = useCallback(({ id, owner_id: owner }: Selected) => {
    setAll(false);
    setOwnerById((before) => {
      const after = new Map(before);
      if (!after.delete(id)) after.set(id, owner);
      return after;
    });
  }, []);
  const add = useCallback(
    (more: readonly Selected[]) =>
      setOwnerById((before) => new Map([...before, ...more.map(({ id, owner_id: owner }) => [id, owner] as const)])),
    [],
  );
  const remove = useCallback((less: readonly Selected[]) => {
    const ids = new Set(less.map(({ id }) => id));
    setOwnerById((before) => new Map([...before].filter(([id]) => !ids.has(id))));
  }, []);
  const selectAll = useCallback(() => setAll(true), []);
  const clear = useCallback(() => {
    setAll(false);
    setOwnerById(new Map());
  }, []);
  return useMemo(
    () => ({
      ids: new Set(ownerById.keys()),
      owners: new Set(ownerById.values()),
      isAll,
      has: (id) => isAll || ownerById.has(id),
      toggle,
      add,
      remove,
      selectAll,
      clear,
    }),
    [ownerById, isAll, toggle, add, remove, selectAll, clear],
  );
};
