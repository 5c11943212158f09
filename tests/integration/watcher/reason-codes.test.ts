// Why a file of a watched folder waits or is not imported stands in the ledger by a code, with the values that its words hold.

import { execFileSync } from 'node:child_process';
import { link, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { constant } from '@sheaf/process';
import { makeNamePatterns } from '@sheaf/storage/folders';
import { givenUser } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { openWatchBench, type WatchBench } from './fixture.ts';

const test = anyTest as TestFn<WatchBench>;

test.beforeEach(async (t) => {
  t.context = await openWatchBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const told = async ({ database }: WatchBench): Promise<Record<string, unknown>> => {
  const { rows } = await database.pool.query('select path, reason_code, reason_details from ingest_ledger order by path');
  return Object.fromEntries(
    rows.map(({ path, reason_code, reason_details }) => [path, reason_details === null ? reason_code : [reason_code, reason_details]]),
  );
};

const HOUR_MS = 3_600_000;
const RULES = {
  patterns: makeNamePatterns({ patterns: ['*.*'], ignorePatterns: ['.*'] }),
  allowedExtensions: ['txt', 'pdf'],
  maxBytes: 1024 * 1024,
  maxAgeMs: 24 * HOUR_MS,
};

test('each way of being refused has its code', async (t) => {
  const { drop, watch, folder, makeScanner } = t.context;
  await givenUser(t.context.db, { role: 'admin' });
  for (const name of ['.hidden.txt', 'README', 'program.exe', 'letter.docx', 'false.pdf']) await drop(name, 'x');
  await drop('empty.txt', '');
  await drop('large.txt', Buffer.alloc(RULES.maxBytes + 1, 'x'));
  const then = new Date(Date.now() - 48 * HOUR_MS);
  await utimes(await drop('old.txt', 'x'), then, then);
  await symlink('/etc/passwd', join(watch, 'link.txt'));
  await link(await drop('second.txt', 'x'), join(folder, 'other-name.txt'));
  execFileSync('mkfifo', [join(watch, 'fifo.txt')]);
  await drop('good.txt', 'good');
  await makeScanner({ rules: constant(RULES) }).scan();
  t.deepEqual(await told(t.context), {
    '.hidden.txt': ['ignored_name', { pattern: '.*' }],
    README: 'unwanted_name',
    'empty.txt': ['empty', { filename: 'empty.txt' }],
    'false.pdf': ['type_mismatch', { filename: 'false.pdf', declared_type: 'pdf', found: 'plain text' }],
    'fifo.txt': 'not_a_file',
    'good.txt': null,
    'large.txt': ['too_large', { max_bytes: RULES.maxBytes }],
    'letter.docx': ['type_not_allowed', { extension: 'docx', allowed_types: ['txt', 'pdf'] }],
    'link.txt': 'symbolic_link',
    'old.txt': ['too_old', { modified_at: then.toISOString(), max_age_seconds: 86_400 }],
    'program.exe': ['unknown_type', { extension: 'exe' }],
    'second.txt': 'hard_link',
  });
});

test('each way of waiting has its code, and so has a file that is gone before its turn', async (t) => {
  const { drop, ingest, watch, makeScanner } = t.context;
  const path = await drop('a.txt', 'a');
  await makeScanner().scan();
  t.deepEqual(await told(t.context), { 'a.txt': 'no_owner_yet' });
  await makeScanner({ owner: 'archive' }).scan();
  t.deepEqual(await told(t.context), { 'a.txt': ['owner_unknown', { username: 'archive' }] });
  const missing = ledgerReason('owner_disabled', { username: 'anna' });
  const findRoots = async () => [{ path: watch, ledgerPrefix: '', owner: { missing } }];
  await makeScanner({ findRoots }).scan();
  t.deepEqual(await told(t.context), { 'a.txt': ['owner_disabled', { username: 'anna' }] });

  await givenUser(t.context.db, { role: 'admin' });
  const full = new AppError('SERVICE_UNAVAILABLE', 'The disk is full');
  const storage = changedStorage(ingest.storage, { put: () => Promise.reject(full) });
  await t.throwsAsync(makeScanner({}, { storage }).scan(), { is: full });
  t.deepEqual(await told(t.context), { 'a.txt': ['storage_away', { error: 'The disk is full' }] });
  await rm(path);
  await makeScanner().scan();
  t.deepEqual(await told(t.context), { 'a.txt': 'gone_while_waiting' });
});
