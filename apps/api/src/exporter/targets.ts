import { hostname } from 'node:os';
import type { KnownProcess } from '../health/process-rows.ts';

/** A process whose metrics are asked for. */
export interface Target {
  readonly process: string;
  /** Number among its like; undefined for a program of which one runs. */
  readonly instance: number | undefined;
  /** Undefined: it cannot be reached from here. */
  readonly address: { readonly host: string; readonly port: number } | undefined;
}

const ANY = new Set(['0.0.0.0', '::', '']);
const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** An address to bind to as one of this machine to connect to. */
const toConnect = (host: string): string => (host === '::' ? '::1' : ANY.has(host) ? '127.0.0.1' : host);

const hostOf = ({ host, probeHost }: KnownProcess): string | undefined => {
  if (host === hostname()) return toConnect(probeHost);
  if (ANY.has(probeHost)) return host;
  return isLoopback(probeHost) ? undefined : probeHost;
};

const toTarget = (row: KnownProcess): Target => {
  const host = hostOf(row);
  return {
    process: row.name,
    instance: row.name === 'ocr-worker' ? row.instance : undefined,
    address: host === undefined || row.probePort === null ? undefined : { host, port: row.probePort },
  };
};

const isThisProcess = ({ pid, host }: KnownProcess): boolean => pid === process.pid && host === hostname();

/** How many processes are asked at most: memory and connections have an end, whatever the table holds. */
const MAX_TARGETS = 64;

/** Whom to ask beside this process, the newest first. Of two rows with one address the older is of a process that went, so nobody is asked. */
export const targetsOf = (rows: readonly KnownProcess[], supervisor: Target['address']): Target[] => {
  const targets = rows.filter((row) => !isThisProcess(row)).map(toTarget);
  if (supervisor !== undefined)
    targets.unshift({ process: 'supervisor', instance: undefined, address: { ...supervisor, host: toConnect(supervisor.host) } });
  const seen = new Set<string>();
  return targets.slice(0, MAX_TARGETS).map((target) => {
    const name = `${target.address?.host} ${target.address?.port}`;
    if (seen.has(name)) return { ...target, address: undefined };
    seen.add(name);
    return target;
  });
};
