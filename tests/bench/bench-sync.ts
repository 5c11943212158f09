import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import type { SourceSettings } from '@sheaf/contract/sources';
import type { Db } from '@sheaf/db';
import type { SyncRun } from '@sheaf/db/schema';
import { uuidv7, waitFor } from '@sheaf/process';
import { createSource, sealSourceSecret } from '@sheaf/sources';
import { findLastRun, requestRun } from '@sheaf/sources/runs';
import { givenUser } from '@sheaf/testkit';
import type { SourceType } from '@sheaf/vocabulary/sources';
import type { Pool } from 'pg';
import { flagsOfProcfile } from './procfile-flags.ts';
import { openScratchDatabase } from './scratch-database.ts';

const TICKS_A_SECOND = 100;
const LIMIT_MS = 20 * 60_000;

export interface BenchSource {
  readonly type: SourceType;
  readonly url: string | null;
  readonly username: string | null;
  readonly password: string;
  readonly settings: SourceSettings;
}

/** A sync process alone: nobody reads what it imports, so that what it costs by itself is seen. */
export interface BenchSync extends AsyncDisposable {
  readonly pool: Pool;
  readonly addSource: (source: BenchSource) => Promise<string>;
  /** Asks for a run and waits for its end. */
  readonly run: (sourceId: string) => Promise<{ readonly run: SyncRun; readonly seconds: number }>;
  /** Resident at most, since the process began. */
  readonly peakMemoryBytes: () => Promise<number>;
  readonly memoryBytes: () => Promise<number>;
  /** Processor time that the process has used since it started. */
  readonly processorSeconds: () => Promise<number>;
}

export const openBenchSync = async (env: Readonly<Record<string, string>> = {}): Promise<BenchSync> => {
  const database = await openScratchDatabase();
  const owner = await givenUser(database.db, { role: 'admin' });
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-bench-sync-'));
  const secretKey = randomBytes(32).toString('hex');
  const child = forkSync(folder, { DATABASE_URL: database.url.reveal(), APP_SECRET_KEY: secretKey, ...env });
  await once(child, 'message');
  const residentBytes = async (what: 'VmRSS' | 'VmHWM'): Promise<number> =>
    Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(await readFile(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024;
  return {
    pool: database.pool,
    addSource: async ({ password, ...source }) => {
      const id = uuidv7();
      await createSource(database.db, id, {
        ...source,
        ownerId: owner.id,
        name: 'bench',
        sealedSecret: sealSourceSecret(password, id, new Secret(secretKey)),
        syncIntervalSeconds: 0,
        isRecursive: true,
        filePatterns: ['*'],
        isEnabled: true,
        nextSyncAt: null,
      });
      return id;
    },
    run: (sourceId) => runOnce(database.db, sourceId, owner.id),
    peakMemoryBytes: () => residentBytes('VmHWM'),
    memoryBytes: () => residentBytes('VmRSS'),
    processorSeconds: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(user) + Number(system)) / TICKS_A_SECOND;
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const runOnce = async (db: Db, sourceId: string, userId: string): Promise<{ run: SyncRun; seconds: number }> => {
  const id = await db.transaction((tx) => requestRun(tx, sourceId, userId));
  const run = await waitFor(
    async () => {
      const last = await findLastRun(db, sourceId);
      return last?.id === id && last.finishedAt !== null && last;
    },
    { description: 'the run to end', limitMs: LIMIT_MS, everyMs: 100 },
  );
  if (run.state !== 'completed' || run.finishedAt === null || run.startedAt === null) throw new Error(`the run ${run.state}: ${run.error}`);
  return { run, seconds: (run.finishedAt.getTime() - run.startedAt.getTime()) / 1_000 };
};

const forkSync = (folder: string, env: Readonly<Record<string, string>>): ChildProcess =>
  fork(join(import.meta.dirname, '../../apps/sync/src/main.ts'), [], {
    cwd: folder,
    execArgv: flagsOfProcfile('sync'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], PROBE_PORT_BASE: '0', LOG_LEVEL: 'warn', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ...env },
  });
