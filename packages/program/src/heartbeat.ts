import { hostname } from 'node:os';
import type { ComponentHealth, ProcessFacts } from '@sheaf/contract/operations';
import type { Database } from '@sheaf/db';
import { type Clock, type Component, isSupervisorReport, type Live, type Logger, Loop, VERSION } from '@sheaf/process';
import { worst } from '@sheaf/vocabulary/health';
import { deleteProcess, recordHeartbeat } from './queries/processes.ts';

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
    run: async () => {
      await beat();
      return false;
    },
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
