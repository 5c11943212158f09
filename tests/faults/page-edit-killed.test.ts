// A process that dies while it edits the pages of a document leaves the document as it was, or edited as a whole; and another finishes.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { savePages } from '@sheaf/documents/pages';
import { documentKey } from '@sheaf/storage';
import { isFullRun, makePdf } from '@sheaf/testkit';
import test from 'ava';
import { documentOf, type IngestBench, openIngestBench } from '../integration/ingest/fixture.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '../fixtures/documents/killed-page-edit.ts');
const TEXTS = ['one', 'two', 'three'];

const given = async ({ take, db }: IngestBench): Promise<string> => {
  const { id } = documentOf(await take(makePdf(TEXTS.map((text) => ({ lines: [text] }))), { filename: 'stack.pdf' }));
  await savePages(
    db,
    id,
    TEXTS.map((content, at) => ({ page: at + 1, content, confidence: 0.5, origin: 'ocr' as const })),
  );
  await db.update(documents).set({ status: 'completed', pageCount: TEXTS.length }).where(eq(documents.id, id));
  return id;
};

const editedUntil = ({ database, folder, owner }: IngestBench, point: string, id: string, operations: readonly unknown[]) =>
  run(process.execPath, [SCRIPT, database.url.reveal(), folder, point, owner.id, id, JSON.stringify(operations)]);

/** All that there is of documents, each with its text. */
const everything = ({ rows }: IngestBench) =>
  rows(
    `select documents.id, version, status, sha256, page_count, array(select content from document_pages where document_id = documents.id order by page) as pages,
       (select count(*)::int from document_versions where document_id = documents.id) as versions,
       (select count(*)::int from ocr_jobs where document_id = documents.id and status = 'pending') as jobs
     from documents order by documents.id`,
  ) as Promise<{ id: string; version: number; sha256: string; pages: string[]; versions: number }[]>;

const ACTIONS = {
  'an edit': { operations: [{ op: 'delete', pages: [2] }], pages: [['one', 'three']] },
  'a split': { operations: [{ op: 'split', pages: [2, 3] }], pages: [['one'], ['two'], ['three']] },
} as const;

/** Where it dies, and whether the edit is done then. */
const POINTS = [
  ['before storing', false],
  ['after storing', false],
  ['before the commit', false],
  ['after the commit', true],
] as const;
/** The usual run kills each action once, the full run at every point. */
const isTried = (action: string, point: string): boolean =>
  isFullRun || point === (action === 'a split' ? 'after storing' : 'after the commit');

for (const [action, { operations, pages }] of Object.entries(ACTIONS))
  for (const [point, isDone] of POINTS.filter(([name]) => isTried(action, name)))
    test.serial(`killed ${point}, ${action} is ${isDone ? 'done' : 'not begun'}, and no page is lost`, async (t) => {
      await using bench = await openIngestBench();
      const id = await given(bench);
      const before = await everything(bench);
      t.like(await t.throwsAsync(editedUntil(bench, point, id, operations)), { signal: 'SIGKILL' });
      if (!isDone) {
        t.deepEqual(await everything(bench), before);
        await editedUntil(bench, 'never', id, operations);
      }
      const after = await everything(bench);
      t.deepEqual(
        after.map((document) => document.pages),
        pages.map((part) => [...part]),
      );
      t.like(after[0], { id, version: 2, versions: 1 });
      for (const { sha256 } of after) t.true((await bench.stored()).includes(documentKey(sha256)));
      t.deepEqual(
        await bench.rows('select content from document_version_pages where document_id = $1 order by page', id),
        TEXTS.map((content) => ({ content })),
      );
    });
