// One document becomes several: what is true of them, whatever cut them.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDocumentAndJob } from '@sheaf/documents';
import { savePages } from '@sheaf/documents/pages';
import { FileChanged } from '@sheaf/ingest';
import { movePages, type SplitPart, type SplitRequest, splitDocument } from '@sheaf/ingest/split';
import test from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const SETTINGS = { maxAttempts: 4, versionsKeep: 0 };

type Parts = readonly (readonly [text: string, ...pages: number[]])[];

/** Splits into files of these texts, with these pages of the whole. */
const split = async (
  bench: IngestBench,
  { id, sha256 }: { readonly id: string; readonly sha256: string },
  parts: Parts,
  {
    storage = bench.deps.storage,
    ...more
  }: Partial<Pick<SplitRequest<SplitPart>, 'movePages' | 'onSplit' | 'priority'>> & { storage?: IngestBench['deps']['storage'] } = {},
) => {
  const files = await Promise.all(
    parts.map(async ([text, ...pages], at) => {
      const path = join(bench.folder, `part-${at}`);
      await writeFile(path, text);
      return { path, pages };
    }),
  );
  const lock = async (tx: typeof bench.db) => {
    const document = await lockDocumentAndJob(tx, id);
    if (document === undefined) throw new Error('gone');
    return document;
  };
  return splitDocument({ db: bench.db, storage, settings: SETTINGS }, { sha256, parts: files, lock, ...more });
};

const pageOf = (page: number) => ({
  page,
  content: `text of page ${page}`,
  confidence: 0.5 + page / 100,
  origin: 'ocr' as const,
  words: Buffer.from([page]),
  language: 'deu',
});

test('pages that are known move with their words, and only what is not known is left to do', async (t) => {
  await using bench = await openIngestBench();
  const whole = documentOf(
    await bench.take('%PDF-1.4 whole', { filename: 'Box.tar.PDF', title: 'Box', language: 'deu', ocrEnabled: false }),
  );
  await savePages(bench.db, whole.id, [1, 2, 3, 5].map(pageOf));
  await bench.rows(`update documents set status = 'completed', completed_at = now(), page_count = 5`);
  const result = await split(
    bench,
    whole,
    [
      ['one', 1, 2],
      ['two', 5, 3, 4],
    ],
    { movePages, priority: 'high' },
  );
  t.is(result.outcome, 'split');
  const other = result.documents[1]?.id;
  t.like(await bench.rows('select id, title, filename, status, ocr_language, ocr_enabled, version from documents order by id'), [
    { id: whole.id, title: 'Box', filename: 'Box.tar.pdf', status: 'pending', ocr_language: 'deu', version: 2 },
    { id: other, title: 'Box (2)', filename: 'Box.tar (2).pdf', status: 'pending', ocr_language: 'deu', ocr_enabled: false, version: 1 },
  ]);
  const known = 'page, content, confidence, origin, words, language';
  t.like(await bench.rows(`select ${known} from document_pages where document_id = $1 order by page`, whole.id), [
    { ...pageOf(1), confidence: 0.51 },
    { ...pageOf(2), confidence: 0.52 },
  ]);
  t.like(await bench.rows(`select ${known}, is_stale from document_pages where document_id = $1 order by page`, other), [
    { ...pageOf(5), page: 1, confidence: 0.55, is_stale: false },
    { ...pageOf(3), page: 2, confidence: 0.53, is_stale: false },
  ]);
  t.is(await bench.count('document_version_pages where document_id = $1 and version = 1', whole.id), 4);
  t.is(await bench.count(`ocr_jobs where status = 'pending' and attempts = 0`), 2);
});

