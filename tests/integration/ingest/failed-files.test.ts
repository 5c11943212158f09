// A file that was sent and could not be imported has its line in the ledger, with the reason in words.
import { Readable } from 'node:stream';
import { AppError, Secret } from '@sheaf/contract';
import { openDatabase } from '@sheaf/db';
import { noteFailure } from '@sheaf/ingest';
import { silentLogger, uuidv7 } from '@sheaf/process';
import anyTest, { type TestFn } from 'ava';
import { changedStorage } from '../../support/changed-storage.ts';
import { text } from '../../support/messages.ts';
import { type IngestBench, openIngestBench } from './fixture.ts';

const test = anyTest as TestFn<IngestBench>;

test.beforeEach(async (t) => {
  t.context = await openIngestBench();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const FULL = 'The storage /data/uploads is full. Free up disk space.';
const brokenBody = (): Readable =>
  Readable.from(
    (async function* () {
      yield Buffer.from('first half');
      throw new Error('connection reset');
    })(),
  );
const lines = ({ rows }: IngestBench) => rows('select path, state, reason, owner_id from ingest_ledger order by id');

test('a body that breaks is a failed file with one event', async (t) => {
  const { take, owner, rows } = t.context;
  await t.throwsAsync(take(brokenBody(), { filename: 'cut.txt' }), { code: 'INCOMPLETE_FILE' });
  const reason = text('importLog.incomplete');
  t.deepEqual(await lines(t.context), [{ path: 'cut.txt', state: 'failed', reason, owner_id: owner.id }]);
  t.deepEqual(await rows('select type, owner_id, data from events'), [
    { type: 'ingest', owner_id: owner.id, data: { route: 'upload', filename: 'cut.txt', state: 'failed', reason } },
  ]);
});

test('a full storage, a label that does not exist, a sender who broke off and a mistake of ours each say so', async (t) => {
  const { take, deps } = t.context;
  const failing = (problem: Error) => {
    const put = async () => {
      throw problem;
    };
    return { storage: changedStorage(deps.storage, { put }) };
  };
  await t.throwsAsync(take('1', {}, failing(new AppError('SERVICE_UNAVAILABLE', FULL))));
  await t.throwsAsync(take('2', { labelIds: [uuidv7()] }));
  await t.throwsAsync(take('3', { signal: AbortSignal.abort() }));
  await t.throwsAsync(take('4', {}, failing(new TypeError('undefined is not a function'))));
  const reasons = ((await lines(t.context)) as { state: string; reason: string }[]).map(({ state, reason }) => `${state}: ${reason}`);
  t.is(reasons.length, 4);
  t.is(reasons[0], `failed: ${text('importLog.storage_away', { error: FULL })}`);
  t.is(reasons[1], `failed: ${text('errors.unknown_labels')}`);
  t.is(reasons[2], `failed: ${text('importLog.broken_off')}`);
  t.is(reasons[3], `failed: ${text('importLog.server_error')}`);
});

test('a watched file that cannot be imported has no such line: it is still there, and waits', async (t) => {
  const { take, deps, count } = t.context;
  const storage = changedStorage(deps.storage, { put: () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', FULL)) });
  for (const route of ['watch', 'user_watch'] as const) {
    await t.throwsAsync(take('text', { route, ledgerPath: 'in/a.txt' }, { storage }), { code: 'SERVICE_UNAVAILABLE' });
    await t.throwsAsync(take(brokenBody(), { route, ledgerPath: 'in/b.txt' }), { code: 'INCOMPLETE_FILE' });
  }
  t.is(await count('ingest_ledger'), 0);
  t.is(await count('events'), 0);
});

test('where the database is away the sender gets the first error, and nothing else is thrown', async (t) => {
  await using away = new AsyncDisposableStack();
  const database = openDatabase(
    {
      url: new Secret('postgres://nobody@127.0.0.1:1/nothing'),
      maxConnections: 1,
      minConnections: 0,
      acquireTimeoutMs: 1_000,
      idleTimeoutMs: 1_000,
      maxLifetimeMs: 1_000,
      applicationName: 'away',
    },
    silentLogger(),
  );
  away.defer(() => database.close());
  await t.throwsAsync(t.context.take(brokenBody(), {}, { db: database.db }), { code: 'INCOMPLETE_FILE' });
});

test('a name and a reason that PostgreSQL could not keep are kept without what it cannot', async (t) => {
  const { db, owner } = t.context;
  const file = { route: 'upload', filename: 'a\0b.txt', ledgerPath: 'a\0b.txt', ownerId: owner.id } as const;
  await noteFailure(db, file, new AppError('VALIDATION_ERROR', 'The field x\0y is duplicated.'));
  t.like((await lines(t.context))[0], {
    path: 'ab.txt',
    reason: text('importLog.request_refused', { error: 'The field xy is duplicated.' }),
  });
});
