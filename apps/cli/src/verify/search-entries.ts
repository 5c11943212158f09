import type { Db } from '@sheaf/db';
import { countSettledDocuments, type EntryDifference, findEntryDifferences, findOrphanEntries, repairEntry } from '@sheaf/search';
import type { Check, Difference, Progress } from './check.ts';

const FINDINGS: Readonly<Record<EntryDifference['kind'], string>> = {
  missing: 'has no search entry',
  different: 'has an outdated search entry',
  orphan: 'has a search entry but should not',
};

const toDifference = (db: Db, difference: EntryDifference): Difference => ({
  subject: `document ${difference.documentId}`,
  finding: FINDINGS[difference.kind],
  repair: () => repairEntry(db, difference),
});

async function* find(db: Db, progress: Progress): AsyncGenerator<Difference> {
  for (const orphan of await findOrphanEntries(db)) yield toDifference(db, orphan);
  const total = await countSettledDocuments(db);
  for await (const difference of findEntryDifferences(db, (done) => progress(done, total))) yield toDifference(db, difference);
}

/** The index has exactly what the documents have. */
export const searchEntries: Check = { name: 'search-index', find };
