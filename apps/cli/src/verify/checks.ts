import type { Check } from './check.ts';
import { makeDocumentPages } from './document-pages.ts';
import { documentTallies } from './document-tallies.ts';
import type { FileCheckDeps } from './file-check-deps.ts';
import { makeOrphanedFiles } from './orphaned-files.ts';
import { makePreviews } from './previews.ts';
import { searchEntries } from './search-entries.ts';
import { searchStatistics } from './search-statistics.ts';
import { makeStoredFiles } from './stored-files.ts';
import { makeThumbnails } from './thumbnails.ts';

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
