import { useCallback, useMemo, useState } from 'react';
import type { ListedDocument } from './document-window.ts';

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
