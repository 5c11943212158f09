import { hostname } from 'node:os';
import type { ComponentHealth, ProcessFacts } from '@sheaf/contract/operations';
import type { Database, Db } from '@sheaf/db';
import { and, desc, eq, gt, lt, ne, type SQL, sql } from '@sheaf/db/drizzle';
import { type ProcessRow, processes } from '@sheaf/db/schema';
import { type Clock, type Component, isSupervisorReport, type Live, type Logger, Loop, VERSION } from '@sheaf/process';
import { worst } from '@sheaf/vocabulary/health';

export const HEARTBEAT_MS = 5_000;

export interface HeartbeatSettings {
  readonly id: string;
  readonly database: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly name: string;
  readonly instance: number;
  /** Of the configuration in force now. */
  readonly configHash: Live<string>;
  readonly holdsLock: () => boolean;
  readonly health: () => Readonly<Record<string, ComponentHealth>>;
  readonly probe: () => { readonly host: string; readonly port: number };
  /** What this process can do. */
  readonly facts: () => Readonly<Record<string, unknown>>;
}

/** Keeps the row of this process in `processes` fresh, and takes it away on a clean end. */
export const makeHeartbeat = (settings: HeartbeatSettings): Component => {
  const { id, database, log, clock, health } = settings;
  let config = { hash: settings.configHash.current(), since: clock.now() };
  const beat = (): Promise<void> => {
    const components = health();
    const { host: probeHost, port: probePort } = settings.probe();
    const hash = settings.configHash.current();
    if (config.hash !== hash) config = { hash, since: clock.now() };
    const facts: ProcessFacts = {
      instance: settings.instance,
      probe_host: probeHost,
      config_since: config.since.toISOString(),
    };
    const fields = {
      id,
      name: settings.name,
      pid: process.pid,
      host: hostname(),
      version: VERSION,
      configHash: config.hash,
      probePort,
      holdsLock: settings.holdsLock(),
      status: worst(Object.entries(components).flatMap(([part, { status }]) => (isSupervisorReport(part) ? [] : [status]))),
      components,
      facts: { ...settings.facts(), ...facts },
      memoryBytes: process.memoryUsage.rss(),
    };
    return recordHeartbeat(database.db, fields);
  };
  const loop = new Loop({
    name: 'heartbeat',
    intervalMs: HEARTBEAT_MS,
    log,
    run: beat,
  });
  return {
    name: 'heartbeat',
    start: async () => {
      await beat();
      await loop.start();
    },
    stop: async () => {
      await loop.stop();
      // the row goes stale by itself where the database is away
      await deleteProcess(database.db, id).catch((error: unknown) => log.debug({ err: error }, 'heartbeat row not deleted'));
    },
  };
};

interface ProcessFields extends Omit<ProcessRow, 'seenAt' | 'startedAt'> {
  /** When its first heartbeat was recorded unless given. */
  readonly startedAt?: Date;
}

/** Makes or refreshes the row of a process, seen at `now`. Hosts have clocks of their own, so the times are those of the database. */
export const recordHeartbeat = async (db: Db, fields: ProcessFields, now: Date | SQL = sql`now()`): Promise<void> => {
  const { id: _, startedAt, ...changing } = fields;
  await db
    .insert(processes)
    .values({ ...fields, startedAt: startedAt ?? now, seenAt: now })
    .onConflictDoUpdate({ target: processes.id, set: { ...changing, seenAt: now } });
};

const deleteProcess = async (db: Db, id: string): Promise<void> => {
  await db.delete(processes).where(eq(processes.id, id));
};

/** Processes heard of since `since`, the newest first. */
export const listProcesses = (db: Db, since: Date): Promise<ProcessRow[]> =>
  db.select().from(processes).where(gt(processes.seenAt, since)).orderBy(desc(processes.startedAt));

/** Whether a process of a kind other than the one with `id` was heard of since `since`. */
export const hasOtherProcess = async (
  db: Db,
  { name, id, since }: { readonly name: string; readonly id: string; readonly since: Date },
): Promise<boolean> => {
  const found = await db
    .select({ id: processes.id })
    .from(processes)
    .where(and(eq(processes.name, name), ne(processes.id, id), gt(processes.seenAt, since)))
    .limit(1);
  return found.length > 0;
};

/** Processes heard of since `since` that do not say of themselves that they know all of `places`, where documents are stored. */
export const listProcessesWithoutPlaces = (db: Db, since: Date, places: readonly string[]): Promise<ProcessRow[]> =>
  db
    .select()
    .from(processes)
    .where(
      and(gt(processes.seenAt, since), sql`not coalesce(${processes.facts} -> 'storages' ?& ${sql.param([...places])}::text[], false)`),
    )
    .orderBy(processes.name, processes.pid);

export const deleteProcessesBefore = async (db: Db, before: Date): Promise<void> => {
  await db.delete(processes).where(lt(processes.seenAt, before));
};
