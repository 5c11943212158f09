import type { Db } from '@sheaf/db';
import { lockDocumentAndJob } from '@sheaf/documents';
import { runOcrAgain } from '@sheaf/ingest';
import { checkStoredFile, countCompleted, findPageGaps, type PageGap } from '@sheaf/ingest/integrity';
import type { Check, Difference, Progress } from './run-checks.ts';
import { type FileCheckDeps, subjectOf } from './thumbnails.ts';

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

/**
 * Queues a completed document to be read again, as its owner would. Throws where its stored file is not right: it would lose the
 * text that it has for nothing. `prepare` is called before.
 */
export const readDocumentAgain = async (
  { db, storage, maxAttempts }: FileCheckDeps,
  documentId: string,
  sha256: string,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<void> => {
  if ((await checkStoredFile(storage, sha256)) !== 'ok') throw new Error('its stored file must be restored first');
  await prepare();
  await db.transaction(async (tx) => {
    const document = await lockDocumentAndJob(tx, documentId);
    if (document?.status === 'completed') await runOcrAgain(tx, [document], { maxAttempts });
  });
};
