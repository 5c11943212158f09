import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Logger, waitFor } from '@sheaf/process';
import { processStart, processStat } from '@sheaf/process/machine';
import { type Binaries, type DataPlace, endsWithParent, programPath } from './data-place.ts';

/**
 * The URL of the embedded server as its clients have it: without TLS, which it does not speak, whatever DATABASE_SSL_MODE says of others.
 * While it is down another program may listen on its port: that one has to prove that it knows the password, and is never sent it.
 */
export const ownServerUrl = (given: string): string => {
  const url = new URL(given);
  url.searchParams.set('sslmode', 'disable');
  url.searchParams.set('require_auth', 'scram-sha-256');
  return url.href;
};

export interface ServerExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** How the server ends: `fast` cuts connections and leaves a clean directory; `immediate` leaves a recovery to the next start. */
export type StopMode = 'fast' | 'immediate';

export interface ServerProcess {
  readonly output: ServerLog;
  readonly exited: Promise<ServerExit>;
  order(mode: StopMode): void;
}

// Given as text: the server's user may be unable to enter the folder of this file.
const GUARD = readFileSync(new URL('./guard.sh', import.meta.url), 'utf8');

/** The guard is a shell, which reports a signal of the server as 128 and its number. */
const toExit = (code: number | null, signal: string | null): ServerExit => {
  const number = (code ?? 0) - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: name === undefined ? (code ?? undefined) : undefined, signal: name ?? signal ?? undefined };
};

export interface StartOptions {
  readonly place: DataPlace;
  readonly binaries: Binaries;
  readonly port: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** Seconds that clients get to leave when this process is gone without having stopped the server. */
  readonly orphanGraceSeconds: number;
  readonly log: Logger;
}

/** Starts the server under a guard, in a session of its own, so that no signal to our process group reaches it. */
export const startServerProcess = (options: StartOptions): ServerProcess => {
  const { place, binaries, port } = options;
  const parameters = Object.entries({ ...options.parameters, port: String(port) }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [...endsWithParent('INT'), programPath(binaries, 'postgres'), '-D', place.path, ...parameters];
  const starter = [String(process.pid), processStart(process.pid) ?? ''];
  const portInHex = port.toString(16).toUpperCase().padStart(4, '0');
  const guard = spawn('/bin/sh', ['-c', GUARD, GUARD_NAME, ...starter, String(options.orphanGraceSeconds), portInHex, ...server], {
    ...place.user.ids,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  guard.stdin.on('error', () => {}); // an order to a guard that is gone; `exited` tells
  const exited = new Promise<ServerExit>((resolve, reject) => {
    guard.once('error', reject);
    guard.once('close', (code, signal) => resolve(toExit(code, signal)));
  });
  exited.catch(() => {}); // whoever waits for it hears of it
  return { output: new ServerLog(guard.stderr, options.log), exited, order: (mode) => guard.stdin.write(`${mode}\n`) };
};

const LAST_LINES = 20;

/** What an error of one connection is to the operator: the client hears of it and says so itself. */
const LEVELS: Readonly<Record<string, 'debug' | 'warn' | 'error'>> = { WARNING: 'warn', PANIC: 'error' };

/** A standby accepts connections too, read-only ones. */
const READY = /^database system is ready to accept (read-only )?connections$/;

/** Passes the server's lines on to the log, keeps the last ones for error messages, and tells when it accepts connections. */
class ServerLog {
  /** Resolves when the server says that it accepts connections; never when it does not come to that. */
  readonly ready: Promise<void>;
  readonly #lines: string[] = [];

  constructor(output: Readable, log: Logger) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    createInterface({ input: output }).on('line', (line) => {
      this.#lines.push(line);
      if (this.#lines.length > LAST_LINES) this.#lines.shift();
      const [, severity = '', text = line] = /^([A-Z]+): {2}(.*)$/.exec(line) ?? [];
      log[LEVELS[severity] ?? 'debug']({ severity, text }, 'postgres');
      if (READY.test(text)) resolve();
    });
  }

  /** Whether one of the last lines says so. */
  says(pattern: RegExp): boolean {
    return this.#lines.some((line) => pattern.test(line));
  }

  get lastLines(): string {
    return this.#lines.join('\n');
  }
}

/** The name under which the guard stands in the process list, before the identity of its starter. */
const GUARD_NAME = 'sheaf-postgres-guard';

const unlessMissing = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined; // the process ended, or belongs to somebody else
  }
};

const isRunning = (pid: number): boolean => {
  const state = processStat(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
};

export const untilExited = async (pid: number, limitMs: number): Promise<boolean> => {
  try {
    return await waitFor(() => !isRunning(pid), { description: `process ${pid} to end`, limitMs });
  } catch {
    return false;
  }
};

/** The pid in the lock file of a data directory, whether that process lives or not. */
export const lockedBy = (dataPath: string): number | undefined => {
  const pid = Number(unlessMissing(() => readFileSync(join(dataPath, 'postmaster.pid'), 'utf8'))?.split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
};

/** The pid of the server that really runs on this data directory. A server works inside its directory. */
export const findServerPid = (dataPath: string): number | undefined => {
  const pid = lockedBy(dataPath);
  if (pid === undefined || !isRunning(pid)) return undefined;
  const program = unlessMissing(() => readlinkSync(`/proc/${pid}/exe`)) ?? '';
  const folder = unlessMissing(() => readlinkSync(`/proc/${pid}/cwd`));
  return folder === dataPath && basename(program.replace(' (deleted)', '')) === 'postgres' ? pid : undefined;
};

/**
 * The pid of the lock file is taken, by another process or by the server's own remains that nobody has collected yet.
 * PostgreSQL itself would refuse to start: it only asks whether the pid can be signalled.
 */
export const isLockStale = (dataPath: string): boolean => {
  const pid = lockedBy(dataPath);
  return pid !== undefined && processStat(pid) !== undefined && findServerPid(dataPath) === undefined;
};

/** The living process that started the server `pid` through a guard, or undefined when it is gone. */
export const findStarter = (pid: number): number | undefined => {
  const guard = Number(processStat(pid)?.[1]);
  const argv = unlessMissing(() => readFileSync(`/proc/${guard}/cmdline`, 'utf8').split('\0')) ?? [];
  const at = argv.indexOf(GUARD_NAME);
  const starter = Number(argv[at + 1]);
  return at >= 0 && isRunning(starter) && processStart(starter) === argv[at + 2] ? starter : undefined;
};
