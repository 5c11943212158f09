import type { Db } from '@sheaf/db';
import { findOrphans, sweepOrphan } from '@sheaf/ingest';
import { countTallyDifferences, rebuildDocumentTallies } from '@sheaf/ingest/integrity';
import { systemClock } from '@sheaf/process';
import type { Check, Difference } from './check.ts';
import { makeDocumentPages } from './document-pages.ts';
import type { FileCheckDeps } from './file-check-deps.ts';
import { makePreviews } from './previews.ts';
import { searchEntries, searchStatistics } from './search-checks.ts';
import { makeStoredFiles } from './stored-files.ts';
import { makeThumbnails } from './thumbnails.ts';

async function* findOrphanedFiles({ storage }: FileCheckDeps, db: Db): AsyncGenerator<Difference> {
  const deps = { db, storage, clock: systemClock };
  for await (const object of findOrphans(deps)) {
    const repair = async (): Promise<void> => {
      await sweepOrphan(deps, object);
    };
    yield { subject: object.key, finding: 'belongs to no document', repair };
  }
}

/** What is stored belongs to a document, or is younger than a day. The service sets the others aside once a day. */
const makeOrphanedFiles = (deps: FileCheckDeps): Check => ({ name: 'orphaned-files', find: (db) => findOrphanedFiles(deps, db) });

async function* findTallies(db: Db): AsyncGenerator<Difference> {
  const differences = await countTallyDifferences(db);
  if (differences > 0)
    yield { subject: 'tallies', finding: `${differences} incorrect document counts`, repair: () => rebuildDocumentTallies(db) };
}

/** Totals of lists and labels are kept beside the documents they count. */
const documentTallies: Check = { name: 'document-tallies', find: findTallies };

/** What is kept twice in the database, in the order in which it is verified. */
export const DATABASE_CHECKS: readonly Check[] = [searchEntries, searchStatistics, documentTallies];

/** Files against the database. What is read again needs its original, which is put back before. */
export const makeFileChecks = (deps: FileCheckDeps): readonly Check[] => [
  makeStoredFiles(deps),
  makePreviews(deps),
  makeDocumentPages(deps),
  makeThumbnails(deps),
  makeOrphanedFiles(deps),
];
