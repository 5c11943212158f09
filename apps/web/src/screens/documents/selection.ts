import { useCallback, useMemo, useState } from 'react';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Everything that fits the filters, seen or not. */
  readonly isAll: boolean;
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly add: (ids: readonly string[]) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Which documents an action is for. */
export const useSelection = (): Selection => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const toggle = useCallback((id: string) => {
    setAll(false);
    setIds((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const add = useCallback((more: readonly string[]) => setIds((before) => new Set([...before, ...more])), []);
  const selectAll = useCallback(() => setAll(true), []);
  const clear = useCallback(() => {
    setAll(false);
    setIds(new Set());
  }, []);
  return useMemo(
    () => ({ ids, isAll, has: (id) => isAll || ids.has(id), toggle, add, selectAll, clear }),
    [ids, isAll, toggle, add, selectAll, clear],
  );
};
