import type { Readable, Writable } from 'node:stream';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { lateLibrary } from '@sheaf/process/late-library';
import { guardedCommand, noteProgramStart, type ToolCommand } from './run-tool.ts';

export interface ToolEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The last words on standard error. */
  readonly stderr: string;
}

/** A program that stays: a listener, a helper that answers on its standard output. */
export interface RunningTool {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly isRunning: boolean;
  /** Notes what it works on from now on, in words that name the file or folder; undefined while it rests. */
  workOn(work: string | undefined): void;
  /** Never rejects. */
  readonly ended: Promise<ToolEnd>;
  /** Ends the program and its family, by force at once with `force`, and waits until it is gone. May be called twice. */
  stop(options?: { readonly force?: boolean }): Promise<ToolEnd>;
}

const STDERR_CHARS = 4_000;

/** Starts a program that stays, under the same guard as `runTool`. The caller reads `stdout`, or calls `stdout.resume()`. */
export const startTool = (command: ToolCommand): RunningTool => {
  const { file, args, options } = guardedCommand(command);
  noteProgramStart(command.file);
  const subprocess = lateLibrary('execa').execa(file, args, { ...options, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', buffer: false });
  let stderr = '';
  let isRunning = true;
  subprocess.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_CHARS);
  });
  // The program may leave while we still write to it; `ended` tells that.
  subprocess.stdin.on('error', () => {});
  const ended = subprocess.then(({ exitCode, signal }) => {
    isRunning = false;
    noteProgramWork(subprocess.pid, undefined);
    return { exitCode, signal, stderr };
  });
  return {
    pid: subprocess.pid,
    stdin: subprocess.stdin,
    stdout: subprocess.stdout,
    get isRunning() {
      return isRunning;
    },
    workOn: (work) => noteProgramWork(subprocess.pid, work),
    ended,
    async stop({ force = false } = {}) {
      subprocess.kill(force ? 'SIGKILL' : 'SIGTERM');
      return ended;
    },
  };
};

/**
 * What programs that stay work on at the moment, for whoever has to know which document a program is busy with: their command lines do
 * not say it. Kept in the main thread; other threads send it there.
 */
interface ProgramWork {
  readonly pid: number;
  /** Undefined: nothing. */
  readonly work: string | undefined;
}

const CHANNEL = 'sheaf program work';
const works = new Map<number, string>();
let channel: BroadcastChannel | undefined;

const keep = ({ pid, work }: ProgramWork): void => {
  if (work === undefined) works.delete(pid);
  else works.set(pid, work);
};

const openChannel = (): BroadcastChannel => {
  channel ??= new BroadcastChannel(CHANNEL);
  channel.unref();
  return channel;
};

/** Notes what the program `pid` works on, in words that name the file or folder, or that it rests. */
const noteProgramWork = (pid: number | undefined, work: string | undefined): void => {
  if (pid === undefined) return;
  if (isMainThread) keep({ pid, work });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads of one process
  else openChannel().postMessage({ pid, work } satisfies ProgramWork);
};

/** What programs work on by pid, as far as it was noted; call it in the main thread, and once before the threads begin. */
export const readProgramWork = (): ReadonlyMap<number, string> => {
  if (channel === undefined) openChannel().addEventListener('message', (event) => keep((event as MessageEvent<ProgramWork>).data));
  return works;
};
