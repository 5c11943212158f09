import type { Db } from '@sheaf/db';
import {
  countSettledDocuments,
  type EntryDifference,
  findEntryDifferences,
  findOrphanEntries,
  findStatisticsDifferences,
  isRenewingEntries,
  rebuildStatistics,
  repairEntry,
  type StatisticsDifferences,
} from '@sheaf/search';
import type { Check, Difference, Progress } from './check.ts';

const FINDINGS: Readonly<Record<EntryDifference['kind'], string>> = {
  missing: 'has no search entry',
  different: 'has an outdated search entry',
  orphan: 'has a search entry but should not',
};

const toDifference = (db: Db, difference: EntryDifference, isRenewing: boolean): Difference => ({
  subject: `document ${difference.documentId}`,
  finding: FINDINGS[difference.kind],
  isRenewed: isRenewing && difference.kind === 'different',
  repair: () => repairEntry(db, difference),
});

async function* findEntries(db: Db, progress: Progress): AsyncGenerator<Difference> {
  for (const orphan of await findOrphanEntries(db)) yield toDifference(db, orphan, false);
  const total = await countSettledDocuments(db);
  const isRenewing = await isRenewingEntries(db);
  for await (const difference of findEntryDifferences(db, (done) => progress(done, total))) yield toDifference(db, difference, isRenewing);
}

/** The index has exactly what the documents have. */
export const searchEntries: Check = { name: 'search-index', find: findEntries };

const describe = ({ words, examples, configurations }: StatisticsDifferences): string =>
  [
    words === 0 ? [] : [`${words} incorrect word counts (${examples.join(', ')}${words > examples.length ? ', ...' : ''})`],
    configurations.length === 0 ? [] : [`incorrect totals of ${configurations.join(', ')}`],
  ]
    .flat()
    .join('; ');

async function* findStatistics(db: Db): AsyncGenerator<Difference> {
  const difference = await findStatisticsDifferences(db);
  const finding = describe(difference);
  if (finding !== '') yield { subject: 'statistics', finding, repair: () => rebuildStatistics(db) };
}

/** The ranking knows in how many documents each word is. Comes after the index, whose repair it counts. */
export const searchStatistics: Check = { name: 'search-statistics', find: findStatistics };
