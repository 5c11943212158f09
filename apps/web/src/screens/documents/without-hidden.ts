import type { DocumentWindow, ListedDocument } from './document-window.ts';

export interface ShownWindow extends DocumentWindow {
  /** Where a row of this list is in that of the service. */
  readonly placeOf: (index: number) => number;
}

/** A list as if what is being deleted was gone already: the others close up, and the total is theirs. */
export const withoutHidden = (window: DocumentWindow, hidden: ReadonlySet<string>): ShownWindow => {
  const gaps = window.known.flatMap(([index, { id }]) => (hidden.has(id) ? [index] : [])).toSorted((a, b) => a - b);
  const placeOf = (index: number): number => {
    let place = index;
    for (const gap of gaps) {
      if (gap > place) break;
      place += 1;
    }
    return place;
  };
  return {
    ...window,
    known: window.known
      .filter(([, { id }]) => !hidden.has(id))
      .map(([index, document]) => [index - gaps.filter((gap) => gap < index).length, document] as const),
    total: window.total === undefined ? undefined : Math.max(0, window.total - gaps.length),
    at: (index) => window.at(placeOf(index)),
    load: async (first, last) => (await window.load(placeOf(first), placeOf(last))).filter(({ id }: ListedDocument) => !hidden.has(id)),
    placeOf,
  };
};
