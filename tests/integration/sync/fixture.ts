import { mkdir, mkdtempDisposable, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SyncRun, User } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { createSource, sealSourceSecret } from '@sheaf/sources';
import { findLastRun, requestRun } from '@sheaf/sources/runs';
import { type ComposeOptions, type SyncDeps, SyncEngine } from '@sheaf/sync/testing';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { composeSyncDeps, SYNC_SECRET_KEY } from '../../support/composed-sync.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WEBDAV_USER, type WebdavFolder } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';

/** A WebDAV server behind a proxy that can spoil what it says, a database, and an engine that runs sources. */
export interface SyncBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly owner: User;
  readonly server: WebdavFolder;
  readonly proxy: FaultProxy;
  readonly deps: SyncDeps;
  readonly engine: SyncEngine;
  /** Where the deps store. */
  readonly folder: string;
  /** Writes a file on the server. */
  readonly put: (path: string, content: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly move: (from: string, to: string) => Promise<void>;
  /** A source over the server, behind the proxy. */
  readonly addSource: (fields?: Partial<Parameters<typeof createSource>[2]>) => Promise<string>;
  /** Asks for a run without waiting for it. */
  readonly ask: (sourceId: string) => Promise<string>;
  /** Runs the source by hand, or as its schedule does, and returns how that ended. */
  readonly run: (sourceId: string, trigger?: 'manual' | 'schedule') => Promise<SyncRun>;
  readonly untilEnded: (sourceId: string, runId: string) => Promise<SyncRun>;
  /** Rows of a statement with $1, $2 in it. */
  readonly rows: (statement: string, ...values: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  /** Requests for files that the server has had. */
  readonly downloads: () => number;
}

export const openSyncBench = async (
  environment: Readonly<Record<string, string>> = {},
  options: ComposeOptions = {},
): Promise<SyncBench> => {
  const database = await openTestDatabase();
  const { db, pool } = database;
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-sync-'));
  const server = await openWebdavServer();
  const proxy = await openFaultProxy(server.url);
  const owner = await givenUser(db, { role: 'editor' });
  const deps = await composeSyncDeps(db, folder.path, environment, options);
  const engine = new SyncEngine(deps);
  await engine.start();
  const untilEnded = (sourceId: string, runId: string): Promise<SyncRun> =>
    waitFor(
      async () => {
        const last = await findLastRun(db, sourceId);
        return last?.id === runId && last.finishedAt !== null && last;
      },
      { description: 'the run to end', limitMs: 30_000 },
    );
  const ask = async (sourceId: string): Promise<string> => {
    const id = await db.transaction((tx) => requestRun(tx, sourceId, owner.id));
    engine.nudge();
    return id;
  };
  const onServer = (path: string): string => join(server.folder, path);
  const makeParent = (path: string) => mkdir(dirname(onServer(path)), { recursive: true });
  return {
    database,
    folder: folder.path,
    owner,
    server,
    proxy,
    deps,
    engine,
    untilEnded,
    ask,
    put: async (path, content) => {
      await makeParent(path);
      await writeFile(onServer(path), content);
    },
    remove: (path) => rm(onServer(path), { recursive: true }),
    move: async (from, to) => {
      await makeParent(to);
      await rename(onServer(from), onServer(to));
    },
    addSource: async (fields = {}) => {
      const id = uuidv7();
      await createSource(db, id, {
        ownerId: owner.id,
        name: 'Cloud',
        type: 'webdav',
        url: `${proxy.url}/`,
        username: WEBDAV_USER,
        sealedSecret: sealSourceSecret(server.password, id, SYNC_SECRET_KEY),
        settings: {},
        syncIntervalSeconds: 3600,
        isRecursive: true,
        filePatterns: ['*'],
        isEnabled: true,
        nextSyncAt: null,
        ...fields,
      });
      return id;
    },
    run: async (sourceId, trigger = 'manual') => {
      if (trigger === 'manual') return untilEnded(sourceId, await ask(sourceId));
      // before it is due: the engine may look at once
      const before = (await findLastRun(db, sourceId))?.id;
      await pool.query('update sources set next_sync_at = now() where id = $1', [sourceId]);
      engine.nudge();
      const run = await waitFor(
        async () => {
          const last = await findLastRun(db, sourceId);
          return last !== undefined && last.id !== before && last;
        },
        {
          description: 'a run to be made',
          limitMs: 3e4,
        },
      );
      return untilEnded(sourceId, run.id);
    },
    rows: async (statement, ...values) => (await pool.query(statement, [...values])).rows,
    downloads: () => proxy.seen.filter(({ method }) => method === 'GET').length,
    [Symbol.asyncDispose]: async () => {
      await engine.stop();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
};
