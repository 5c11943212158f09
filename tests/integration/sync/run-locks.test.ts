import type { Db } from '@sheaf/db';
import type { Source, SyncRun } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { createSource, getSource, lockSource } from '@sheaf/sources';
import { beginRun, endRun, findLastRun, noteRunOfSource, requestRun } from '@sheaf/sources/runs';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { BUILT_IN_ROLES, type Principal } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

interface Given extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly source: Source;
  /** Asks for a run as the interface does, after `whileLocked`. */
  readonly ask: (tx: Db, whileLocked?: () => Promise<void>) => Promise<string>;
}

const givenRun = async (): Promise<Given & { readonly run: SyncRun }> => {
  const database = await openTestDatabase();
  const { db } = database;
  const owner = await givenUser(db, { role: 'editor' });
  const id = uuidv7();
  await createSource(db, id, {
    ownerId: owner.id,
    name: 'Cloud',
    type: 'webdav',
    url: 'http://127.0.0.1:1/',
    username: null,
    sealedSecret: null,
    settings: {},
    syncIntervalSeconds: 3600,
    isRecursive: true,
    filePatterns: ['*'],
    isEnabled: true,
    nextSyncAt: null,
  });
  const principal: Principal = {
    userId: owner.id,
    username: owner.username,
    role: 'editor',
    permissions: BUILT_IN_ROLES.editor,
    via: 'token',
  };
  const ask: Given['ask'] = async (tx, whileLocked) => {
    await lockSource(tx, principal, 'sources.sync', id);
    await whileLocked?.();
    return requestRun(tx, id, owner.id);
  };
  await db.transaction((tx) => ask(tx));
  const run = await findLastRun(db, id);
  const { source } = await getSource(db, principal, id);
  if (run === undefined) throw new Error('there is no run');
  return { database, source, run, ask, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
};

const COUNTERS = {
  processed: 0,
  total: 0,
  added: 0,
  updated: 0,
  moved: 0,
  removed: 0,
  skipped: 0,
  failed: 0,
  bytes: 0,
  currentFile: null,
};

const CHANGES: Readonly<Record<string, (tx: Db, source: Source, run: SyncRun) => Promise<unknown>>> = {
  begins: (tx, source, run) => beginRun(tx, { source, run }),
  ends: async (tx, _source, run) => {
    await endRun(tx, run, 'completed', { ...COUNTERS, error: null, errorCode: null });
    await noteRunOfSource(tx, run, { problem: undefined, nextAfterMs: undefined });
  },
};

for (const [what, change] of Object.entries(CHANGES))
  test(`a run that somebody asks for while one ${what} is refused, and neither waits for the other`, async (t) => {
    await using given = await givenRun();
    const { database, source, run, ask } = given;
    const { db, pool } = database;
    const isWaiting = async (): Promise<boolean> =>
      (await pool.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")).rowCount === 1;
    let changing: Promise<unknown> = Promise.resolve();
    const refused = await t.throwsAsync(
      db.transaction((tx) =>
        ask(tx, async () => {
          changing = db.transaction((other) => change(other, source, run));
          changing.catch(() => {}); // looked at below
          await waitFor(isWaiting, { description: `the run that ${what} to wait for the source`, limitMs: 20_000 });
        }),
      ),
    );
    t.is((refused as { code?: string }).code, 'SYNC_RUNNING', refused?.message);
    await t.notThrowsAsync(changing);
    t.not((await findLastRun(db, source.id))?.state, 'queued');
  });
