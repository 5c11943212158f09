import type { PlainDocument, PlainLibrary, Random } from './random-documents.ts';

export type Holds = (document: PlainDocument) => boolean;

/** A filter with a value, and the documents that have it. */
export interface Filter {
  readonly name: string;
  readonly value: string;
  readonly holds: Holds;
  /** Where it is not a filter of both lists and searches. */
  readonly only?: 'list' | 'search';
  /** Parameters that say how it is meant. */
  readonly more?: Readonly<Record<string, string>>;
}
export type MakeFilter = (random: Random, library: PlainLibrary) => Filter;

export const filter = (name: string, value: unknown, holds: Holds, more: Pick<Filter, 'only' | 'more'> = {}): Filter => ({
  name,
  value: String(value),
  holds,
  ...more,
});

export const dayOf = (moment: string): string => moment.slice(0, 10);
/** As the Paperless interface has it. */
export const createdOf = ({ dated, created }: PlainDocument): string => dated ?? dayOf(created);

export const TESTS = {
  gt: (a: string | number, b: string | number) => a > b,
  gte: (a: string | number, b: string | number) => a >= b,
  lt: (a: string | number, b: string | number) => a < b,
  lte: (a: string | number, b: string | number) => a <= b,
} as const;
export const TEST_NAMES = ['gt', 'gte', 'lt', 'lte'] as const;

export const idOf = (ids: ReadonlyMap<string, string>, name: string): string => ids.get(name) ?? '';

export type Value = string | number | null;
export type Order = readonly [name: string, value: (document: PlainDocument) => Value];

/** What is missing is below any value. */
export const compare = (a: Value, b: Value): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
};

export interface Sorting {
  readonly name: string;
  readonly isDown: boolean;
  readonly of: (a: PlainDocument, b: PlainDocument) => number;
}

/** By a value, then by `ties` in the same direction. */
export const sorting = (random: Random, orders: readonly Order[], ties: 'id' | 'newest'): Sorting => {
  const [name, value] = random.pick(orders);
  const isDown = random.chance(0.5);
  const sign = isDown ? -1 : 1;
  const byTies = (a: PlainDocument, b: PlainDocument): number =>
    ties === 'id' ? sign * compare(a.id, b.id) : compare(Date.parse(b.created), Date.parse(a.created)) || compare(b.id, a.id);
  return { name, isDown, of: (a, b) => sign * compare(value(a), value(b)) || byTies(a, b) };
};
