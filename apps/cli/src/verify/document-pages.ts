import type { Db } from '@sheaf/db';
import { countCompleted, findPageGaps, type PageGap } from '@sheaf/ingest/integrity';
import type { Check, Difference, Progress } from './check.ts';
import { type FileCheckDeps, subjectOf } from './file-check-deps.ts';
import { readDocumentAgain } from './read-document-again.ts';

const BATCH = 500;

const describe = ({ pageCount, pages, lastPage }: PageGap): string =>
  pageCount === pages ? `has ${pages} of ${lastPage} pages` : `has ${pages} pages, not ${pageCount ?? 'any'}`;

const toDifference = (deps: FileCheckDeps, gap: PageGap): Difference => ({
  subject: subjectOf([gap.documentId]),
  finding: describe(gap),
  repair: () => readDocumentAgain(deps, gap.documentId, gap.sha256),
});

async function* find(deps: FileCheckDeps, db: Db, progress: Progress): AsyncGenerator<Difference> {
  const total = await countCompleted(db);
  let done = 0;
  for (let after: string | undefined; ; ) {
    const { gaps, looked, next } = await findPageGaps(db, after, BATCH);
    for (const gap of gaps) yield toDifference(deps, gap);
    done += looked;
    progress(done, total);
    if (next === undefined) return;
    after = next;
  }
}

/** A document that was read has as many pages as it says. */
export const makeDocumentPages = (deps: FileCheckDeps): Check => ({ name: 'pages', find: (db, progress) => find(deps, db, progress) });
