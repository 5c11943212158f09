/** Where a term may be: a part of the document's words, or a label's name. Without a field: in title, file name or text. */
export const QUERY_FIELDS = ['title', 'filename', 'label'] as const;
export type QueryField = (typeof QUERY_FIELDS)[number];

/** One word, or several that stand one after the other. */
export interface Term {
  readonly text: string;
  readonly field?: QueryField;
  /** The last word may go on. */
  readonly prefix: boolean;
}

/** Holds when any of its terms does. */
export type Clause = readonly Term[];

/**
 * What is looked for: all of `must`, none of `mustNot`, and at least one of `should` where `must` is empty. What matches of
 * `should` only raises the score otherwise.
 */
export interface Query {
  readonly must: readonly Clause[];
  readonly should: readonly Clause[];
  readonly mustNot: readonly Clause[];
}

export const EMPTY_QUERY: Query = { must: [], should: [], mustNot: [] };

/** A question of nothing but exclusions finds nothing. */
export const asksForNothing = (query: Query): boolean => query.must.length === 0 && query.should.length === 0;
