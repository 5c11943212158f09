import type { SourceFile } from '@sheaf/db/schema';
import type { RemoteFile } from '@sheaf/sources';
import { type Comparison, compareFile, outcomeOfSkipped } from '@sheaf/sync/testing';
import test from 'ava';

const STARTED = new Date('2026-11-20T10:00:00Z');
const BEFORE = new Date('2026-11-19T10:00:00Z');
const MODIFIED = new Date('2026-11-01T08:30:00.123Z');

const comparison = (fields: Partial<Comparison> = {}): Comparison => ({
  rules: { isWanted: () => true, allowedExtensions: ['txt'], maxBytes: 1_000 },
  now: STARTED,
  startedAt: STARTED,
  isByHand: false,
  ...fields,
});

const listed = (fields: Partial<RemoteFile> = {}): RemoteFile => ({
  path: 'a/b.txt',
  etag: '"1"',
  sizeBytes: 10,
  modifiedAt: MODIFIED,
  ...fields,
});

const known = (fields: Partial<SourceFile> = {}): SourceFile => ({
  id: 1,
  sourceId: 's',
  path: 'a/b.txt',
  etag: '"1"',
  sizeBytes: 10,
  modifiedAt: MODIFIED,
  sha256: 'ab',
  state: 'ingested',
  documentId: 'd',
  attempts: 0,
  nextAttemptAt: null,
  removedAt: null,
  createdAt: BEFORE,
  updatedAt: BEFORE,
  ...fields,
});

const kindOf = (file: RemoteFile, of: SourceFile | undefined, how: Partial<Comparison> = {}): string =>
  compareFile(file, of, comparison(how)).kind;

test('a file that nothing is known of is fetched', (t) => {
  t.is(kindOf(listed(), undefined), 'fetch');
});

test('a file is unchanged when tag, size and time are, as far as both sides give them', (t) => {
  t.is(kindOf(listed(), known()), 'skip');
  t.is(kindOf(listed({ etag: 'W/"1"' }), known({ etag: 'W/"1"' })), 'skip');
  t.is(kindOf(listed({ etag: '"1"' }), known({ etag: 'W/"1"' })), 'skip', 'some call a tag weak in the second after a change');
  t.is(kindOf(listed({ etag: '"2"' }), known({ etag: 'W/"1"' })), 'fetch');
  t.is(kindOf(listed({ etag: undefined }), known()), 'skip');
  t.is(kindOf(listed({ modifiedAt: undefined, sizeBytes: undefined }), known()), 'skip');
  t.is(kindOf(listed({ etag: '"2"' }), known()), 'fetch');
  t.is(kindOf(listed({ sizeBytes: 11 }), known()), 'fetch');
  t.is(kindOf(listed({ modifiedAt: new Date(0) }), known()), 'fetch');
});

test('a size alone tells nothing', (t) => {
  t.is(kindOf(listed({ etag: undefined, modifiedAt: undefined }), known()), 'fetch');
  t.is(kindOf(listed(), known({ etag: null, modifiedAt: null })), 'fetch');
});

test('a file that was gone and is what it was is back, and one that changed is fetched', (t) => {
  const gone = known({ removedAt: BEFORE });
  t.is(kindOf(listed(), gone), 'back');
  t.is(kindOf(listed({ sizeBytes: 11 }), gone), 'fetch');
});

test('what was refused by its contents is skipped until it changes, and what was refused by its name until the rules do', (t) => {
  const opened = known({ state: 'ignored', attempts: 1 });
  t.is(kindOf(listed(), opened), 'skip');
  t.is(kindOf(listed({ sizeBytes: 11 }), opened), 'fetch');
  const unwanted = { rules: { ...comparison().rules, isWanted: () => false } };
  t.is(kindOf(listed(), known({ state: 'ignored' }), unwanted), 'skip');
  t.is(kindOf(listed(), known({ state: 'ignored' })), 'fetch');
});

test('names, types and sizes are judged before anything is fetched', (t) => {
  t.is(kindOf(listed({ path: 'a.pdf' }), undefined), 'ignore');
  t.is(kindOf(listed({ path: 'a.strange' }), undefined), 'ignore');
  t.is(kindOf(listed({ path: 'txt' }), undefined), 'ignore');
  t.is(kindOf(listed({ sizeBytes: 1_001 }), undefined), 'ignore');
  t.is(kindOf(listed({ sizeBytes: undefined }), undefined), 'fetch');
});

test('a file that failed waits for its time, unless it changed or a person asks', (t) => {
  const later = new Date(STARTED.getTime() + 1);
  const failed = known({ state: 'failed', attempts: 2, nextAttemptAt: later, sha256: null, documentId: null });
  t.is(kindOf(listed(), failed), 'skip');
  t.is(kindOf(listed(), failed, { now: later }), 'fetch');
  t.is(kindOf(listed(), failed, { isByHand: true }), 'fetch');
  t.is(kindOf(listed({ etag: '"2"' }), failed), 'fetch');
  t.is(kindOf(listed(), { ...failed, updatedAt: STARTED }, { isByHand: true }), 'skip', 'once in a run is enough');
  const changed = known({ attempts: 1, nextAttemptAt: later });
  t.is(kindOf(listed({ etag: '"2"' }), changed), 'skip');
});

test('a run that goes on counts what it had done as done', (t) => {
  const mine = { createdAt: STARTED, updatedAt: STARTED };
  t.is(outcomeOfSkipped(known(), STARTED), 'skipped');
  t.is(outcomeOfSkipped(known(mine), STARTED), 'added');
  t.is(outcomeOfSkipped(known({ updatedAt: STARTED }), STARTED), 'updated');
  t.is(outcomeOfSkipped(known({ ...mine, state: 'duplicate' }), STARTED), 'skipped');
  t.is(outcomeOfSkipped(known({ ...mine, state: 'failed', attempts: 1, nextAttemptAt: STARTED }), STARTED), 'failed');
});
