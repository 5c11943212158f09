import type { SearchBody } from '@sheaf/contract/search';
import type { Named, Names } from './hit-details.ts';
import type { CountsRow } from './search-sql.ts';

type Facets = SearchBody['facets'];
type Counts = ReadonlyMap<string, number>;

/** How many matches have a value, the common ones first, then by value. */
const inOrder = (counts: Counts): Record<string, number> =>
  Object.fromEntries([...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));

const sumBy = <Row>(rows: readonly Row[], valueOf: (row: Row) => string | null, countOf: (row: Row) => number): Counts => {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + countOf(row));
  }
  return counts;
};

/** The named ones with their counts, the common ones first, then as they are given. */
const withCounts = (counts: Counts, names: readonly Named[]): Facets['correspondents'] =>
  names.map(({ id, name }) => ({ id, name, count: counts.get(id) ?? 0 })).toSorted((a, b) => b.count - a.count);

export const totalOf = ({ groups }: CountsRow): number => groups.reduce((total, [, , , , documents]) => total + documents, 0);

/** How the matches part by what they are. What has lost its name since it was counted is left out. */
export const facetsOf = ({ groups, facts, labels }: CountsRow, names: Names): Facets => {
  const ofGroups = (at: 0 | 1 | 2 | 3): Record<string, number> =>
    inOrder(
      sumBy(
        groups,
        (group) => (group[at] === null ? null : String(group[at])),
        (group) => group[4],
      ),
    );
  const ofFacts = (at: 0 | 1 | 2): Counts =>
    sumBy(
      facts,
      (fact) => (fact[at] === null ? null : String(fact[at])),
      (fact) => fact[3],
    );
  const labelNames = new Map(names.labels.map(({ id, name }) => [id, name]));
  return {
    mime_types: ofGroups(0),
    labels: inOrder(
      sumBy(
        labels,
        ([id]) => labelNames.get(id) ?? null,
        ([, documents]) => documents,
      ),
    ),
    sources: ofGroups(1),
    years: ofGroups(3),
    languages: ofGroups(2),
    document_years: inOrder(ofFacts(0)),
    correspondents: withCounts(ofFacts(1), names.correspondents),
    document_types: withCounts(ofFacts(2), names.document_types),
  };
};
