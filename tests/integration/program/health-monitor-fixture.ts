import { randomUUID } from 'node:crypto';
import type { ComponentHealth } from '@sheaf/contract/operations';
import type { Database } from '@sheaf/db';
import { type Clock, constant, makeRegistry } from '@sheaf/process';
import type { DiskUse } from '@sheaf/process/machine';
import { recordHeartbeat } from '@sheaf/program';
import { givenUser, openTestDatabase } from '@sheaf/testkit';
import type { NotificationPolicy } from '@sheaf/vocabulary/notifications';
import { HealthMonitor, makeAlertCounter } from '@sheaf/watcher/testing';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { makeNotedLogger } from '../../support/noted-logger.ts';

export const POLICY: NotificationPolicy = { enabled: true, emailTypes: new Set(['alert']), webhook: true };
const MINUTE_MS = 60_000;

export type Told = readonly [level: string, component: string];

export interface AlertScene extends AsyncDisposable {
  readonly database: Database;
  readonly admin: { readonly id: string };
  /** What the meters say. */
  readonly meters: { cpu: number; memory: number; disks: Omit<DiskUse, 'folders' | 'sizeBytes'>[] };
  /** Looks once, a minute after the last time. */
  readonly look: () => Promise<void>;
  /** The same with another process: what the first one remembered is gone. */
  readonly restart: () => void;
  readonly beat: (name: 'api' | 'watcher' | 'sync' | 'ocr-worker', components?: Record<string, ComponentHealth>) => Promise<void>;
  readonly rows: (query: string, ...values: unknown[]) => Promise<Record<string, unknown>[]>;
  /** The events so far. */
  readonly told: () => Promise<Told[]>;
  readonly metric: () => Promise<string>;
  /** What was written to the log. */
  readonly lines: readonly string[];
}

/** A monitor over a database with one administrator, one viewer and a machine that says what it is told. */
export const openAlertScene = async (policy: NotificationPolicy = POLICY): Promise<AlertScene> => {
  const database = await openTestDatabase();
  const { db, pool } = database;
  const admin = await givenUser(db, { role: 'admin' });
  await givenUser(db, { role: 'viewer' });
  let now = Date.now();
  const clock: Clock = { now: () => new Date(now) };
  const registry = makeRegistry('watcher');
  const counter = makeAlertCounter(registry);
  const { log, lines } = makeNotedLogger();
  const meters: AlertScene['meters'] = { cpu: 0, memory: 0, disks: [] };
  const makeMonitor = (): HealthMonitor =>
    new HealthMonitor({
      db,
      audience: constant({ policy, roles: CONFIGURED_ROLES }),
      settings: {
        monitoring: constant({ cpuShare: 0.8, memoryShare: 0.85, diskShare: 0.9, intervalMs: MINUTE_MS }),
        folders: ['/', '/papers'],
      },
      meters: {
        cpu: () => meters.cpu,
        memory: async () => meters.memory,
        disks: async () => meters.disks.map((disk) => ({ ...disk, folders: [disk.path], sizeBytes: 0 })),
      },
      counter,
      clock,
      log,
    });
  let monitor = makeMonitor();
  const ids = new Map<string, string>();
  const rows = async (query: string, ...values: unknown[]): Promise<Record<string, unknown>[]> => (await pool.query(query, values)).rows;
  return {
    database,
    admin,
    meters,
    look: () => {
      now += MINUTE_MS;
      return monitor.look();
    },
    restart: () => {
      monitor = makeMonitor();
    },
    beat: async (name, components = {}) => {
      const id = ids.get(name) ?? randomUUID();
      ids.set(name, id);
      const fields = { id, name, pid: 1, host: 'h', version: '1', configHash: 'c', probePort: 1, holdsLock: true, components, facts: {} };
      // at the time of the next look
      await recordHeartbeat(db, { ...fields, status: 'healthy', memoryBytes: 1, startedAt: new Date(now) }, new Date(now + MINUTE_MS));
    },
    rows,
    told: async () =>
      (await rows(`select data->>'level' as level, data->>'component' as component from events where type = 'alert' order by id`)).map(
        ({ level, component }) => [String(level), String(component)] as const,
      ),
    metric: () => registry.metrics(),
    lines,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
};
