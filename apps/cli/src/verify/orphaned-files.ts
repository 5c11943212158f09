import type { Db } from '@sheaf/db';
import { findOrphans, sweepOrphan } from '@sheaf/ingest';
import { systemClock } from '@sheaf/process';
import type { Check, Difference } from './check.ts';
import type { FileCheckDeps } from './file-check-deps.ts';

async function* find({ storage }: FileCheckDeps, db: Db): AsyncGenerator<Difference> {
  const deps = { db, storage, clock: systemClock };
  for await (const object of findOrphans(deps)) {
    const repair = async (): Promise<void> => {
      await sweepOrphan(deps, object);
    };
    yield { subject: object.key, finding: 'belongs to no document', repair };
  }
}

/** What is stored belongs to a document, or is younger than a day. The service sets the others aside once a day. */
export const makeOrphanedFiles = (deps: FileCheckDeps): Check => ({ name: 'orphaned-files', find: (db) => find(deps, db) });
