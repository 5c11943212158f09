import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Logger } from '@sheaf/process';
import { processStart } from '@sheaf/process/machine';
import { type Binaries, programPath } from './binaries.ts';
import type { DataPlace } from './data-place.ts';
import { endsWithParent } from './os-user.ts';
import { GUARD_NAME } from './process-table.ts';
import { ServerLog } from './server-log.ts';

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
