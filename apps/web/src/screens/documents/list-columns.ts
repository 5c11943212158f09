import { useChosenColumns } from './chosen-columns.ts';
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
