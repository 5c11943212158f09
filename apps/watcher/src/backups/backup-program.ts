import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type RunMessage, runMessage } from '@sheaf/backup/runs';
import type { Logger } from '@sheaf/process';

const PROGRAM = fileURLToPath(new URL('../../../cli/src/backup.ts', import.meta.url));
/** Of what it writes to standard error, the last characters are kept. */
const MAX_STDERR_CHARS = 4_000;
const KILL_AFTER_MS = 10_000;

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

export interface BackupProgram {
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to stop, and ends it by force where it does not. May be called twice. */
  stop(): void;
}

export type StartBackupProgram = (args: readonly string[], onMessage: (message: RunMessage) => void, log: Logger) => BackupProgram;

/**
 * Starts `sheaf backup` with the configuration of this process. It stops by itself when this process is gone, and what it left in
 * BACKUP_PATH is continued by the next backup.
 */
export const startBackupProgram: StartBackupProgram = (args, onMessage, log) => {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS);
  });
  child.on('message', (message) => {
    const parsed = runMessage.safeParse(message);
    if (parsed.success) onMessage(parsed.data);
    else log.warn({ err: parsed.error }, 'unknown message from backup process');
  });
  let killing: NodeJS.Timeout | undefined;
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, stderr: error.message });
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(killing);
      resolve({ exitCode, signal, stderr });
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
