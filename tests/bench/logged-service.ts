import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@sheaf/process';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MS = 120_000;

/** The whole service as `bin/sheaf start` runs it, with its log in a file, so that nobody has to read along while it is measured. */
export interface LoggedService extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** From the start of the command to the line that says where it listens. */
  readonly startSeconds: number;
  /** Asks it to stop, and resolves with the seconds that it took. Throws when it did not end with 0. */
  stop(): Promise<number>;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const startLoggedService = async (folder: string, env: Readonly<Record<string, string>> = {}): Promise<LoggedService> => {
  await mkdir(join(folder, 'watch'), { recursive: true });
  const logPath = join(folder, 'service.log');
  const log = openSync(logPath, 'w');
  const startedAt = performance.now();
  const child = spawn(join(ROOT, 'bin/sheaf'), ['start'], {
    stdio: ['ignore', log, log],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      SERVER_ADDRESS: '127.0.0.1:0',
      PROBE_PORT_BASE: '0',
      EMBEDDED_POSTGRES_PORT: '0',
      ...env,
    },
  });
  closeSync(log);
  const url = await waitFor(
    () => {
      const text = readFileSync(logPath, 'utf8');
      if (hasEnded(child)) throw new Error(`the service ended with ${child.exitCode}:\n${text}`);
      return /Sheaf listens on (http:\S+)/.exec(text)?.[1];
    },
    { description: 'the service to listen', limitMs: LIMIT_MS, everyMs: 5 },
  );
  const startSeconds = (performance.now() - startedAt) / 1_000;
  const stop = async (): Promise<number> => {
    const askedAt = performance.now();
    child.kill('SIGTERM');
    await waitFor(() => hasEnded(child), { description: 'the service to stop', limitMs: LIMIT_MS, everyMs: 5 });
    if (child.exitCode !== 0) throw new Error(`the service ended with ${child.exitCode}:\n${readFileSync(logPath, 'utf8').slice(-2_000)}`);
    return (performance.now() - askedAt) / 1_000;
  };
  return {
    pid: child.pid ?? 0,
    url,
    startSeconds,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!hasEnded(child)) await stop();
    },
  };
};
