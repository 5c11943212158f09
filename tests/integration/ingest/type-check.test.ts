// Archives and compound files are strangers' bytes: they are read in threads with limits, and a reader that fails refuses its file alone.

import { TypeCheck } from '@sheaf/ingest';
import { matchContainer } from '@sheaf/ingest/testing';
import { silentLogger } from '@sheaf/process';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import anyTest, { type TestFn } from 'ava';
import {
  makeCircularTables,
  makeContentTypesTrap,
  makeManifestTrap,
  makeManifestTrapDocument,
  makeSharedStream,
  makeUnterminated,
} from '../../fixtures/hostile-containers.ts';
import { makeOle } from '../../fixtures/ole.ts';
import { makeOoxml, makeZip } from '../../fixtures/zip.ts';
import { fullOnly } from '../../support/full-run.ts';
import { threadCpuMs } from '../../support/thread-cpu-ms.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const openTypeCheck = (settings: { timeoutMs?: number } = {}) => {
  const typeCheck = new TypeCheck({ threads: 1, ...settings }, silentLogger());
  return Object.assign(typeCheck, { [Symbol.asyncDispose]: () => typeCheck.stop() });
};

const kindOf = (extension: string) => {
  const kind = findKindByExtension(extension);
  if (kind === undefined) throw new Error(`no kind ${extension}`);
  return kind;
};

const OFFICE = { allowedExtensions: ['doc', 'docx', 'odt', 'txt'] };

test.serial('an archive is looked into elsewhere: this thread is free for others meanwhile', async (t) => {
  await using typeCheck = openTypeCheck();
  const declared = kindOf('docx');
  await typeCheck.match(makeOoxml('wordprocessingml.document'), declared); // the thread is there
  const content = makeZip(Array.from({ length: 60_000 }, (_, n) => ({ name: `${n}.xml`, text: '', stored: true })));
  const begun = threadCpuMs();
  await matchContainer({ content, container: 'zip', declared });
  const here = threadCpuMs() - begun;
  const between = threadCpuMs();
  t.like(await typeCheck.match(content, declared), { isMatch: false, found: 'a ZIP archive' });
  const meanwhile = threadCpuMs() - between;
  t.true(meanwhile < here / 2, `${meanwhile} ms of ${here} ms`);
});

test('a file whose check takes too long is refused as damaged, and the next one is not', async (t) => {
  const { take, rows } = t.context;
  await using typeCheck = openTypeCheck({ timeoutMs: 1 });
  const refused = await take(makeOle('WordDocument'), { filename: 'letter.doc', ...OFFICE }, { typeCheck });
  t.like(refused, { outcome: 'refused', reason: 'type_check_failed', details: { filename: 'letter.doc', declared_type: 'doc' } });
  const noted = await rows(`select reason_code as code from ingest_ledger where path = 'letter.doc'`);
  t.deepEqual(noted, [{ code: 'type_check_failed' }]);
  documentOf(await take('a text needs no thread', { filename: 'note.txt' }, { typeCheck }));
  documentOf(await take(makeOle('WordDocument'), { filename: 'letter.doc', ...OFFICE }));
});

test('a file that cannot be read is an error of ours, not a fault of the file', async (t) => {
  await using typeCheck = openTypeCheck();
  await t.throwsAsync(typeCheck.match('/nowhere/letter.doc', kindOf('doc')), { message: /ENOENT/ });
});

const TRAPS = {
  'manifest.odt': makeManifestTrap(24_000),
  'manifest-of-a-document.odt': makeManifestTrapDocument(24_000),
  'manifest.docx': makeManifestTrap(24_000),
  'types.docx': makeContentTypesTrap(25_000),
  'circle.doc': makeCircularTables(8 * 1024 * 1024),
  'wide-circle.doc': makeCircularTables(8 * 1024 * 1024, 8_000),
  'comments.docx': makeUnterminated('<!--', 40_000),
  'sections.docx': makeUnterminated('<![CDATA[', 40_000),
  'shared.docx': makeSharedStream(19_000, 200_000),
} as const;

fullOnly(test)('the files that once stopped the service are judged like others', async (t) => {
  const { take } = t.context;
  await using typeCheck = openTypeCheck();
  const outcomes: Record<string, string> = {};
  for (const [filename, bytes] of Object.entries(TRAPS)) {
    const result = await take(bytes, { filename, maxBytes: 16 * 1024 ** 2, ...OFFICE }, { typeCheck });
    outcomes[filename] = result.outcome === 'refused' ? result.reason : result.outcome;
  }
  t.deepEqual(outcomes, {
    'manifest.odt': 'type_mismatch',
    'manifest-of-a-document.odt': 'type_mismatch',
    'manifest.docx': 'type_mismatch',
    'types.docx': 'type_mismatch',
    'circle.doc': 'ingested',
    'wide-circle.doc': 'ingested',
    'comments.docx': 'ingested',
    'sections.docx': 'ingested',
    'shared.docx': 'ingested',
  });
});
