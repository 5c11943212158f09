import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HeldImport } from '@sheaf/imports/runs';

const PROGRAM = fileURLToPath(new URL('../../../cli/src/import-requested.ts', import.meta.url));
/** Of what it writes to standard error, the last characters are kept. */
const MAX_STDERR_CHARS = 2_000;
const KILL_AFTER_MS = 10_000;

export interface ImportProgram {
  /** The last line of its standard error, null where there is none, when it has ended. */
  readonly ended: Promise<string | null>;
  /** Ends it: nothing is lost. May be called twice. */
  stop(): void;
}

export type StartImportProgram = (held: HeldImport) => ImportProgram;

const lastLine = (stderr: string): string | null =>
  stderr
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^sheaf import: /, '') || null;

/** Starts the program that imports, with the configuration of this process, or that of a test. It ends by itself when this process is gone; then another one continues. */
export const makeStartImportProgram =
  (environment?: NodeJS.ProcessEnv): StartImportProgram =>
  ({ id, fence }) => {
    const child: ChildProcess = spawn(process.execPath, [PROGRAM, id, String(fence)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      ...(environment === undefined ? {} : { env: environment }),
    });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS);
    });
    let killing: NodeJS.Timeout | undefined;
    const ended = new Promise<string | null>((resolve) => {
      child.once('error', (error) => {
        if (child.pid === undefined) resolve(error.message);
      });
      child.once('close', () => {
        clearTimeout(killing);
        resolve(lastLine(stderr));
      });
    });
    return {
      ended,
      stop: () => {
        child.kill('SIGTERM');
        killing ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
      },
    };
  };
