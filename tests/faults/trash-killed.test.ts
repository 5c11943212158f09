// A process that dies while it moves a document to the trash, brings it back or removes it for good loses nothing, and another finishes.
import { execFile } from 'node:child_process';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeStoredBytes, sweepOrphans } from '@sheaf/ingest';
import { purgeDocument, restoreInTransaction } from '@sheaf/ingest/trash';
import { systemClock } from '@sheaf/process';
import { documentKey } from '@sheaf/storage';
import { isFullRun } from '@sheaf/testkit';
import test from 'ava';
import { documentOf, type IngestBench, openIngestBench } from '../integration/ingest/fixture.ts';
import { trashDocuments } from '../integration/ingest/trash-documents.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../fixtures/trash/killed-trash.ts');

const killedAt = ({ database, folder }: IngestBench, action: string, point: string, id: string) =>
  run(process.execPath, [SCRIPT, database.url.reveal(), folder, action, point, id]);

/** Where a document is, with as many rows as it has. */
const placesOf = async ({ count }: IngestBench, id: string) => ({
  here: await count('documents where id = $1', id),
  jobs: await count('ocr_jobs where document_id = $1', id),
  trashed: await count('trashed_documents where id = $1', id),
  hanging: await count('document_search where document_id = $1 and not is_trashed', id),
});

const HERE = { here: 1, jobs: 1, trashed: 0, hanging: 0 };

/** Where it dies, and whether the move is done then. */
const MOVES = [
  ['trash', 'before the commit', false],
  ['trash', 'after the commit', true],
  ['restore', 'before the commit', false],
  ['restore', 'after the commit', true],
] as const;
/** Where it dies, whether the document is gone then, and how many of its files are there. */
const REMOVALS = [
  ['before the commit', false, 1],
  ['after the commit', true, 1],
  ['before removing bytes', true, 1],
  ['after removing bytes', true, 1], // of a preview, which comes before
] as const;

/** The usual run kills one move and one removal, the full run each at every point. */
for (const [action, point, isDone] of isFullRun ? MOVES : MOVES.slice(2, 3))
  test.serial(`killed ${point}, ${action} is ${isDone ? 'done' : 'not begun'}, and the bytes are there`, async (t) => {
    await using bench = await openIngestBench();
    const { id } = documentOf(await bench.take('text'));
    if (action === 'restore') await trashDocuments(bench.db, [id]);
    const before = await placesOf(bench, id);
    t.like(await t.throwsAsync(killedAt(bench, action, point, id)), { signal: 'SIGKILL' });
    const after = await placesOf(bench, id);
    if (isDone) t.is(after.here, action === 'restore' ? 1 : 0);
    else t.deepEqual(after, before);
    t.is((await bench.stored()).length, 1);
    if (after.here === 0) await restoreInTransaction(bench.db, id);
    t.deepEqual(await placesOf(bench, id), HERE);
  });

for (const [point, isGone, files] of isFullRun ? REMOVALS : REMOVALS.slice(2, 3))
  test.serial(`killed ${point}, a removal for good leaves no row without its bytes, and what it leaves behind goes`, async (t) => {
    await using bench = await openIngestBench();
    const { deps, db, stored, count } = bench;
    const { id, sha256 } = documentOf(await bench.take('text'));
    await bench.take('another document');
    await trashDocuments(db, [id]);
    t.like(await t.throwsAsync(killedAt(bench, 'purge', point, id)), { signal: 'SIGKILL' });
    t.is(await count('trashed_documents'), isGone ? 0 : 1);
    t.is(await count('kept_files where sha256 = $1', sha256), isGone ? 0 : 1);
    t.is((await stored()).filter((key) => key.includes(sha256)).length, files);
    if (isGone) {
      const then = new Date(Date.now() - 48 * 3_600_000);
      await utimes(deps.storage.pathOf(documentKey(sha256)), then, then);
      t.is(await sweepOrphans({ ...deps, clock: systemClock }), 1);
    } else {
      const removeBytes = async (hash: string): Promise<void> => void (await removeStoredBytes({ db, storage: deps.storage }, hash));
      t.true(await purgeDocument(db, id, { removeBytes }));
    }
    t.deepEqual(
      (await stored()).filter((key) => key.includes(sha256)),
      [],
    );
    t.is((await stored()).length, 1);
  });
