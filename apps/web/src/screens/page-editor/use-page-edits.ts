import { useState } from 'react';
import type { Sheets } from './sheets.ts';

/** So many steps can be undone. */
const MOST_STEPS = 100;

export interface PageEdits {
  readonly sheets: Sheets;
  /** Steps that can be undone. */
  readonly steps: number;
  readonly edit: (change: (sheets: Sheets) => Sheets) => void;
  readonly undo: () => void;
  readonly undoAll: () => void;
}

/** The pages as they are to be, and how they were before each step. */
export const usePageEdits = (first: Sheets): PageEdits => {
  const [{ sheets, past }, setState] = useState<{ readonly sheets: Sheets; readonly past: readonly Sheets[] }>({ sheets: first, past: [] });
  return {
    sheets,
    steps: past.length,
    edit: (change) =>
      setState((before) => {
        const after = change(before.sheets);
        return after === before.sheets ? before : { sheets: after, past: [...before.past, before.sheets].slice(-MOST_STEPS) };
      }),
    undo: () =>
      setState((before) => {
        const last = before.past.at(-1);
        return last === undefined ? before : { sheets: last, past: before.past.slice(0, -1) };
      }),
    undoAll: () => setState({ sheets: first, past: [] }),
  };
};