test('parts that the owner has, and parts with the same content, are named and not made twice', async (t) => {
  await using bench = await openIngestBench();
  const known = documentOf(await bench.take('known'));
  const whole = documentOf(await bench.take('whole', { filename: 'whole.txt' }));
  const result = await split(bench, whole, [
    ['known', 1],
    ['same', 2],
    ['same', 3],
    ['new', 4],
  ]);
  const [, made] = result.documents;
  t.deepEqual(
    result.documents.map(({ id, part }) => [id, part.pages]),
    [
      [whole.id, [2]],
      [made?.id, [4]],
    ],
  );
  t.deepEqual(
    result.duplicates.map(({ id, part }) => [id, part.pages]),
    [
      [known.id, [1]],
      [whole.id, [3]],
    ],
  );
  t.is(await bench.count('documents'), 3);
  t.like((await bench.rows(`select reason, reason_details from ingest_ledger where state = 'split'`))[0], {
    reason: 'Split into 4 documents',
    reason_details: { documents: 4, parts: [whole.id, made?.id], duplicates: [known.id, whole.id] },
  });
  const second = documentOf(await bench.take('second'));
  const nothing = await split(bench, second, [
    ['known', 1],
    ['new', 2],
  ]);
  t.is(nothing.outcome, 'whole');
  t.like(await bench.rows('select version, sha256, metadata from documents where id = $1', second.id), [
    { version: 1, sha256: second.sha256, metadata: {} },
  ]);
});

test('a document that has another file by now is not split, and bytes that vanish are stored again', async (t) => {
  await using bench = await openIngestBench();
  const whole = documentOf(await bench.take('whole'));
  const other = { id: whole.id, sha256: 'ab'.repeat(32) };
  await t.throwsAsync(
    split(bench, other, [
      ['one', 1],
      ['two', 2],
    ]),
    { instanceOf: FileChanged },
  );
  const refused = async (): Promise<never> => {
    throw new Error('not allowed');
  };
  await t.throwsAsync(
    split(
      bench,
      whole,
      [
        ['one', 1],
        ['two', 2],
      ],
      { onSplit: refused },
    ),
    { message: 'not allowed' },
  );
  t.like(await bench.rows('select version, metadata from documents'), [{ version: 1, metadata: {} }]);
  t.deepEqual(await bench.rows('select state from ingest_ledger'), [{ state: 'ingested' }]);
  let looks = 0;
  const { storage } = bench.deps;
  const forgetful = changedStorage(storage, {
    stat: async (key) => {
      looks += 1;
      if (looks === 1) await storage.delete(key);
      return storage.stat(key);
    },
  }) as typeof storage;
  t.is(
    (
      await split(
        bench,
        whole,
        [
          ['one', 1],
          ['two', 2],
        ],
        { storage: forgetful },
      )
    ).outcome,
    'split',
  );
  t.is((await bench.stored()).length, 3);
});

test('versions that are too many go, and what is written to metadata stays', async (t) => {
  await using bench = await openIngestBench();
  const whole = documentOf(await bench.take('whole'));
  await bench.rows(`update documents set metadata = '{"own": 1}'`);
  await split(bench, whole, [
    ['one', 1],
    ['two', 2],
  ]);
  const [first] = (await bench.rows('select sha256, metadata from documents where id = $1', whole.id)) as {
    sha256: string;
    metadata: Record<string, unknown>;
  }[];
  t.is(first?.metadata['own'], 1);
  const path = join(bench.folder, 'again');
  await writeFile(path, 'three');
  const lock = async (tx: typeof bench.db) => {
    const document = await lockDocumentAndJob(tx, whole.id);
    if (document === undefined) throw new Error('gone');
    return document;
  };
  await splitDocument(
    { db: bench.db, storage: bench.deps.storage, settings: { maxAttempts: 4, versionsKeep: 1 } },
    { sha256: first?.sha256 ?? '', parts: [{ path, pages: [1] }], lock },
  );
  t.deepEqual(await bench.rows('select version from document_versions'), [{ version: 2 }]);
  t.false((await bench.stored()).some((key) => key.includes(whole.sha256)));
});
