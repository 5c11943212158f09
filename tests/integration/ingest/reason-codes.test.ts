// Whatever the ledger says of a file in words it says by a code as well, with the values that the words hold.
import { Readable } from 'node:stream';
import { AppError } from '@sheaf/contract';
import { deleteDocument } from '@sheaf/documents';
import { noteFailure, QueueGate } from '@sheaf/ingest';
import { constant, uuidv7 } from '@sheaf/process';
import type { LedgerReasonCode, LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { documentOf, type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

type Told = readonly [LedgerReasonCode | null, LedgerReasonDetails?];

const told = async ({ rows }: IngestBench): Promise<Told[]> =>
  (
    (await rows('select reason_code as code, reason_details as details from ingest_ledger order by created_at, id')) as {
      code: LedgerReasonCode | null;
      details: LedgerReasonDetails | null;
    }[]
  ).map(({ code, details }) => (details === null ? [code] : [code, details]));

test('each way of being refused has its code', async (t) => {
  const { take } = t.context;
  await take('x'.repeat(2_000), { maxBytes: 1_999 });
  await take('');
  await take('text', { filename: 'program.exe' });
  await take('text', { filename: 'noextension' });
  await take('text', { filename: 'table.xls' });
  await take('text', { filename: 'paper.pdf' });
  const allowed = { allowed_types: ['txt', 'pdf', 'doc', 'rtf'] };
  t.deepEqual(await told(t.context), [
    ['too_large', { filename: 'note.txt', max_bytes: 1_999 }],
    ['empty', { filename: 'note.txt' }],
    ['unknown_type', { filename: 'program.exe', extension: 'exe', ...allowed }],
    ['unknown_type', { filename: 'noextension', extension: '', ...allowed }],
    ['type_not_allowed', { filename: 'table.xls', extension: 'xls', ...allowed }],
    ['type_mismatch', { filename: 'paper.pdf', declared_type: 'pdf', found: 'plain text' }],
  ]);
});

test('each way of failing has its code', async (t) => {
  const { take, deps, db, owner } = t.context;
  const failing = (problem: Error) => ({ storage: changedStorage(deps.storage, { put: () => Promise.reject(problem) }) });
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('first half');
      throw new Error('connection reset');
    })(),
  );
  await t.throwsAsync(take(broken));
  await t.throwsAsync(take('1', {}, failing(new AppError('SERVICE_UNAVAILABLE', 'The disk is full'))));
  await t.throwsAsync(take('2', { labelIds: [uuidv7()] }));
  await t.throwsAsync(take('3', { signal: AbortSignal.abort() }));
  await t.throwsAsync(take('4', {}, failing(new TypeError('undefined is not a function'))));
  await t.throwsAsync(take('5', {}, failing(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))));
  await t.throwsAsync(take('6', {}, { queue: new QueueGate(db, constant(0)) }));
  const file = { route: 'upload', filename: 'a.txt', ledgerPath: 'a.txt', ownerId: owner.id } as const;
  await noteFailure(db, file, new AppError('VALIDATION_ERROR', 'The field x\0y\ud800 is duplicated.'));
  const tooMany = { reason: 'too_many_files', limit: 10 } as const;
  await noteFailure(db, file, new AppError('VALIDATION_ERROR', 'Send at most 10 files.', { details: tooMany }));
  const codes = await told(t.context);
  t.deepEqual(
    codes.map(([code]) => code),
    [
      'incomplete',
      'storage_away',
      'unknown_labels',
      'broken_off',
      'server_error',
      'database_away',
      'queue_was_full',
      'request_refused',
      'too_many_files',
    ],
  );
  t.like(codes[1]?.[1], { error: 'The disk is full' });
  t.like(codes[6]?.[1], { limit: 0 });
  t.like(codes[7]?.[1], { error: 'The field xy\ufffd is duplicated.' });
  t.like(codes[8]?.[1], { limit: 10 });
});

test('each way of being here already has its code, and a file that went well has none', async (t) => {
  const { take, rows, db } = t.context;
  const modifiedAt = new Date('2026-03-01T10:00:00.123Z');
  const watched = (ledgerPath: string) => ({ route: 'watch', ledgerPath, modifiedAt }) as const;
  const { id } = documentOf(await take('text', watched('in/a.txt')));
  await take('text', watched('in/b.txt'));
  await rows("update documents set status = 'failed', error_code = 'corrupt'");
  await take('text', watched('in/c.txt'));
  t.deepEqual(await told(t.context), [[null], ['duplicate_file'], ['duplicate_file_read_again']]);
  await take('text', watched('in/c.txt'));
  t.deepEqual((await told(t.context))[2], ['duplicate_file'], 'it is not being tried again any more');

  await deleteDocument(db, id);
  await rows("delete from ingest_ledger where path <> 'in/a.txt'");
  await take('text', watched('in/a.txt'));
  await take('text', watched('in/d.txt'));
  t.deepEqual(await told(t.context), [['document_deleted'], ['document_deleted_of', { path: 'in/a.txt' }]]);
  await take('other', watched('in/a.txt'));
  t.deepEqual((await told(t.context))[0], [null], 'what becomes a document loses the reason of the file before');
});
